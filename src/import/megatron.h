/*
 * src/import/megatron.h - Megatron-LM's launch scripts and command-line flags as plan settings.
 *
 * A script is read by src/shell/shell.h, which runs nothing; the command that passes Megatron's flags is looked for in
 * what the script would run, also inside `eval`, `bash -c` and functions. Flags are taken as argparse takes them:
 * `--a-b`, `--a_b` and `--a-b=value` are the same, the last of several wins. A vocabulary that only the tokenizer's
 * files tell is left blank without a remark: whoever uses the plan knows whether it comes from elsewhere.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/text/keyval.h"

struct errors;
struct import;
struct shell_command;
struct shell_word;

enum { MEGATRON_SEVERAL = -1 }; /* arity of a flag that takes all words up to the next flag */

/** True if a text looks like a script (or a part of one) that passes Megatron's flags. */
bool megatron_recognise(const char *text, size_t size);

/**
 * Reads a launch script. Values that cannot be known (`$(...)`, variables that the script does not set) are left out
 * with a remark that names the key to give; values that depend on an unknown condition are taken with a remark.
 * Returns 0, or -1 with a fault added when the text cannot be read or no command in it runs training.
 */
int megatron_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);

/**
 * Reads an argument vector that is already split. The indices of arguments that are not Megatron's (or torchrun's)
 * flags or their values go to `rest`, an array of `argc` numbers, in order; a training script's name (`*.py`) is
 * passed over. Returns how many there are.
 */
int megatron_arguments(int argc, char **argv, struct import *out, int *rest, struct errors *errors);

/** The same for words of which parts may not be known, with the file that messages name. */
int megatron_words(const struct shell_word *word, size_t count, const char *file, struct import *out, int *rest,
                   struct errors *errors);

struct shell_script;

/** A script as it is read: what it would run, and what it tells the scheduler. */
struct megatron_script {
    struct shell_script *script;
    struct keyvals directives;
    struct keyvals arguments; /* its arguments by name (src/import/arguments.h) */
};

/** True where two commands are one, as in rounds of a loop: of one line and with the same words. */
bool megatron_is_same(const struct shell_command *a, const struct shell_command *b);

/**
 * Reads the text of a script with what the caller of `out` knows. Returns 0, or -1 with a fault added; `script` is to
 * be released with megatron_close() in either case.
 */
int megatron_open(const char *text, size_t size, const char *name, struct import *out, struct megatron_script *script,
                  struct errors *errors);

/**
 * Layers per stage of a pipeline layout such as "Et*7|(t*8|)*2tmL" as a list "[7,8,8,1]", to be freed, and their number
 * in `stages`; NULL where it is none.
 */
char *megatron_layout(const char *text, int64_t *stages);

/** Releases what was read for `out`. */
void megatron_close(struct megatron_script *script, struct import *out);

/**
 * Reads nodes, GPUs and their kind from the first `words` of the command at `index`, what starts it, and the
 * scheduler's lines.
 */
void megatron_hardware(const struct megatron_script *script, size_t index, size_t words, const char *name,
                       struct import *out, struct errors *errors);

/** True if `flag` (with its dashes, without `=value`) is known; `arity` (may be NULL): 0, 1 or MEGATRON_SEVERAL. */
bool megatron_flag_known(const char *flag, int *arity);

/** The plan key that a flag sets, NULL if it sets none or several. */
const char *megatron_flag_key(const char *flag);

/** The `index`-th known flag without its dashes, NULL past the last: for finding the nearest name. */
const char *megatron_flag_name(size_t index);
