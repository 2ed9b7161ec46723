#include "src/cli/verbs/patch.h"

#include "src/cli/session/saving.h"
#include "src/export/patch.h"
#include "src/text/errors.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What was read beside the file was read just now, for this patch. */
static enum ui_write write_file(struct saving *saving, const char *target, const struct keyval *file,
                                bool is_confirmed, char *message)
{
    struct buffer text = {0};
    buffer_puts(&text, file->value);
    bool asks_nothing = is_confirmed || strcmp(file->key, target) != 0;
    enum ui_write what = saving_change(saving, file->key, &text, asks_nothing, message);
    buffer_free(&text);
    return what;
}

enum ui_write patch_write(struct saving *saving, const struct patch *patch, const char *target, bool is_confirmed,
                          char *message)
{
    enum ui_write what = UI_WRITTEN;
    message[0] = '\0';
    for (size_t i = 0; i < patch->file.count && what == UI_WRITTEN; i++)
        what = write_file(saving, target, &patch->file.item[i], is_confirmed, message);
    return what;
}

/* Writes the changed files, unless the one that was given is no longer what was read. */
static int apply(const struct cli *cli, struct saving *saving, const struct patch *patch, struct errors *errors)
{
    char message[UI_MESSAGE_MAX];
    enum ui_write what = patch_write(saving, patch, cli->patch, false, message);
    if (what == UI_WRITE_ASKS)
        errors_add(errors, cli->patch, 0, NULL, "changed since it was read and was not touched; run the command again");
    else if (what != UI_WRITTEN)
        errors_add(errors, NULL, 0, NULL, "%s", message);
    return what == UI_WRITTEN ? STATUS_DONE : STATUS_INTERNAL;
}

int patch_run(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    struct patch patch;
    const struct patch_ask ask = {.wanted = plan, .file = (const char *const *)cli->words, .files = cli->word_count,
                                  .target = cli->patch, .options = {.env = &cli->env, .use_env = cli->use_env,
                                                                    .argument = cli->arguments,
                                              .arguments = cli->argument_count, .command = cli->command}};
    struct saving saving = {0};
    saving_note(&saving, cli->patch);
    int status = patch_make(&ask, &patch, errors) == 0 ? STATUS_DONE : STATUS_INPUT;
    if (status == STATUS_DONE && !patch.diff.size && !patch.left)
        errors_note(errors, cli->patch, 0, NULL, "already describes this plan");
    if (status == STATUS_DONE && !cli->output && isatty(STDOUT_FILENO))
        buffer_lines(out, "", patch.diff.text);
    else if (status == STATUS_DONE && patch.diff.size)
        buffer_add(out, patch.diff.text, patch.diff.size);
    if (status == STATUS_DONE && cli->apply && patch.diff.size) {
        status = cli->output ? STATUS_DONE : cli_print(out, errors);
        if (!cli->output)
            buffer_free(out);
        status = status == STATUS_DONE ? apply(cli, &saving, &patch, errors) : status;
    }
    bool is_partial = patch.is_partial;
    saving_free(&saving);
    patch_free(&patch);
    return status == STATUS_DONE && is_partial ? STATUS_UNFIT : status;
}
