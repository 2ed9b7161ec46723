/*
 * src/cli/docs/man.c - the pages, and shardtop(1): commands, options and the keys of the screen, from the program's own
 * tables.
 */
#include "src/cli/docs/man.h"

#include "core/base.h"
#include "src/cli/cli.h"
#include "src/cli/docs/help.h"
#include "src/cli/docs/mdoc.h"
#include "src/report/report.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "ui/ui.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One macro line: `.It Fl \-set Ar KEY=VALUE`. */
static void option_heading(struct buffer *out, const struct cli_option *option)
{
    buffer_puts(out, ".It ");
    if (option->letter)
        buffer_printf(out, "Fl %c , ", option->letter);
    buffer_puts(out, "Fl \\-");
    mdoc_text(out, option->name);
    if (option->argument)
        buffer_printf(out, " Ar %s", option->argument);
    buffer_puts(out, "\n");
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
        mdoc_sentence(out, cli_verbs[i].help);
        mdoc_prose(out, cli_verbs[i].more);
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
        mdoc_sentence(out, cli_options[i].help);
        if (strcmp(cli_options[i].name, "section") == 0) {
            buffer_puts(out, "One of ");
            list_sections(out);
            buffer_puts(out, ".\n");
        }
        write_option_verbs(out, &cli_options[i]);
    }
    buffer_puts(out, ".El\n.Pp\n"
                     "Flags of Megatron\\-LM are taken as they are.\n"
                     "Flags that do not change the estimate are listed once on standard error.\n"
                     "Any other unknown option is an error that suggests the closest match.\n");
}

/* ---- the page --------------------------------------------------------------------------------------------------- */

static const char describe[] =
    ".Sh DESCRIPTION\n"
    ".Nm\n"
    "estimates what training or serving a large language model needs on a cluster of GPUs: the memory of\n"
    "every pipeline stage, the traffic of every kind of parallelism, time and cost.\n"
    ".Pp\n"
    "Each\n"
    ".Ar FILE\n"
    "is a plan in YAML or JSON, a launch script or another program's configuration\n"
    "(see\n"
    ".Nm\n"
    ".Cm list formats ) ,\n"
    "recognised by its content.\n"
    "Several are applied from left to right;\n"
    ".Sq \\-\n"
    "is standard input.\n"
    "A shipped plan may be given by name.\n"
    "Unset keys take their defaults.\n"
    "Without any file or option, the shipped default plan is opened.\n";

static const char end[] =
    ".Sh ENVIRONMENT\n"
    ".Bl -tag -width XDG_CONFIG_HOME\n"
    ".It Ev NO_COLOR\n"
    "If set and not empty, disables colours unless\n"
    ".Fl \\-color Ar always\n"
    "is given.\n"
    ".It Ev PAGER\n"
    "The pager for output longer than the terminal; less by default, none if empty or cat.\n"
    ".It Ev TERM\n"
    "The terminal type.\n"
    ".It Ev XDG_CONFIG_HOME\n"
    "The folder of your own presets; ~/.config by default.\n"
    ".It Ev XDG_STATE_HOME\n"
    "The folder of unsaved plans; ~/.local/state by default.\n"
    ".El\n"
    ".Sh FILES\n"
    ".Bl -tag -width Ds\n"
    ".It Pa ~/.config/shardtop/models/NAME.yaml\n"
    "Your own models; likewise gpus, clusters, plans and themes.\n"
    "They override shipped presets of the same name.\n"
    ".It Pa ~/.config/shardtop/settings.yaml\n"
    "Startup options, confirmation on saving, and key bindings;\n"
    ".Cm list Ar settings\n"
    "prints all settings as such a file.\n"
    "Invalid settings are reported and ignored.\n"
    ".It Pa ~/.local/state/shardtop/sessions/\n"
    "Plans with unsaved changes, one file per session.\n"
    ".It Pa ~/.local/state/shardtop/lines\n"
    "The last two hundred command lines of the screen.\n"
    ".It Pa ~/.local/state/shardtop/unfinished/\n"
    "Journal of writes to files with several links; an interrupted write is completed at the next start.\n"
    ".El\n"
    ".Sh EXIT STATUS\n"
    ".Bl -tag -width Ds\n"
    ".It 0\n"
    "Done.\n"
    ".It 1\n"
    "The plan is valid but does not fit the memory of the device, or fits with a smaller probability than\n"
    ".Fl \\-sure\n"
    "asks for, as every plan that is called tight does\n"
    ".Pq Cm show Fl \\-check ,\n"
    "nothing is found\n"
    ".Pq Cm search ,\n"
    "or the file cannot carry every setting\n"
    ".Pq Cm export Fl \\-patch .\n"
    ".It 2\n"
    "Bad input or usage, no plan to check, or a plan that breaks a rule\n"
    ".Pq Cm show Fl \\-check .\n"
    ".It 3\n"
    "Whether the plan fits is unknown\n"
    ".Pq Cm show Fl \\-check ;\n"
    "an internal error, or the output could not be written.\n"
    ".El\n";

static void write_screen_key(void *context, const char *keys, const char *name, const char *help)
{
    struct buffer *out = context;
    buffer_puts(out, ".It Ic \\&"); /* a colon is a key, too */
    mdoc_text(out, keys);
    buffer_puts(out, "\n");
    mdoc_sentence(out, help);
    buffer_puts(out, "Command\n.Cm ");
    mdoc_text(out, name);
    buffer_puts(out, " .\n");
}

static void write_screen_command(void *context, const char *usage, const char *help, const char *example)
{
    struct buffer *out = context;
    buffer_puts(out, ".It Cm ");
    mdoc_text(out, usage);
    buffer_puts(out, "\\&\n"); /* a bracket or ! at the end is no punctuation */
    mdoc_sentence(out, help);
    buffer_puts(out, "Example:\n.Cm ");
    mdoc_text(out, example);
    buffer_puts(out, "\\& .\n");
}

static void write_screen(struct buffer *out)
{
    buffer_puts(out, ".Sh KEYS OF THE SCREEN\n"
                     "^S is Control-S; M- means Alt.\n"
                     "Type commands after a colon; line mode\n.Pq Fl \\-plain\naccepts them too.\n"
                     ".Bl -tag -width Ds\n");
    ui_keys(write_screen_key, out);
    buffer_puts(out, ".El\n.Sh COMMANDS OF THE SCREEN\n"
                     "Typed after a colon or in line mode.\n"
                     "Names may be shortened to a unique prefix.\n"
                     "Anything else sets keys, as in\n.Cm tp 4 pp 8 ,\nor selects a GPU, as in\n.Cm #37 .\n"
                     ".Bl -tag -width Ds\n");
    ui_commands(write_screen_command, out);
    buffer_puts(out, ".El\n");
}

/* A command as it is typed, indented. */
static void write_example(struct buffer *out, const char *command)
{
    buffer_puts(out, ".Pp\n.Dl ");
    mdoc_text(out, command);
    buffer_puts(out, "\n");
}

static void write_examples(struct buffer *out)
{
    buffer_puts(out, ".Sh EXAMPLES\n");
    for (size_t i = 0; i < help_example_count; i++) {
        buffer_puts(out, i ? ".Pp\n" : "");
        mdoc_sentence(out, help_examples[i].purpose);
        write_example(out, help_examples[i].command);
    }
}

static void write_program(struct buffer *out)
{
    write_synopsis(out);
    buffer_puts(out, describe);
    buffer_puts(out, ".Pp\nCommands:\n");
    write_verbs(out);
    write_options(out);
    write_screen(out);
    buffer_puts(out, end);
    write_examples(out);
    buffer_puts(out, ".Sh DIAGNOSTICS\n"
                     "Errors are written to standard error as FILE:LINE: KEY: what is wrong; what to do.\n");
}

static const struct man_page program = {
    .name = "shardtop", .section = 1, .about = "estimate memory, communication and time of LLM training",
    .others = {"shardtop-json 5", "shardtop-lesson 5", "shardtop-plan 5", NULL}, .write = write_program,
};

/* ---- the pages -------------------------------------------------------------------------------------------------- */

const char *const man_pages[] = {"shardtop", "plan", "json", "lesson", "accuracy", "add-gpu-or-model",
                                 "calibrate", "formats", "python", "scripts", "troubleshooting", NULL};

static void write_head(struct buffer *out, const struct man_page *page)
{
    char *title = xstrdup(page->name);
    for (char *at = title; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    buffer_printf(out, ".Dd November 28, 2026\n.Dt %s %d\n.Os\n.Sh NAME\n.Nm %s\n.Nd ", title, page->section,
                  page->name);
    mdoc_prose(out, page->about);
    free(title);
}

static void write_see_also(struct buffer *out, const char *const pages[])
{
    buffer_puts(out, ".Sh SEE ALSO\n");
    for (int i = 0; pages[i]; i++)
        buffer_printf(out, ".Xr %s%s\n", pages[i], pages[i + 1] ? " ," : "");
}

int man_write(struct buffer *out, const char *page, struct errors *errors)
{
    static const struct man_page *const all[] = {&program, &man_plan, &man_json, &man_lesson};
    for (size_t i = 0; i < LENGTH(all); i++)
        if (strcmp(page, man_pages[i]) == 0) {
            write_head(out, all[i]);
            all[i]->write(out);
            write_see_also(out, all[i]->others);
            return 0;
        }
    if (man_write_topic(out, page) == 0)
        return 0;
    struct buffer all_pages = {0};
    for (int i = 0; man_pages[i]; i++)
        buffer_printf(&all_pages, "%s%s", i ? ", " : "", man_pages[i]);
    errors_add(errors, "shardtop", 0, "man", "'%.40s' is not a page; use one of %s", page, all_pages.text);
    buffer_free(&all_pages);
    return -1;
}
