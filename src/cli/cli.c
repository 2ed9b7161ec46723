/* The program from its arguments to its exit status, and the plan that they ask for. */
#include "src/cli/cli.h"

#include "core/plan/param.h"
#include "src/cli/saving.h"
#include "src/cli/session.h"
#include "src/cli/slip.h"
#include "src/import/import.h"
#include "src/import/megatron.h"
#include "src/plan/offer.h"
#include "src/plan/plan_io.h"
#include "src/plan/preset.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/pager.h"
#include "src/text/text.h"
#include "src/text/write.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char program[] = "shardtop";

/* ---- the plan that is asked for --------------------------------------------------------------------------------- */

/* One file; a FIFO that was named is waited for. */
static int load_file(const char *name, struct plan *plan, struct plan_reading *reading, struct errors *errors)
{
    size_t size;
    if (!file_is_fifo(name))
        return plan_load(plan, name, reading, errors);
    char *text = file_read_waiting(name, &size, errors);
    int result = text ? plan_read(plan, text, size, name, reading, errors) : -1;
    free(text);
    return result;
}

/* What a script is read with. */
static struct import_options options_of(const struct cli *cli)
{
    return (struct import_options){.env = &cli->env, .use_env = cli->use_env, .command = cli->command};
}

/*
 * Files in order; those with sizes that follow the model are listed. The training script's own name between Megatron's
 * flags is passed over.
 */
static void load_files(const struct cli *cli, int count, struct plan *plan, struct cli_made *made,
                       struct keyvals *open, struct errors *errors)
{
    const char **path = made ? &made->path : NULL;
    for (int i = 0; i < count; i++) {
        struct plan_reading reading = {.kind = KIND_UNKNOWN, .unused = made ? &made->unused : NULL,
                                       .options = options_of(cli)};
        enum plan_kind *kind = &reading.kind;
        if (i == 0) {
            reading.options.argument = cli->arguments;
            reading.options.arguments = cli->argument_count;
        }
        if (cli->megatron_count && text_ends_with(cli->words[i], ".py"))
            continue;
        bool is_stream = strcmp(cli->words[i], "-") == 0 || file_is_fifo(cli->words[i]); /* nothing to save to */
        if (path && count == 1 && !is_stream)
            saving_note(cli->words[i]);
        int result = load_file(cli->words[i], plan, &reading, errors);
        if (reading.has_auto && !is_stream)
            keyvals_add(open, cli->words[i], "", 0);
        if (cli->verbose && result == 0)
            errors_note(errors, cli->words[i], 0, NULL, "is taken for %s",
                        *kind == KIND_UNKNOWN ? "the shipped plan of that name" : formats[*kind].what);
        if (path && count == 1 && *kind != KIND_UNKNOWN && !is_stream)
            *path = cli->words[i];
        if (made && result == 0)
            questions_join(&made->questions, &reading.questions);
        if (made && result == 0 && formats[*kind].read)
            made->foreign = cli->words[i];
        if (made && result == 0 && reading.asks_hardware)
            made->undecided = cli->words[i];
    }
}

static void load_session(const struct cli *cli, struct plan *plan, struct cli_made *made, struct errors *errors)
{
    struct plan saved;
    const struct session *session = session_named(cli->restore, errors);
    if (session && session_load(session, plan, &saved, made ? &made->questions : NULL, errors) == 0 && made &&
        *session->path)
        made->path = session->path;
}

static void apply_megatron(const struct cli *cli, struct plan *plan, struct cli_made *made, struct errors *errors)
{
    struct import import = {0};
    int *rest = xmalloc((size_t)cli->megatron_count * sizeof *rest + sizeof *rest);
    int left = megatron_arguments(cli->megatron_count, cli->megatron, &import, rest, errors);
    for (int i = 0; i < left; i++)
        errors_add(errors, program, 0, cli->megatron[rest[i]],
                   "is not an option or a value of one; see shardtop --help");
    if (!errors_any(errors))
        plan_apply_import(plan, &import, program, FROM_SET, errors);
    if (made) {
        questions_join(&made->questions, &import.questions);
        keyvals_join(&made->unused, &import.unused);
        made->foreign = program;
    }
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
    if (param_set_gpus(plan, text, why) != 0) {
        if (!slip_devices("--gpus", text, errors))
            errors_add(errors, program, 0, "--gpus", "%s", why);
    } else if (!isnan(nodes) && nodes != KEY_OF(plan, hardware, nodes)) {
        errors_add(errors, program, 0, "--gpus", "%s GPUs are %g nodes, hardware.nodes is set to %g; give one of them",
                   text, KEY_OF(plan, hardware, nodes), nodes);
    }
}

/* `--model`, `--set` and the like, as one list, so that a preset comes before the keys that change it. */
static void apply_settings(const struct cli *cli, struct plan *plan, struct errors *errors)
{
    struct keyvals list = {0};
    if (cli->model && plan_is_model_file(cli->model))
        plan_load_model(plan, cli->model, FROM_FILE, errors);
    else if (cli->model)
        keyvals_add(&list, "model", cli->model, 0);
    for (size_t i = 0; i < cli->settings.count; i++)
        if (!param_names_gpus(cli->settings.item[i].key))
            keyvals_add(&list, cli->settings.item[i].key, cli->settings.item[i].value, 0);
    const struct plan_source source = {
        .file = program, .from = FROM_SET, .is_last_wins = true, .is_typed = true, .has_steps = true};
    plan_apply(plan, &list, &source, errors);
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

int cli_plan(const struct cli *cli, struct plan *plan, struct cli_made *made, struct errors *errors)
{
    int files = cli->word_count - (cli->verb == VERB_EXPLAIN || cli->verb == VERB_WATCH); /* the last word is no plan */
    bool is_nothing =
        files <= 0 && !cli->restore && !cli->megatron_count && !cli->settings.count && !cli->model && !cli->gpus;
    size_t faults = errors->faults;
    struct keyvals open = {0};
    if (made)
        *made = (struct cli_made){.is_of_nothing = is_nothing};
    plan_clear(plan);
    if (is_nothing)
        plan_load_preset(plan, "default", errors);
    if (cli->restore)
        load_session(cli, plan, made, errors);
    load_files(cli, files, plan, made, &open, errors);
    if (cli->megatron_count)
        apply_megatron(cli, plan, made, errors);
    apply_settings(cli, plan, errors);
    settle_open(cli, &open, plan, errors);
    plan_finish(plan);
    if (gpus_of(cli))
        apply_gpus(cli, plan, errors);
    if (made)
        questions_finish(plan, made->foreign ? made->foreign : made->undecided, &made->questions);
    return errors->faults > faults ? -1 : 0;
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
        fprintf(stderr, "%s: and more faults; mend these first\n", program);
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
