/* What a text is, told by its content. */
#include "src/plan/plan_io.h"

#include <ctype.h>
#include <string.h>

#include "src/import/args.h"
#include "src/import/deepspeed.h"
#include "src/import/hf.h"
#include "src/import/megatron.h"
#include "src/import/nanotron.h"

const char *const plan_kind_names[KIND_COUNT] = {
    "a plan (YAML)",
    "a plan (JSON)",
    "a Megatron launch script",
    "Megatron's arguments",
    "a Hugging Face config.json",
    "a nanotron configuration",
    "a DeepSpeed configuration",
    "an empty file",
    "something unknown",
};

/* The first character that is neither blank nor in a comment. */
static const char *skip_comments(const char *p)
{
    for (;;) {
        p += strspn(p, " \t\r\n");
        if (*p != '#')
            return p;
        p += strcspn(p, "\n");
    }
}

/* True when the first line that says something is `key:`, `key: value`, `---` or a YAML directive. */
static bool is_like_yaml(const char *text)
{
    const char *p = skip_comments(text);
    if (strncmp(p, "---", 3) == 0 || strncmp(p, "%YAML", 5) == 0 || *p == '"' || *p == '{')
        return true;
    size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    return n > 0 && p[n] == ':' && (p[n + 1] == '\0' || isspace((unsigned char)p[n + 1]));
}

enum plan_kind plan_recognise(const char *text, size_t size)
{
    static const char bom[] = "\xef\xbb\xbf";
    if (strncmp(text, bom, 3) == 0) {
        text += 3;
        size -= 3;
    }
    const char *p = text + strspn(text, " \t\r\n");
    if (!*skip_comments(p))
        return KIND_EMPTY;
    bool is_json = *p == '{' && strchr("\"}", p[1 + strspn(p + 1, " \t\r\n")]);
    if (is_json)
        return hf_recognise(text, size) ? KIND_HF : deepspeed_recognise(text, size) ? KIND_DEEPSPEED : KIND_JSON;
    bool is_script = strncmp(p, "#!", 2) == 0;
    if (!is_script && nanotron_recognise(text, size))
        return KIND_NANOTRON;
    if (!is_script && args_recognise(text, size))
        return KIND_ARGUMENTS;
    if (!is_script && is_like_yaml(p))
        return KIND_YAML;
    return megatron_recognise(text, size) ? KIND_MEGATRON : KIND_UNKNOWN;
}
