/* `shardtop validate` and `shardtop calibrate`: tables and logs of measured runs. */
#include "src/cli/verbs/verbs.h"

#include "src/runs/calibrate.h"
#include "src/runs/validate.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <stdio.h>
#include <string.h>

static const char program[] = "shardtop";

/* Prints what is there so far; a fault shows when the rest is printed. */
static void spill(struct buffer *out)
{
    fwrite(out->text, 1, out->size, stdout);
    buffer_free(out);
}

int verb_runs(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors)
{
    (void)plan;
    const char *const *files = (const char *const *)cli->words;
    size_t count = (size_t)cli->word_count;
    struct report_options report = cli->report;
    report.color = verb_has_color(cli);
    if (count == 0) {
        errors_add(errors, program, 0, cli_verbs[cli->verb].name, "has no runs; write shardtop %s %s",
                   cli_verbs[cli->verb].name, cli_verbs[cli->verb].arguments);
        return STATUS_INPUT;
    }
    if (cli->verb == VERB_CALIBRATE)
        return calibrate_run(&(struct calibrate_request){.files = files,
                                                         .file_count = count,
                                                         .settings = &cli->settings,
                                                         .tags = cli->tags,
                                                         .out = out,
                                                         .errors = errors});
    return validate_run(&(struct validate_request){
        .files = files, .file_count = count, .settings = &cli->settings, .tags = cli->tags, .by = cli->by,
        .ranking = cli->ranking, .ranges = cli->ranges, .report = report, .out = out,
        .spill = !cli->output || strcmp(cli->output, "-") == 0 ? spill : NULL, .errors = errors});
}
