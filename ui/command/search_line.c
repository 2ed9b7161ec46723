#include "ui/command/search_line.h"

#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 64 };

static int refuse(char *why, const char *word)
{
    size_t used = (size_t)snprintf(why, UI_MESSAGE_MAX, "search: unknown objective '%.40s' (", word);
    for (int i = 0; i < SEARCH_CHANGES; i++)
        used += (size_t)snprintf(why + used, UI_MESSAGE_MAX - used, "%s ", search_goals[i].name);
    snprintf(why + used, UI_MESSAGE_MAX - used, "size), option (Tab lists them), KEY=VALUES or condition (tp<=8)");
    return -1;
}

/* The option that a word begins with, and its argument; other words are conditions or values of a key. */
static const struct search_option *option_of(const char *word, const char **argument)
{
    char name[NAME_MAX_BYTES];
    size_t length = strcspn(word, "="), relation = strcspn(word, "<>!");
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    const struct search_option *option = search_option_named(name);
    *argument = option && word[length] ? word + length + 1 : option ? "" : word;
    bool takes_this = option && (option->argument != NULL) == (word[length] == '=');
    if (option)
        return takes_this ? option : NULL;
    return word[relation] ? search_option_named("where") : word[length] ? search_option_named("values") : NULL;
}

static void keep_word(struct search_line *line, const char *word)
{
    size_t used = strlen(line->text);
    if (used > 0 && used + 1 < sizeof line->text)
        line->text[used++] = ' ';
    snprintf(line->text + used, sizeof line->text - used, "%s", word);
    line->count++;
}

/* One word; 0, or -1 where it means nothing here. */
static int read_word(const char *word, struct search_line *out)
{
    static const char free_keys[] = "free=";
    enum search_objective objective = search_goal_named(word);
    const char *argument;
    uint32_t axes;
    bool is_free = strncmp(word, free_keys, strlen(free_keys)) == 0;
    if (is_free && !space_axes_read(word + strlen(free_keys), &axes)) {
        out->has_free = true;
        out->free = axes;
    } else if (objective < SEARCH_OBJECTIVES) {
        out->objective = objective;
    } else if (strcmp(word, "size") == 0) {
        out->is_size = true;
    } else if (option_of(word, &argument)) {
        keep_word(out, word);
    } else {
        return -1;
    }
    return 0;
}

int search_line_read(const char *text, struct search_line *out, char *why)
{
    char word[EDIT_MAX];
    *out = (struct search_line){.objective = SEARCH_OBJECTIVES};
    for (size_t length; *text; text += length + strspn(text + length, " ")) {
        length = strcspn(text, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        if (length > 0 && read_word(word, out) != 0)
            return refuse(why, word);
    }
    snprintf(out->words, sizeof out->words, "%s", out->text);
    for (char *blank; (blank = strrchr(out->words, ' '));)
        *blank = '\0';
    return 0;
}

int search_line_apply(const struct search_line *line, struct search_ask *ask, struct estimate *scratch, char *why)
{
    char reason[SEARCH_WHY_MAX];
    for (const struct search_option *option = search_options; option->name; option++) {
        const char *word = line->words, *argument;
        for (int i = 0; i < line->count; i++, word += strlen(word) + 1)
            if (option_of(word, &argument) == option &&
                search_option_read(option, ask, argument, scratch, reason) != 0) {
                snprintf(why, UI_MESSAGE_MAX, "search %s: %.200s", option->name, reason);
                return -1;
            }
    }
    search_option_nodes(ask);
    return 0;
}
