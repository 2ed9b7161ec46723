#include "src/shell/shell.h"

#include "src/shell/run.h"
#include "src/shell/state.h"
#include "src/shell/vars.h"
#include "src/shell/words.h"
#include "src/text/text.h"

#include <stdlib.h>
#include <string.h>

/* Leaves the values of all variables as lists of words. */
static void publish_variables(struct shell *sh)
{
    struct shell_script *out = sh->out;
    out->variable = xmalloc((sh->variables + 1) * sizeof *out->variable);
    for (size_t i = 0; i < sh->variables && !sh->is_failed; i++) {
        const struct variable *v = &sh->variable[i];
        if (strchr(v->name, '[')) /* an element */
            continue;
        struct words w = {.line = v->line};
        words_value(sh, &w, v->name, true);
        words_close(sh, &w);
        for (size_t k = 0; k < v->count; k++) {
            words_value(sh, &w, v->item[k], v->is_array && !strchr(v->item[k], ' '));
            words_close(sh, &w);
        }
        if (!sh->is_failed)
            command_make(sh, &w, v->line, &out->variable[out->variables++]);
        words_free(&w);
    }
}

static void release(struct shell *sh)
{
    for (size_t i = 0; i < sh->variables; i++) {
        variable_clear(&sh->variable[i]);
        free(sh->variable[i].name);
    }
    for (size_t i = 0; i < sh->functions; i++)
        free(sh->function[i].name);
    for (size_t i = 0; i < sh->reasons; i++)
        shell_reason_free(sh->reason[i]);
    for (size_t i = 0; i < sh->texts; i++)
        free(sh->text[i]);
    buffer_free(&sh->compared.words);
    keyvals_free(&sh->front);
    free(sh->target); /* of a redirection behind a loop, which no command takes */
    free(sh->variable);
    free(sh->function);
    free(sh->reason);
    free(sh->text);
}

/* The script's own arguments, where the caller knows them. */
static void take_arguments(struct shell *sh, struct words *w)
{
    if (!sh->options || !sh->options->argument)
        return;
    for (int i = 0; i < sh->options->arguments; i++) {
        char *text = unmarked(sh->options->argument[i]);
        words_value(sh, w, text, true);
        words_close(sh, w);
        free(text);
    }
    sh->argument = w;
}

int shell_read(const char *text, size_t size, const char *name, const struct shell_options *options,
               struct shell_script *out, struct errors *errors)
{
    struct shell sh = {.name = name, .options = options, .errors = errors, .out = out};
    struct words argument = {0};
    *out = (struct shell_script){0};
    reason_add(&sh, &(struct shell_reason){0}); /* slot 0 stands for none */
    char *whole = xstrndup(text, size), *copy = unmarked(whole);
    free(whole);
    struct reader r = {.at = copy, .end = copy + strlen(copy), .line = 1};
    take_arguments(&sh, &argument);
    run_text(&sh, &r);
    if (!sh.is_failed)
        publish_variables(&sh);
    words_free(&argument);
    release(&sh);
    free(copy);
    return sh.is_failed ? -1 : 0;
}

static void command_free(struct shell_command *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free(c->word[i].text);
        shell_reason_free(c->word[i].why);
    }
    free(c->word);
    keyvals_free(&c->environment);
}

void shell_free(struct shell_script *script)
{
    for (size_t i = 0; i < script->count; i++)
        command_free(&script->command[i]);
    for (size_t i = 0; i < script->variables; i++)
        command_free(&script->variable[i]);
    keyvals_free(&script->file);
    keyvals_free(&script->skipped);
    free(script->command);
    free(script->variable);
    *script = (struct shell_script){0};
}
