#include "src/import/words.h"

#include <string.h>
#include <strings.h>

bool words_any(const char *name, const char *words)
{
    static const char between[] = "-_./ ";
    for (const char *part = name; *part;) {
        size_t size = strcspn(part, between);
        for (const char *word = words;; word++) {
            size_t n = strcspn(word, "| ");
            if (n == size && n > 0 && strncasecmp(word, part, n) == 0)
                return true;
            word += n;
            if (*word != '|')
                break;
        }
        part += size + (part[size] != '\0');
    }
    return false;
}

bool words_all(const char *name, const char *groups)
{
    for (const char *p = groups; *p; p += strcspn(p, " "), p += *p == ' ')
        if (!words_any(name, p))
            return false;
    return true;
}
