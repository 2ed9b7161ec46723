/* `shardtop find PHRASE`: what the screen's / lists for words. */
#include "src/cli/verbs/verbs.h"

#include "src/cli/session/host.h"
#include "src/text/errors.h"
#include "src/text/json_out.h"
#include "src/text/text.h"
#include "ui/ui.h"

#include <stdio.h>

enum { FOUND_TOP = 10 };

static void print_found(void *out, const struct ui_found *found)
{
    buffer_printf(out, "%-9s  %-32s  %s", found->kind, found->item, found->text);
    for (int i = 0; i < found->values; i++)
        if (found->value[i].text)
            buffer_printf(out, "%s%s %s", i || *found->text ? ", " : "", found->value[i].name, found->value[i].text);
        else
            buffer_printf(out, "%s%s %.10g", i || *found->text ? ", " : "", found->value[i].name,
                          found->value[i].number);
    buffer_puts(out, "\n");
}

static void write_found(void *context, const struct ui_found *found)
{
    struct json *json = context;
    json_open(json, NULL, '{');
    json_text(json, "kind", found->kind);
    json_text(json, "item", found->item);
    json_text(json, "text", found->text);
    json_open(json, "values", '{');
    for (int i = 0; i < found->values; i++)
        if (found->value[i].text)
            json_text(json, found->value[i].name, found->value[i].text);
        else
            json_number(json, found->value[i].name, found->value[i].number);
    json_close(json, '}');
    json_close(json, '}');
}

static void join_words(const struct cli *cli, struct buffer *out)
{
    for (int i = 0; i < cli->word_count; i++)
        buffer_printf(out, "%s%s", i ? " " : "", cli->words[i]);
}

int verb_find_each(const char *phrase, int most, void (*each)(void *context, const struct ui_found *found),
                   void *context)
{
    struct host host = {0};
    struct plan shown;
    char why[UI_MESSAGE_MAX];
    const struct ui_options options = {.plan = &shown};
    struct ui_host functions = host_functions(&host);
    plan_clear(&shown);
    functions.load(functions.context, "default", &shown, why); /* the screen's first plan has results to find */
    int count = ui_find(&functions, &options, phrase, most, each, context);
    host_free(&host);
    return count;
}

int verb_find(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    struct buffer phrase = {0};
    struct json json = {.out = out, .lines = 2};
    (void)plan;
    if (cli->word_count == 0) {
        errors_add(errors, "shardtop", 0, "find", "needs a phrase, as in shardtop find 'train in 30 days'");
        return STATUS_INPUT;
    }
    join_words(cli, &phrase);
    if (cli->json)
        json_open(&json, NULL, '[');
    int count = verb_find_each(phrase.text, cli->top ? cli->top : FOUND_TOP, cli->json ? write_found : print_found,
                               cli->json ? (void *)&json : (void *)out);
    if (cli->json) {
        json_close(&json, ']');
        buffer_puts(out, "\n");
    }
    buffer_free(&phrase);
    return count > 0 ? STATUS_DONE : STATUS_UNFIT;
}
