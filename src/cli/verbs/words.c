/* Commands that need no plan: lists, help, manual pages, completion, schema, batch. */
#include "src/cli/verbs/verbs.h"

#include "src/cli/docs/complete.h"
#include "src/cli/docs/completion.h"
#include "src/cli/docs/help.h"
#include "src/cli/docs/man.h"
#include "src/cli/docs/mdoc.h"
#include "src/cli/docs/schema.h"
#include "src/cli/suggest.h"
#include "src/cli/verbs/batch.h"
#include "src/cli/verbs/list.h"
#include "src/cli/verbs/template.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char program[] = "shardtop";

int verb_batch(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    (void)plan;
    (void)out;
    (void)errors;
    return batch_run(stdin, stdout, stderr, &(struct batch_options){.is_apart = true, .workers = cli->threads});
}

/* The only word of a verb that takes one, NULL with a fault added. */
static const char *only_word(const struct cli *cli, struct errors *errors)
{
    const struct cli_verb *verb = &cli_verbs[cli->verb];
    if (cli->word_count == 1)
        return cli->words[0];
    errors_add(errors, program, 0, verb->name, "takes one word; write shardtop %s %s", verb->name, verb->arguments);
    return NULL;
}

int verb_list(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    (void)plan;
    if (cli->word_count == 2 && cli->yaml)
        return template_write(out, cli->words[0], cli->words[1], errors) == 0 ? STATUS_DONE : STATUS_INPUT;
    if (cli->yaml || cli->word_count > 1) {
        errors_add(errors, program, 0, "list",
                   "for a template write shardtop list gpus|models|clusters|frameworks|plans NAME --yaml");
        return STATUS_INPUT;
    }
    for (int i = 0; cli->word_count == 0 && list_names[i]; i++)
        buffer_printf(out, "shardtop list %s\n", list_names[i]);
    if (cli->word_count == 0)
        return STATUS_DONE;
    const char *word = only_word(cli, errors);
    return word && list_write(out, word, cli->json, errors) == 0 ? STATUS_DONE : STATUS_INPUT;
}

int verb_schema(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    (void)plan;
    if (cli->word_count > 1)
        only_word(cli, errors);
    else if (schema_write(out, cli->word_count ? cli->words[0] : NULL, errors) == 0)
        return STATUS_DONE;
    return STATUS_INPUT;
}

int verb_completion(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    (void)plan;
    const char *word = only_word(cli, errors);
    if (word && strcmp(word, "words") == 0) { /* the scripts ask so */
        complete_words(out, cli->argument_count, cli->arguments);
        return STATUS_DONE;
    }
    return word && completion_write(out, word, errors) == 0 ? STATUS_DONE : STATUS_INPUT;
}

int verb_man(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    (void)plan;
    const char *page = cli->word_count ? only_word(cli, errors) : man_pages[0];
    struct buffer text = {0};
    bool is_written = page && man_write(&text, page, errors) == 0;
    if (is_written && !cli->output && isatty(STDOUT_FILENO))
        mdoc_read(out, text.text);
    else if (is_written)
        buffer_add(out, text.text, text.size);
    buffer_free(&text);
    return is_written ? STATUS_DONE : STATUS_INPUT;
}

int verb_help(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    (void)plan;
    if (cli->word_count == 0) {
        help_overview(out);
        return STATUS_DONE;
    }
    const char *word = only_word(cli, errors);
    for (int i = VERB_SCREEN + 1; word && i < VERB_COUNT; i++)
        if (strcmp(word, cli_verbs[i].name) == 0) {
            help_verb(out, (enum cli_verb_id)i);
            return STATUS_DONE;
        }
    const char *near = word ? suggest_command(word) : NULL;
    if (near)
        errors_add(errors, program, 0, "help", "unknown command '%.40s'; did you mean %s?", word, near);
    else if (word)
        errors_add(errors, program, 0, "help", "unknown command '%.40s'; see `shardtop help`", word);
    return STATUS_INPUT;
}
