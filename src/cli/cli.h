/* src/cli/cli.h - the command line: verbs and options as tables, read into one struct, and the program's verbs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/plan/question.h"
#include "src/cli/session/session.h"
#include "src/import/recognise.h"
#include "src/report/report.h"
#include "src/text/comment.h"
#include "src/text/file.h"
#include "src/text/keyval.h"

struct cli;

enum cli_verb_id {
    VERB_SCREEN, VERB_SHOW, VERB_EXPLAIN, VERB_IMPORT, VERB_EXPORT, VERB_SEARCH, VERB_COMPARE, VERB_ADVICE, VERB_GOAL,
    VERB_FIND, VERB_SWEEP, VERB_BATCH, VERB_VALIDATE, VERB_CALIBRATE, VERB_WATCH, VERB_LESSON, VERB_EXERCISE,
    VERB_GLOSSARY, VERB_LIST, VERB_SCHEMA, VERB_MAN, VERB_COMPLETION, VERB_HELP, VERB_COUNT
};

/** Exit statuses. */
enum { STATUS_DONE, STATUS_UNFIT, STATUS_INPUT, STATUS_INTERNAL, STATUS_UNKNOWN = STATUS_INTERNAL };

/** Runs a command: fills `out`, returns the exit status. */
typedef int cli_verb_run(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors);

/** One verb; the first has no name: it is what runs without one. */
struct cli_verb {
    const char *name;      /* "" for the screen */
    const char *arguments; /* as the usage line writes them */
    const char *help;      /* one line */
    const char *more;      /* for the manual page */
    cli_verb_run *run;
    bool takes_plan;       /* the files and options make a plan, which `run` gets; else that is NULL */
};

/** Where the words for an option's argument come from, for completion. */
enum cli_words {
    WORDS_NONE, WORDS_FILE, WORDS_CHOICES, WORDS_MODELS, WORDS_GPUS, WORDS_THEMES, WORDS_FRAMEWORKS, WORDS_KEYS,
    WORDS_SECTIONS, WORDS_ESTIMATORS, WORDS_EXPORTS
};

/** One option. */
struct cli_option {
    const char *name;     /* without dashes */
    char letter;          /* 0 for none */
    const char *argument; /* "KEY=VALUE"; NULL for a switch */
    const char *help;
    unsigned verbs;       /* bit set of enum cli_verb_id */
    enum cli_words words;
    const char *choices;  /* "auto always never", or NULL */
    size_t slot;          /* member of struct cli that gets the argument, or true, when there is no `take` */
    void (*take)(struct cli *cli, const char *argument, struct errors *errors);
};

extern const struct cli_verb cli_verbs[VERB_COUNT];
extern const struct cli_option cli_options[];
extern const size_t cli_option_count;

enum cli_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

/** What is known of a plan beside its values. */
struct cli_made {
    const char *path;           /* the file that it can be saved to again, NULL for none */
    const char *foreign;        /* the last file of another program that it was read from, NULL for none */
    const char *undecided;      /* the last plan that says that its GPUs were left open, NULL for none */
    struct questions questions; /* what these files left open */
    struct keyvals unused;      /* their settings that change nothing */
    struct keyvals asked;       /* the variables of --env that they read */
    struct comment_figures figures; /* what a comment of the last one that has figures states; line 0 for none */
    const char *opened;         /* the file of a plan of one file, and what it was when it was read; or NULL */
    struct file_mark opened_mark;
    struct sessions sessions;   /* what was kept by earlier runs, where --restore asks for it */
    int commands;               /* that run training, where a script has several and none was chosen */
    int models;                 /* files that give a model */
    bool is_of_nothing;         /* the command line names no plan and no part of one */
    bool is_piped;              /* no file was named and standard input was read */
};

/** A command line, read; zero-initialise, release with cli_free(). Texts point into argv. */
struct cli {
    enum cli_verb_id verb;
    char **words; /* what is no option: files, a value, a list's name */
    int word_count;
    struct keyvals settings; /* --set, --gpu, --framework in order */
    char **megatron;         /* Megatron's flags with their values */
    int megatron_count;
    const char *restore; /* of --restore: "" lists, else a number or a name; NULL without */
    const char *model, *gpus, *frameworks, *output, *theme, *term, *keys, *tags, *by, *estimator, *to, *objective,
        *models, *metric;
    /* of goals: which one, and its figures as they were typed; NULL without */
    const char *goal, *tokens, *days, *users, *context, *ms_per_token, *first_token;
    const char *patch; /* the file that `--patch` changes */
    /* what a search may change, and its limits */
    const char *free, *keep, *nodes, *max_memory, *headroom, *fit, *schedules, *deadline, *tokens_per_s;
    const char *lesson, *step; /* of the screen and its first step, NULL without */
    bool no_progress, handout, answers, key; /* of lessons and exercises: keep nothing; on paper; with answers */
    bool is_new;                             /* of lessons: print one to write */
    const char *record;                      /* the file of a lesson that the screen writes, or NULL */
    const char *seed, *count, *kind, *level, *sheet, *grade; /* of exercises, NULL without */
    struct keyvals values;   /* of --values in order */
    struct keyvals where;    /* conditions of --where, as keys */
    struct cli_made made;    /* set when the plan is made */
    struct keyvals env;      /* --env: variables of launch scripts */
    char **arguments;        /* of the script before `--`: the words behind it */
    int argument_count;
    bool use_env;
    bool no_stdin;           /* nothing is read from standard input: somebody completes a word */
    int command;             /* of a script, from 1; 0: the first */
    struct report_options report;
    enum cli_color color;
    int width, height; /* of --screen, 0 without */
    int top;           /* of --top, 0 without */
    int threads;       /* of --threads, 0 without */
    double sure;       /* of --sure, a probability; 0 without */
    bool apply, check, strict, once, json, yaml, svg, html, trace, ranking, ranges, estimators, follow, best,
        tp_in_node, no_mouse, present, slow, quiet, verbose, plain, help, version;
};

/** Whether files of this kind run commands, which take arguments. */
bool cli_takes_arguments(enum plan_kind kind);

/** Releases what a plan's making kept. */
void cli_made_free(struct cli_made *made);

/** Reads the command line. Returns 0, or -1 with every fault added. */
int cli_parse(struct cli *cli, int argc, char **argv, struct errors *errors);

/**
 * The plan that the command line asks for: files from left to right, or what is piped into standard input where
 * nothing names a plan; Megatron's flags; then `--model`, `--set` and the like. With none of these it is the shipped
 * default plan. `made` (may be NULL) gets what is known beside it.
 * Returns 0, or -1 with faults added.
 */
int cli_plan(const struct cli *cli, struct plan *plan, struct cli_made *made, struct errors *errors);

/** What the command line asks for: fills `out`, returns the exit status. */
int cli_run_verb(struct cli *cli, struct buffer *out, struct errors *errors);

/**
 * Opens the screen over a plan, drawn as text into `out` with --screen; in the lesson that `cli->lesson` names. Returns
 * the exit status.
 */
int cli_screen(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors);

/** Prints to standard output. Returns STATUS_DONE or, with a fault added, STATUS_INTERNAL. */
int cli_print(const struct buffer *out, struct errors *errors);

/** Prints faults and, unless `--quiet`, remarks to standard error. */
void cli_print_errors(const struct cli *cli, const struct errors *errors);

void cli_free(struct cli *cli);

/** The whole program: returns its exit status. */
int cli_run(int argc, char **argv);
