/* The program from its arguments to its exit status, and the plan that they ask for. */
#include "src/cli/cli.h"

#include "core/plan/param.h"
#include "src/cli/suggest.h"
#include "src/cli/verbs/verbs.h"
#include "src/import/import.h"
#include "src/import/megatron.h"
#include "src/plan/offer.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/pager.h"
#include "src/text/text.h"
#include "src/text/write.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char program[] = "shardtop";

/* ---- the plan that is asked for --------------------------------------------------------------------------------- */

/* A file that is read. */
struct input {
    const char *name;
    char *text;     /* when it is read already, else NULL */
    size_t size;
    bool is_only;   /* the plan can be saved to it again */
    bool is_first;
};

/* One file; a FIFO that was named is waited for. */
static int read_input(const struct input *input, struct plan *plan, struct plan_reading *reading, struct errors *errors)
{
    size_t size;
    if (input->text)
        return plan_read(plan, input->text, input->size, "standard input", reading, errors);
    if (!file_is_fifo(input->name))
        return plan_load(plan, input->name, reading, errors);
    char *text = file_read_waiting(input->name, &size, errors);
    int result = text ? plan_read(plan, text, size, input->name, reading, errors) : -1;
    free(text);
    return result;
}

/* How launch scripts are read. */
static struct import_options options_of(const struct cli *cli)
{
    return (struct import_options){.env = &cli->env, .use_env = cli->use_env, .command = cli->command};
}

bool cli_takes_arguments(enum plan_kind kind)
{
    return kind == KIND_MEGATRON || kind == KIND_SCRIPT || kind == KIND_KUBERNETES || kind == KIND_SKYPILOT ||
           kind == KIND_MCLI;
}

/* Keeps what is known of a file that was read; `is_saved`: saving may go to it. */
static void note_input(const struct input *input, const struct plan_reading *reading, bool is_saved,
                       struct cli_made *made)
{
    questions_join(&made->questions, &reading->questions);
    made->commands = reading->commands > 1 ? reading->commands : made->commands;
    if (reading->figures.line > 0)
        made->figures = reading->figures;
    if (is_saved && reading->kind != KIND_UNKNOWN)
        made->path = input->name;
    if (formats[reading->kind].read)
        made->foreign = input->name;
    if (reading->asks_hardware)
        made->undecided = input->name;
}

static void load_input(const struct cli *cli, const struct input *input, struct plan *plan, struct cli_made *made,
                       struct keyvals *open, struct errors *errors)
{
    struct plan_reading reading = {
        .kind = KIND_UNKNOWN, .unused = &made->unused, .options = options_of(cli)};
    reading.options.asked = &made->asked;
    bool is_stream = strcmp(input->name, "-") == 0 || file_is_fifo(input->name);
    bool is_saved = input->is_only && !is_stream;
    if (input->is_first) {
        reading.options.argument = cli->arguments;
        reading.options.arguments = cli->argument_count;
    }
    if (is_saved) {
        made->opened = input->name;
        made->opened_mark = file_mark(input->name);
    }
    int result = read_input(input, plan, &reading, errors);
    if (result == 0 && input->is_first && cli->argument_count && !cli_takes_arguments(reading.kind))
        errors_add(errors, program, 0, "--", "%s is %s and takes no arguments; put files before it",
                   input->name, formats[reading.kind].what);
    if (reading.has_auto && !is_stream)
        keyvals_add(open, input->name, "", 0);
    if (cli->verbose && result == 0)
        errors_note(errors, input->name, 0, NULL, "is read as %s",
                    reading.kind == KIND_UNKNOWN ? "the shipped plan of that name" : formats[reading.kind].what);
    if (result == 0)
        note_input(input, &reading, is_saved, made);
}

/* The training script's own name between Megatron's flags. */
static bool is_training_script(const struct cli *cli, const char *word)
{
    return cli->megatron_count && text_ends_with(word, ".py");
}

/* One of several files; counts those that give a model. */
static void load_next(const struct cli *cli, const struct input *input, struct plan *plan, struct cli_made *made,
                      struct keyvals *open, struct errors *errors)
{
    unsigned char *from = &plan->from[PARAM_model_num_layers], before = *from;
    *from = FROM_SET; /* as no file does */
    load_input(cli, input, plan, made, open, errors);
    made->models += *from != FROM_SET;
    *from = *from == FROM_SET ? before : *from;
}

/* Files in order; those with sizes that follow the model are listed. */
static void load_files(const struct cli *cli, int count, struct plan *plan, struct cli_made *made,
                       struct keyvals *open, struct errors *errors)
{
    for (int i = 0; i < count; i++)
        if (!is_training_script(cli, cli->words[i]))
            load_next(cli, &(struct input){.name = cli->words[i], .is_only = count == 1, .is_first = i == 0}, plan,
                      made, open, errors);
}

/* Reads a plan that is piped or redirected into a command that names none. Returns whether there is one. */
static bool load_piped(const struct cli *cli, struct plan *plan, struct cli_made *made, struct keyvals *open,
                       struct errors *errors)
{
    struct stat info;
    struct input input = {.name = "-", .is_first = true};
    bool is_busy = cli->no_stdin || cli->verb == VERB_WATCH || verb_opens_screen(cli);
    bool has_stdin =
        !is_busy && fstat(STDIN_FILENO, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISREG(info.st_mode));
    if (!has_stdin)
        return false;
    input.text = file_read(input.name, &input.size, errors);
    if (input.text && input.size > 0)
        load_input(cli, &input, plan, made, open, errors);
    bool is_empty = input.text && input.size == 0;
    free(input.text);
    return !is_empty;
}

static void load_session(const struct cli *cli, struct plan *plan, struct cli_made *made, struct errors *errors)
{
    struct plan saved;
    struct sessions *sessions = &made->sessions;
    if (!sessions->count)
        sessions_read(sessions);
    const struct session *session = session_named(sessions, cli->restore, errors);
    if (session && session_load(session, plan, &saved, &made->questions, errors) == 0 && *session->path)
        made->path = session->path;
}

/*
 * Megatron's flags. Without a plan they describe a whole run, with Megatron's defaults for the rest; on top of a plan
 * each sets its own key.
 */
static void apply_megatron(const struct cli *cli, bool is_change, struct plan *plan, struct cli_made *made,
                           struct errors *errors)
{
    struct plan resolved;
    struct import import = {.base = is_change ? &resolved : NULL, .is_change = is_change, .is_typed = true};
    plan_resolve(plan, &resolved);
    int *rest = xmalloc((size_t)cli->megatron_count * sizeof *rest + sizeof *rest);
    int left = megatron_arguments(cli->megatron_count, cli->megatron, &import, rest, errors);
    for (int i = 0; i < left; i++)
        errors_add(errors, program, 0, cli->megatron[rest[i]],
                   "is not an option or its value; see shardtop --help");
    import.base = NULL;
    if (is_change) {
        keyvals_free(&import.defaults);
        keyvals_free(&import.assumed);
        import.questions.count = 0;
    } else {
        made->foreign = program;
    }
    if (!errors_any(errors))
        plan_apply_import(plan, &import, program, FROM_SET, errors);
    questions_join(&made->questions, &import.questions);
    keyvals_join(&made->unused, &import.unused);
    free(rest);
    import_free(&import);
}

/* The number of GPUs that was typed last, `--set gpus=64` being `--gpus 64`; NULL for none. */
static const char *gpus_of(const struct cli *cli)
{
    const char *gpus = cli->gpus;
    for (size_t i = 0; i < cli->settings.count; i++)
        gpus = param_names_gpus(cli->settings.item[i].key) ? cli->settings.item[i].value : gpus;
    return gpus;
}

/* Whether a key is among what `--set` gives. */
static bool is_set(const struct cli *cli, enum param id)
{
    for (size_t i = 0; i < cli->settings.count; i++)
        if (param_find_alias(cli->settings.item[i].key) == (int)id)
            return true;
    return false;
}

/* A number of GPUs says how many nodes there are; who says that, too, means the same or is asked. */
static void apply_gpus(const struct cli *cli, struct plan *plan, struct errors *errors)
{
    char why[PARAM_WHY_MAX];
    const char *text = gpus_of(cli);
    double nodes = is_set(cli, PARAM_hardware_nodes) ? KEY_OF(plan, hardware, nodes) : (double)NAN;
    if (param_set_gpus(plan, text, nodes, why) != 0 && !refuse_devices("--gpus", text, errors))
        errors_add(errors, program, 0, "--gpus", "%s", why);
}

static bool is_model(const char *key)
{
    return strcmp(key, "model") == 0;
}

static const struct plan_source typed = {
    .file = program, .from = FROM_SET, .is_last_wins = true, .is_typed = true, .has_steps = true};

/* `--model` and `--set model=`, before all options that change single keys of the model. */
static void apply_model(const struct cli *cli, struct plan *plan, struct errors *errors)
{
    struct keyvals list = {0};
    if (cli->model && plan_is_model_file(cli->model))
        plan_load_model(plan, cli->model, FROM_FILE, errors);
    else if (cli->model)
        keyvals_add(&list, "model", cli->model, 0);
    for (size_t i = 0; i < cli->settings.count; i++)
        if (is_model(cli->settings.item[i].key))
            keyvals_add(&list, cli->settings.item[i].key, cli->settings.item[i].value, 0);
    plan_apply(plan, &list, &typed, errors);
    keyvals_free(&list);
}

/* `--set` and the like, as one list, so that a cluster comes before the keys that change it. */
static void apply_settings(const struct cli *cli, struct plan *plan, struct errors *errors)
{
    struct keyvals list = {0};
    for (size_t i = 0; i < cli->settings.count; i++)
        if (!param_names_gpus(cli->settings.item[i].key) && !is_model(cli->settings.item[i].key))
            keyvals_add(&list, cli->settings.item[i].key, cli->settings.item[i].value, 0);
    plan_apply(plan, &list, &typed, errors);
    keyvals_free(&list);
}

/* Sizes that follow the model, which is known by now. */
static void settle_open(const struct cli *cli, struct keyvals *open, struct plan *plan, struct errors *errors)
{
    const struct import_options options = options_of(cli);
    for (size_t i = 0; i < open->count; i++)
        plan_settle_auto(plan, open->item[i].key, &options, errors);
    keyvals_free(open);
}

/* Whether the command line names a plan or a model. */
static bool names_plan(const struct cli *cli, int files)
{
    for (int i = files; i-- > 0;)
        files -= is_training_script(cli, cli->words[i]);
    return files > 0 || cli->restore || cli->model || keyvals_last(&cli->settings, "model");
}

/* Whether Megatron's flags describe a model. */
static bool gives_model(const struct cli *cli)
{
    for (int i = 0; i < cli->megatron_count; i++)
        if (strncmp(cli->megatron[i], "--num-layers", strlen("--num-layers")) == 0)
            return true;
    return false;
}

/* Says which variables of --env changed nothing. */
static void note_unasked(const struct cli *cli, const struct cli_made *made, struct errors *errors)
{
    for (size_t i = 0; i < cli->env.count; i++) {
        const struct keyval *it = &cli->env.item[i];
        if (keyvals_last(&cli->env, it->key) == it && !keyvals_last(&made->asked, it->key))
            errors_note(errors, program, 0, "--env", "%.60s is read by no file, or set in the script itself", it->key);
    }
}

/* `watch LOG` needs no plan if LOG is a server's: it names the server's settings. */
static bool is_own_plan(const struct cli *cli)
{
    bool is_alone = cli->verb == VERB_WATCH && cli->word_count == 1;
    struct stat about;
    bool is_file = is_alone && stat(cli->words[0], &about) == 0 && S_ISREG(about.st_mode);
    int fd = is_file ? open(cli->words[0], O_RDONLY | O_CLOEXEC) : -1;
    bool is = fd >= 0 && plan_recognise_head(fd) == KIND_SERVER_LOG;
    if (fd >= 0)
        close(fd);
    return is;
}

static int make_plan(const struct cli *cli, struct plan *plan, struct cli_made *made, struct errors *errors)
{
    bool is_last_other = cli->verb == VERB_EXPLAIN || (cli->verb == VERB_WATCH && !is_own_plan(cli));
    int files = cli->word_count - is_last_other; /* the last word is not a plan file */
    size_t faults = errors->faults;
    struct keyvals open = {0};
    *made = (struct cli_made){0};
    plan_clear(plan);
    bool has_plan = names_plan(cli, files);
    made->is_piped = !has_plan && !gives_model(cli) && load_piped(cli, plan, made, &open, errors);
    made->is_of_nothing =
        !has_plan && !made->is_piped && !cli->megatron_count && !cli->settings.count && !cli->gpus;
    if (made->is_of_nothing)
        plan_load_preset(plan, "default", errors);
    if (cli->restore)
        load_session(cli, plan, made, errors);
    load_files(cli, files, plan, made, &open, errors);
    note_unasked(cli, made, errors);
    apply_model(cli, plan, errors);
    if (cli->megatron_count)
        apply_megatron(cli, has_plan || made->is_piped, plan, made, errors);
    apply_settings(cli, plan, errors);
    settle_open(cli, &open, plan, errors);
    plan_finish(plan);
    if (gpus_of(cli))
        apply_gpus(cli, plan, errors);
    questions_finish(plan, made->foreign ? made->foreign : made->undecided, &made->questions);
    return errors->faults > faults ? -1 : 0;
}

void cli_made_free(struct cli_made *made)
{
    keyvals_free(&made->unused);
    keyvals_free(&made->asked);
    sessions_free(&made->sessions);
}

int cli_plan(const struct cli *cli, struct plan *plan, struct cli_made *made, struct errors *errors)
{
    struct cli_made own;
    int result = make_plan(cli, plan, made ? made : &own, errors);
    if (!made)
        cli_made_free(&own);
    return result;
}

/* ---- what is printed -------------------------------------------------------------------------------------------- */

int cli_print(const struct buffer *out, struct errors *errors)
{
    if (fwrite(out->text, 1, out->size, stdout) == out->size && fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_DONE;
    errors_add(errors, "standard output", 0, NULL, "cannot be written: %s; check the disk or the pipe",
               strerror(errno));
    return STATUS_INTERNAL;
}

/* Writes what a verb printed to standard output or to `-o FILE`. */
static int put_output(const struct cli *cli, const struct buffer *out, struct errors *errors)
{
    enum { AS_TOOLS_DO = WRITE_DURABLE | WRITE_PATIENT };
    if (!cli->output && cli->verb != VERB_SCREEN && pager_shows(out->text, out->size))
        return STATUS_DONE;
    if (!cli->output || strcmp(cli->output, "-") == 0)
        return cli_print(out, errors);
    return write_file(cli->output, out->text, out->size, AS_TOOLS_DO, errors) == 0 ? STATUS_DONE : STATUS_INTERNAL;
}

void cli_print_errors(const struct cli *cli, const struct errors *errors)
{
    if (cli->quiet && !errors_any(errors))
        return;
    for (size_t i = 0; i < errors->count; i++)
        fprintf(stderr, "%s\n", errors->line[i]);
    if (errors->faults > ERRORS_MAX)
        fprintf(stderr, "%s: more errors follow; fix these first\n", program);
}

int cli_run(int argc, char **argv)
{
    struct cli cli = {0};
    struct errors errors = {0};
    struct buffer out = {0};
    int status = cli_parse(&cli, argc, argv, &errors) == 0 ? cli_run_verb(&cli, &out, &errors) : STATUS_INPUT;
    if (out.size > 0 && (status != STATUS_INTERNAL || !errors_any(&errors))) {
        int written = put_output(&cli, &out, &errors);
        status = written == STATUS_DONE ? status : written;
    }
    cli_print_errors(&cli, &errors);
    buffer_free(&out);
    errors_free(&errors);
    cli_free(&cli);
    return status;
}
