#include "src/cli/completion.h"

#include <stdlib.h>
#include <string.h>

#include "core/base.h"
#include "core/plan/param.h"
#include "core/reference/reference.h"
#include "src/cli/cli.h"
#include "src/cli/list.h"
#include "src/export/export.h"
#include "src/report/report.h"
#include "src/text/errors.h"
#include "src/text/text.h"

/* ---- words --------------------------------------------------------------------------------------------------------- */

/* The command that prints the words for an option's argument when the user completes; NULL when they are fixed. */
static const char *command_of(enum cli_words words)
{
    switch (words) {
    case WORDS_MODELS: return "shardtop list models";
    case WORDS_GPUS: return "shardtop list gpus";
    case WORDS_THEMES: return "shardtop list themes";
    default: return NULL;
    }
}

/* Appends the fixed words for an option's argument, each followed by `after`. */
static void put_words(struct buffer *out, const struct cli_option *option, const char *after)
{
    switch (option->words) {
    case WORDS_CHOICES: {
        char *copy = xstrdup(option->choices);
        for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
            buffer_printf(out, "%s%s", word, after);
        free(copy);
        break;
    }
    case WORDS_FRAMEWORKS:
        for (int i = 0; param_rows[PARAM_framework_name].choices[i]; i++)
            buffer_printf(out, "%s%s", param_rows[PARAM_framework_name].choices[i], after);
        break;
    case WORDS_ESTIMATORS:
        buffer_printf(out, "shardtop%s", after);
        for (int i = 0; i < REFERENCE_COUNT; i++)
            buffer_printf(out, "%s%s", reference_rows[i].name, after);
        break;
    case WORDS_EXPORTS:
        for (int i = 0; export_names[i]; i++)
            buffer_printf(out, "%s%s", export_names[i], after);
        break;
    case WORDS_SECTIONS:
        for (int i = 0; i < SECTION_COUNT; i++)
            buffer_printf(out, "%s%s", report_section_names[i], after);
        break;
    case WORDS_KEYS:
        for (int i = 0; i < PARAM_COUNT; i++)
            buffer_printf(out, "%s=%s", param_rows[i].dotted, after);
        break;
    default:
        break;
    }
}

static void put_verbs(struct buffer *out)
{
    for (int i = VERB_SCREEN + 1; i < VERB_COUNT; i++)
        buffer_printf(out, "%s ", cli_verbs[i].name);
}

static void put_lists(struct buffer *out)
{
    for (int i = 0; list_names[i]; i++)
        buffer_printf(out, "%s ", list_names[i]);
}

/* The command that leaves the first column of a list without its heading. */
#define FIRST_COLUMN " 2>/dev/null | awk 'NR > 1 {print $1}'"

/* ---- bash ---------------------------------------------------------------------------------------------------------- */

static void bash_option(struct buffer *out, const struct cli_option *option)
{
    if (!option->argument)
        return;
    buffer_printf(out, "    --%s", option->name);
    if (option->letter)
        buffer_printf(out, "|-%c", option->letter);
    buffer_puts(out, ") ");
    if (command_of(option->words))
        buffer_printf(out, "COMPREPLY=($(compgen -W \"$(%s" FIRST_COLUMN ")\" -- \"$cur\"))",
                      command_of(option->words));
    else if (option->words == WORDS_FILE)
        buffer_puts(out, "COMPREPLY=($(compgen -f -- \"$cur\"))");
    else {
        buffer_puts(out, "COMPREPLY=($(compgen -W \"");
        put_words(out, option, " ");
        buffer_puts(out, "\" -- \"$cur\"))");
        if (option->words == WORDS_KEYS)
            buffer_puts(out, "; compopt -o nospace");
    }
    buffer_puts(out, "; return ;;\n");
}

static void write_bash(struct buffer *out)
{
    buffer_puts(out, "# bash completion for shardtop; load it with: source <(shardtop completion bash)\n"
                     "_shardtop() {\n"
                     "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                     "    case $prev in\n");
    for (size_t i = 0; i < cli_option_count; i++)
        bash_option(out, &cli_options[i]);
    buffer_puts(out, "    list) COMPREPLY=($(compgen -W \"");
    put_lists(out);
    buffer_puts(out, "\" -- \"$cur\")); return ;;\n"
                     "    completion) COMPREPLY=($(compgen -W \"bash zsh fish\" -- \"$cur\")); return ;;\n"
                     "    help) COMPREPLY=($(compgen -W \"");
    put_verbs(out);
    buffer_puts(out, "\" -- \"$cur\")); return ;;\n"
                     "    esac\n"
                     "    if [[ $cur == -* ]]; then\n"
                     "        COMPREPLY=($(compgen -W \"");
    for (size_t i = 0; i < cli_option_count; i++)
        buffer_printf(out, "--%s ", cli_options[i].name);
    buffer_puts(out, "\" -- \"$cur\"))\n"
                     "        return\n"
                     "    fi\n"
                     "    COMPREPLY=($(compgen -f -- \"$cur\"))\n"
                     "    if [[ $COMP_CWORD == 1 ]]; then\n"
                     "        COMPREPLY+=($(compgen -W \"");
    put_verbs(out);
    buffer_puts(out, "\" -- \"$cur\"))\n"
                     "    fi\n"
                     "}\n"
                     "complete -o filenames -F _shardtop shardtop\n");
}

/* ---- zsh ----------------------------------------------------------------------------------------------------------- */

/* Appends text for a single-quoted zsh or fish word; `bracket` escapes what _arguments would read. */
static void quoted(struct buffer *out, const char *text, bool bracket)
{
    for (; *text; text++) {
        if (*text == '\'')
            buffer_puts(out, "'\\''");
        else if (bracket && strchr("[]:\\", *text))
            buffer_printf(out, "\\%c", *text);
        else
            buffer_add(out, text, 1);
    }
}

static void zsh_option(struct buffer *out, const struct cli_option *option)
{
    bool is_repeated = strcmp(option->name, "set") == 0;
    buffer_printf(out, "        '%s--%s%s[", is_repeated ? "*" : "", option->name, option->argument ? "=" : "");
    quoted(out, option->help, true);
    buffer_puts(out, "]");
    if (option->argument) {
        buffer_puts(out, ":");
        quoted(out, option->argument, true);
        if (option->words == WORDS_FILE)
            buffer_puts(out, ":_files");
        else if (command_of(option->words))
            buffer_printf(out, ":_shardtop_list \"%s\"", command_of(option->words));
        else if (option->words == WORDS_NONE)
            buffer_puts(out, ": ");
        else {
            buffer_puts(out, ":(");
            put_words(out, option, " ");
            buffer_puts(out, ")");
        }
    }
    buffer_puts(out, "' \\\n");
}

static void write_zsh(struct buffer *out)
{
    buffer_puts(out, "#compdef shardtop\n"
                     "# zsh completion for shardtop; save it as _shardtop in a folder of $fpath\n"
                     "_shardtop_list() {\n"
                     "    local -a words\n"
                     "    words=(${(f)\"$(eval $1" FIRST_COLUMN ")\"})\n"
                     "    compadd -a words\n"
                     "}\n"
                     "_shardtop_first() {\n"
                     "    local -a verbs\n"
                     "    verbs=(\n");
    for (int i = VERB_SCREEN + 1; i < VERB_COUNT; i++) {
        buffer_printf(out, "        '%s:", cli_verbs[i].name);
        quoted(out, cli_verbs[i].help, true);
        buffer_puts(out, "'\n");
    }
    buffer_puts(out, "    )\n"
                     "    _describe -t commands command verbs\n"
                     "    _files\n"
                     "}\n"
                     "_shardtop_rest() {\n"
                     "    case $words[2] in\n"
                     "    list) compadd ");
    put_lists(out);
    buffer_puts(out, ";;\n"
                     "    completion) compadd bash zsh fish ;;\n"
                     "    help) compadd ");
    put_verbs(out);
    buffer_puts(out, ";;\n"
                     "    *) _files ;;\n"
                     "    esac\n"
                     "}\n"
                     "_shardtop() {\n"
                     "    _arguments \\\n");
    for (size_t i = 0; i < cli_option_count; i++)
        zsh_option(out, &cli_options[i]);
    buffer_puts(out, "        '1: :_shardtop_first' \\\n"
                     "        '*: :_shardtop_rest'\n"
                     "}\n"
                     "_shardtop \"$@\"\n");
}

/* ---- fish ---------------------------------------------------------------------------------------------------------- */

static void fish_option(struct buffer *out, const struct cli_option *option)
{
    buffer_printf(out, "complete -c shardtop -l %s", option->name);
    if (option->letter)
        buffer_printf(out, " -s %c", option->letter);
    if (option->argument)
        buffer_puts(out, option->words == WORDS_FILE || option->words == WORDS_MODELS ? " -r" : " -x");
    if (command_of(option->words)) {
        buffer_printf(out, " -a '(%s 2>/dev/null | string match -r \"^\\\\S+\")'", command_of(option->words));
    } else if (option->argument && option->words != WORDS_NONE && option->words != WORDS_FILE) {
        buffer_puts(out, " -a '");
        put_words(out, option, " ");
        buffer_puts(out, "'");
    }
    buffer_puts(out, " -d '");
    for (const char *p = option->help; *p; p++)
        buffer_printf(out, *p == '\'' || *p == '\\' ? "\\%c" : "%c", *p);
    buffer_puts(out, "'\n");
}

static void write_fish(struct buffer *out)
{
    buffer_puts(out, "# fish completion for shardtop; load it with: shardtop completion fish | source\n");
    for (int i = VERB_SCREEN + 1; i < VERB_COUNT; i++)
        buffer_printf(out, "complete -c shardtop -n __fish_use_subcommand -a %s -d '%s'\n", cli_verbs[i].name,
                      cli_verbs[i].help);
    buffer_puts(out, "complete -c shardtop -n '__fish_seen_subcommand_from list' -f -a '");
    put_lists(out);
    buffer_puts(out, "'\ncomplete -c shardtop -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n"
                     "complete -c shardtop -n '__fish_seen_subcommand_from help' -f -a '");
    put_verbs(out);
    buffer_puts(out, "'\n");
    for (size_t i = 0; i < cli_option_count; i++)
        fish_option(out, &cli_options[i]);
}

int completion_write(struct buffer *out, const char *shell, struct errors *errors)
{
    static const struct {
        const char *name;
        void (*write)(struct buffer *out);
    } shells[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};
    for (size_t i = 0; i < LENGTH(shells); i++)
        if (strcmp(shell, shells[i].name) == 0) {
            shells[i].write(out);
            return 0;
        }
    errors_add(errors, "shardtop", 0, "completion", "'%.40s' is not a shell known here; use bash, zsh or fish", shell);
    return -1;
}
