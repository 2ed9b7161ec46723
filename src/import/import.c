#include "src/import/import.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "src/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *import_variable(const struct import *import, const char *name)
{
    const struct import_options *options = import->options;
    const struct keyval *given = options && options->env ? keyvals_last(options->env, name) : NULL;
    if (given && options->asked && !keyvals_last(options->asked, name))
        keyvals_add(options->asked, name, "", 0);
    if (given)
        return given->value;
    return options && options->use_env ? getenv(name) : NULL;
}

/* A text that fits and is safe for a terminal. */
static void copy_text(char out[QUESTION_TEXT_MAX], const char *text)
{
    text_clean(text, out, QUESTION_TEXT_MAX);
}

void import_ask(struct import *import, const char *key, const struct asked *asked)
{
    import_ask_words(import, key, asked, NULL);
}

void import_ask_words(struct import *import, const char *key, const struct asked *asked, const char *words)
{
    struct question question = {.is_uncertain = asked->is_uncertain, .has_words = words != NULL};
    char where[2 * QUESTION_TEXT_MAX];
    int id = param_find(key);
    if (id < 0)
        return;
    if (asked->line > 0)
        snprintf(where, sizeof where, "%.150s:%d", asked->file ? asked->file : "", asked->line);
    else
        snprintf(where, sizeof where, "%.150s", asked->file ? asked->file : "");
    copy_text(question.variable, asked->variable);
    copy_text(question.assumed, asked->assumed);
    copy_text(question.where, where);
    copy_text(question.how, asked->how);
    copy_text(question.choices, words ? words : "");
    question_ask(&import->questions, &question, (enum param)id);
    if (*asked->assumed && !asked->is_uncertain && !words)
        keyvals_add(&import->assumed, key, asked->assumed, asked->line);
}

void import_doubt_file(struct import *import, const char *missing, int line)
{
    static const char *const keys[] = {"train.peft", "parallel.zero_stage", "train.micro_batch_size",
                                       "train.seq_length", "train.dtype", "train.recompute", "train.optimizer"};
    for (size_t i = 0; i < LENGTH(keys); i++) {
        const struct keyval *given = keyvals_last(&import->settings, keys[i]);
        if (!given || given->line == IMPORT_LINE_DEFAULT)
            keyvals_add(&import->unread, keys[i], missing, line);
    }
}

void import_hide(struct import *import, const char *words)
{
    if (!*import->questions.hidden)
        copy_text(import->questions.hidden, words);
}

void import_free(struct import *import)
{
    keyvals_free(&import->settings);
    keyvals_free(&import->defaults);
    keyvals_free(&import->assumed);
    keyvals_free(&import->unused);
    keyvals_free(&import->unread);
    keyvals_free(&import->doubted);
    keyvals_free(&import->unknown);
    for (size_t i = 0; i < import->tables; i++)
        free(import->table[i].prefix);
    free(import->table);
    import->table = NULL;
    import->tables = 0;
}
