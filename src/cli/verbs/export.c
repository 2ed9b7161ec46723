/* `shardtop import` and `shardtop export`: a plan as YAML, or in the format of a framework. */
#include "src/cli/verbs/verbs.h"

#include "core/estimate/estimate.h"
#include "core/plan/param.h"
#include "src/cli/session/reading.h"
#include "src/cli/verbs/patch.h"
#include "src/export/export.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/text.h"

#include <stdlib.h>
#include <string.h>

static const char program[] = "shardtop";

int verb_import(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    (void)errors;
    plan_emit(out, plan, &cli->made.questions,
              "A plan for shardtop; unset keys take the framework's defaults.");
    return STATUS_DONE;
}


/* Where a key was given: the last file that has it, and the line; the program where none does, or a stream may. */
static int place_of(const struct cli *cli, enum param key, const char **file)
{
    for (int i = cli->word_count; i-- > 0 && strcmp(cli->words[i], "-") != 0 && !file_is_fifo(cli->words[i]);) {
        struct reading reading = {0};
        verb_read_again(cli, cli->words[i], &reading);
        int line = reading_line_of(&reading, key);
        reading_free(&reading);
        if (line > 0)
            return *file = cli->words[i], line;
    }
    *file = program;
    return 0;
}

/* A refusal of today's framework that a patch does not bring about: the file runs with the version that it is for. */
static bool is_of_file(const struct cli *cli, const struct plan *plan, const struct diag *it)
{
    return cli->patch && it->level != DIAG_ERROR && plan->from[it->param] != FROM_SET;
}

/* Adds what keeps the plan from starting, with the line of each key. Returns how many faults there are. */
static int say_faults(const struct cli *cli, const struct plan *plan, bool is_model, struct errors *errors)
{
    struct estimate *e = xmalloc(sizeof *e);
    int faults = 0;
    estimate_plan(plan, e);
    for (int i = 0; i < e->diags.count; i++) {
        const struct diag *it = &e->diags.item[i];
        const char *file = program;
        if ((it->level != DIAG_ERROR && !(it->is_refused && !is_model)) || it->is_missing ||
            is_of_file(cli, plan, it) || (is_model && param_rows[it->param].group_id != GROUP_model))
            continue;
        faults++;
        int line = plan->from[it->param] == FROM_FILE ? place_of(cli, (enum param)it->param, &file) : 0;
        errors_add(errors, file, line, param_rows[it->param].dotted, "%s", finding_text(it).text);
    }
    free(e);
    return faults;
}

int verb_export(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    struct plan resolved;
    if (cli->patch && say_faults(cli, plan, false, errors) > 0) {
        errors_add(errors, program, 0, "--patch",
                   "no framework would start with this plan, so nothing is changed; see `shardtop show`");
        return STATUS_INPUT;
    }
    if (cli->patch)
        return patch_run(cli, plan, out, errors);
    static const char *const engines[ENGINE_COUNT] = {"vllm", "vllm", "sglang", "trtllm"};
    plan_resolve(plan, &resolved);
    bool is_serving = resolved.value[PARAM_plan_workload] == WORKLOAD_INFERENCE;
    const char *to = cli->to      ? cli->to
                     : is_serving ? engines[(int)resolved.value[PARAM_serve_engine]]
                                  : NULL;
    const struct export_format *format = to ? export_find(to) : NULL;
    if (!format) {
        struct buffer names = {0};
        for (int i = 0; export_names[i]; i++)
            buffer_printf(&names, "%s%s", i ? ", " : "", export_names[i]);
        errors_add(errors, program, 0, "--to", "%s%.40s%s; use one of %s", cli->to ? "'" : "",
                   cli->to ? cli->to : "is not given", cli->to ? "' is not an export format" : "",
                   names.text);
        buffer_free(&names);
        return STATUS_INPUT;
    }
    if (say_faults(cli, plan, strcmp(to, "hf") == 0 /* it has nothing else */, errors) > 0) {
        errors_add(errors, program, 0, "--to",
                   "no framework would start with this plan, so nothing is written; see `shardtop show`");
        return STATUS_INPUT;
    }
    return export_plan(format, plan, &resolved, out, errors) == 0 ? STATUS_DONE : STATUS_INPUT;
}
