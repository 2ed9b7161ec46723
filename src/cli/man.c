#include "src/cli/man.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/plan/number.h"
#include "core/plan/param.h"
#include "src/cli/cli.h"
#include "src/cli/list.h"
#include "src/plan/reference_plan.h"
#include "src/report/report.h"
#include "src/text/text.h"

/* ---- mdoc ------------------------------------------------------------------------------------------------------------ */

/* Appends text for roff: backslashes and dashes escaped, and nothing at the start of a line that roff would obey. */
static void roff(struct buffer *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        buffer_puts(out, "\\&");
    for (; *text; text++) {
        if (*text == '\\' || *text == '-')
            buffer_puts(out, *text == '-' ? "\\-" : "\\e");
        else
            buffer_add(out, text, 1);
    }
}

/* Where a sentence of `text` ends. */
static size_t sentence_length(const char *text)
{
    size_t n = 0;
    while (text[n] && !(strchr(".?", text[n]) && text[n + 1] == ' ' && isupper((unsigned char)text[n + 2])))
        n++;
    return n + (text[n] != '\0');
}

/* Prose, each sentence on a line of its own as mdoc wants it. */
static void prose(struct buffer *out, const char *text)
{
    while (*text) {
        size_t n = sentence_length(text);
        char *sentence = xstrndup(text, n);
        roff(out, sentence);
        buffer_puts(out, "\n");
        free(sentence);
        text += n + strspn(text + n, " ");
    }
}

/* One macro line: `.It Fl \-set Ar KEY=VALUE`. */
static void option_heading(struct buffer *out, const struct cli_option *option)
{
    buffer_puts(out, ".It ");
    if (option->letter)
        buffer_printf(out, "Fl %c , ", option->letter);
    buffer_puts(out, "Fl \\-");
    roff(out, option->name);
    if (option->argument)
        buffer_printf(out, " Ar %s", option->argument);
    buffer_puts(out, "\n");
}

/* A sentence out of a help line: "print JSON" becomes "Print JSON." */
static void help_sentence(struct buffer *out, const char *help)
{
    char *text = xasprintf("%c%s.", toupper((unsigned char)help[0]), help + 1);
    prose(out, text);
    free(text);
}

static void write_synopsis(struct buffer *out)
{
    buffer_puts(out, ".Sh SYNOPSIS\n");
    for (int i = 0; i < VERB_COUNT; i++) {
        buffer_puts(out, ".Nm\n");
        if (cli_verbs[i].name[0])
            buffer_printf(out, ".Cm %s\n", cli_verbs[i].name);
        if (i != VERB_MAN && i != VERB_COMPLETION && i != VERB_HELP)
            buffer_puts(out, ".Op Ar option ...\n");
        if (cli_verbs[i].arguments[0])
            buffer_puts(out, ".Ar ");
        for (const char *c = cli_verbs[i].arguments; *c; c++) /* long lists of words may break after a bar */
            buffer_printf(out, i == VERB_LIST && *c == '|' ? "%c\\:" : "%c", *c);
        if (cli_verbs[i].arguments[0])
            buffer_puts(out, "\n");
    }
}

static void write_verbs(struct buffer *out)
{
    buffer_puts(out, ".Bl -tag -width completion\n");
    for (int i = 0; i < VERB_COUNT; i++) {
        buffer_printf(out, cli_verbs[i].name[0] ? ".It Cm %s\n" : ".It No (none%s)\n", cli_verbs[i].name);
        help_sentence(out, cli_verbs[i].help);
        prose(out, cli_verbs[i].more);
    }
    buffer_puts(out, ".El\n");
}

/* "show, explain": the verbs that an option goes with; "" when it goes with all. */
static void write_option_verbs(struct buffer *out, const struct cli_option *option)
{
    unsigned all = (1u << VERB_COUNT) - 1;
    if ((option->verbs & all) == all)
        return;
    buffer_puts(out, "With");
    const char *comma = "";
    for (int i = 0; i < VERB_COUNT; i++)
        if (option->verbs & 1u << i) {
            buffer_printf(out, "%s %s", comma, cli_verbs[i].name[0] ? cli_verbs[i].name : "the screen");
            comma = ",";
        }
    buffer_puts(out, ".\n");
}

/* "all, summary, ...": what --section takes. */
static void list_sections(struct buffer *out)
{
    for (int i = 0; i < SECTION_COUNT; i++)
        buffer_printf(out, "%s%s", i ? ", " : "", report_section_names[i]);
}

static void write_options(struct buffer *out)
{
    buffer_puts(out, ".Sh OPTIONS\n.Bl -tag -width Ds\n");
    for (size_t i = 0; i < cli_option_count; i++) {
        option_heading(out, &cli_options[i]);
        help_sentence(out, cli_options[i].help);
        if (strcmp(cli_options[i].name, "section") == 0) {
            buffer_puts(out, "One of ");
            list_sections(out);
            buffer_puts(out, ".\n");
        }
        write_option_verbs(out, &cli_options[i]);
    }
    buffer_puts(out, ".El\n.Pp\n"
                     "Flags of Megatron\\-LM are taken as they are.\n"
                     "Those that do not change the estimate are listed once on standard error.\n"
                     "Any other unknown option is an error that names the nearest known one.\n");
}

static void write_key(struct buffer *out, enum param id)
{
    const struct param_row *row = &param_rows[id];
    char text[512], low[40], high[40];
    buffer_puts(out, ".It Cm ");
    roff(out, row->dotted);
    buffer_puts(out, "\n");
    help_sentence(out, row->help);
    prose(out, row->more);
    if (param_type(id)->is_number) {
        number_print(row->min, low, sizeof low);
        number_print(row->max, high, sizeof high);
        buffer_printf(out, "From %s to %s%s%s.\n", low, high, *row->unit ? " " : "", row->unit);
    }
    for (int c = 0; row->choices && row->choices[c]; c++) {
        buffer_puts(out, c == 0 ? "One of " : row->choices[c + 1] ? ", " : " or ");
        roff(out, row->choices[c]);
        buffer_puts(out, row->choices[c + 1] ? "" : ".\n");
    }
    list_key_default(id, text, sizeof text);
    buffer_puts(out, "Default: ");
    roff(out, text);
    buffer_puts(out, ".\n");
}

static void write_keys(struct buffer *out)
{
    buffer_puts(out, ".Sh PLAN KEYS\n"
                     "A plan is a YAML mapping of groups, or the same as JSON.\n"
                     "A key may be shortened to its last part where that is unique.\n"
                     ".Cm model : Ar NAME\nand\n.Cm cluster : Ar NAME\n"
                     "stand for a whole group; keys beside them override.\n"
                     "A blank follows the framework.\n");
    for (int group = 0; group < GROUP_COUNT; group++) {
        buffer_printf(out, ".Ss %s\n.Bl -tag -width Ds\n",
                      group == GROUP_plan ? "the plan itself" : param_group_names[group]);
        for (int i = 0; i < PARAM_COUNT; i++)
            if ((int)param_rows[i].group_id == group)
                write_key(out, (enum param)i);
        buffer_puts(out, ".El\n");
    }
}

/* Text as it stands, one line each. */
static void literal(struct buffer *out, const char *text)
{
    buffer_puts(out, ".Bd -literal\n");
    while (*text) {
        size_t n = strcspn(text, "\n");
        char *line = xstrndup(text, n);
        roff(out, line);
        buffer_puts(out, "\n");
        free(line);
        text += n + (text[n] == '\n');
    }
    buffer_puts(out, ".Ed\n");
}

static void write_estimators(struct buffer *out)
{
    buffer_puts(out, ".Sh ESTIMATORS\n"
                     "With\n.Fl \\-estimator Ar NAME\n"
                     ".Cm show\nanswers as a published estimator does.\n"
                     "With\n.Cm llm\\-analysis\nthe summary is printed, and\n.Fl o Ar FILE\nhas its answer as JSON.\n"
                     "Each line below is an input of the estimator, the plan key that it is taken from, and how.\n");
    for (int id = 0; id < REFERENCE_COUNT; id++) {
        struct buffer text = {0};
        buffer_puts(out, ".Ss ");
        roff(out, reference_rows[id].name);
        buffer_puts(out, "\n");
        help_sentence(out, reference_rows[id].help);
        reference_plan_help(&text, (enum reference_id)id);
        literal(out, text.text);
        buffer_free(&text);
    }
}

static const char begin[] =
    ".Dd November 20, 2026\n"
    ".Dt SHARDTOP 1\n"
    ".Os\n"
    ".Sh NAME\n"
    ".Nm shardtop\n"
    ".Nd estimate memory, communication and time of LLM training\n";

static const char describe[] =
    ".Sh DESCRIPTION\n"
    ".Nm\n"
    "computes what the training of a large language model needs on a cluster of GPUs: memory of every pipeline stage,\n"
    "traffic of every kind of parallelism, and the time of a step.\n"
    ".Pp\n"
    "Each\n"
    ".Ar FILE\n"
    "is a plan in YAML or JSON, a launch script, YAML configuration or printed arguments of Megatron\\-LM, a Hugging Face\n"
    "config.json, a nanotron YAML or a DeepSpeed JSON, told apart by content.\n"
    "Several are applied from left to right;\n"
    ".Sq \\-\n"
    "is standard input, and the name of a shipped plan stands for that plan.\n"
    "A plan starts from the defaults of its keys; only when nothing at all is given is the shipped default plan opened.\n";

static const char end[] =
    ".Sh NUMBERS\n"
    "Numbers are read the same way everywhere: 4096, 4_096, 4*1024, 0.5, 1.5e12, 80GiB, 80GB, 8Ki, 400Gb/s.\n"
    "A suffix k, M, B or T means powers of 1024 for lengths and widths and powers of 1000 for amounts, and is refused\n"
    "elsewhere.\n"
    "GB is 10^9 bytes, GiB 2^30 bytes, gb_s 10^9 bytes a second.\n"
    "A number may be computed from other keys, as in parallel.dp=64/pp.\n"
    ".Sh ENVIRONMENT\n"
    ".Bl -tag -width XDG_CONFIG_HOME\n"
    ".It Ev NO_COLOR\n"
    "Where it is set and not empty, no colours are used unless\n"
    ".Fl \\-color Ar always\n"
    "asks for them.\n"
    ".It Ev TERM\n"
    "The terminal type of the screen.\n"
    ".It Ev XDG_CONFIG_HOME\n"
    "Where the user's own presets are looked for; ~/.config when unset.\n"
    ".It Ev XDG_STATE_HOME\n"
    "Where plans are kept that were not saved; ~/.local/state when unset.\n"
    ".El\n"
    ".Sh FILES\n"
    ".Bl -tag -width Ds\n"
    ".It Pa ~/.config/shardtop/models/NAME.yaml\n"
    "Own models; in the same way gpus, clusters, plans and themes.\n"
    "They add to the shipped ones and override those of the same name.\n"
    ".It Pa ~/.config/shardtop/settings.yaml\n"
    "How the screen starts, when saving asks, and which keys it has;\n"
    ".Cm list Ar settings\n"
    "prints them all as such a file.\n"
    "What is wrong in it is said and left out.\n"
    ".It Pa ~/.local/state/shardtop/sessions/\n"
    "Plans with changes that were not saved, one file for each run.\n"
    ".It Pa ~/.local/state/shardtop/unfinished/\n"
    "What is being written into files that have several names; a killed run's is completed at the next start.\n"
    ".El\n"
    ".Sh EXIT STATUS\n"
    ".Bl -tag -width Ds\n"
    ".It 0\n"
    "Done.\n"
    ".It 1\n"
    "The plan is valid but does not fit the memory of the device\n"
    ".Pq Cm show Fl \\-check ,\n"
    "or no depth fits\n"
    ".Pq Cm search .\n"
    ".It 2\n"
    "Bad input or usage, or a plan that breaks a rule\n"
    ".Pq Cm show Fl \\-check .\n"
    ".It 3\n"
    "Whether the plan fits is unknown\n"
    ".Pq Cm show Fl \\-check ;\n"
    "an internal error, or what was asked for could not be written.\n"
    ".El\n"
    ".Sh EXAMPLES\n"
    "Open a model on two nodes:\n"
    ".Pp\n"
    ".Dl shardtop \\-\\-model llama2\\-7b \\-\\-gpu h100\\-sxm\\-80 \\-\\-gpus 16 \\-\\-set tp=2\n"
    ".Pp\n"
    "Does a launch script fit?\n"
    ".Pp\n"
    ".Dl shardtop show \\-\\-check pretrain.sh\n"
    ".Pp\n"
    "Where does a number come from?\n"
    ".Pp\n"
    ".Dl shardtop explain plan.yaml iteration_s\n"
    ".Sh DIAGNOSTICS\n"
    "Errors are written to standard error as FILE:LINE: KEY: what is wrong; what to do.\n";

void man_write(struct buffer *out)
{
    buffer_puts(out, begin);
    write_synopsis(out);
    buffer_puts(out, describe);
    buffer_puts(out, ".Pp\nThe first word says what to do:\n");
    write_verbs(out);
    write_options(out);
    write_keys(out);
    write_estimators(out);
    buffer_puts(out, end);
}
