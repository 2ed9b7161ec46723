/*
 * shardtop - estimates memory, communication and time of the training of large language models.
 *
 * A map of the tree, in the order in which a plan travels; each folder's first header says the rest:
 *
 *   src/cli/         the command line: options as a table; verbs/ a file a command, docs/ help, manual, completion and
 *                    schema, session/ what the screen needs of files: saving, settings, lessons
 *   src/lib/         libshardtop: the same answers as calls
 *   src/plan/        files and settings to a plan, and back; presets by name
 *   src/import/      foreign files to settings; src/shell/ reads launch scripts without running them
 *   core/plan/       what a plan is: one row for each key, defaults, rules, the split of layers, frameworks
 *   core/estimate/   everything that follows from a plan: sheets of formulas (.def) and what evaluates them
 *   core/explain/    opens a number: the same formulas as text, with values
 *   core/reference/  the published estimators, each as it computes
 *   core/search/     searches over plans
 *   core/show/       what is shown of a result, and how numbers are written
 *   src/report/      the result as text, CSV, Markdown, JSON and SVG
 *   src/export/      a plan as launch flags or as a configuration of a framework
 *   src/course/      lessons and exercises: steps with plans, notes filled in from results, questions, tasks
 *   src/runs/        measured runs against estimates
 *   src/text/        files, faults, YAML, JSON, CSV
 *   ui/              the interactive screen: term/ the terminal and its cells, widget/ what is drawn from cells, state/
 *                    the plan and its estimate, command/ keys and `:` lines, pane/ views, overlay/ what opens over them
 *
 * Includes point one way: tests -> src -> ui -> core; inside src: lib > cli > course, runs, export > plan > import >
 * shell; course, runs > report; all > text. core/ is pure: no files, no terminal, no memory of its own.
 */
#include "src/cli/cli.h"
#include "src/text/write.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (!setlocale(LC_CTYPE, "")) /* numbers keep their point: no other category is set */
        setlocale(LC_CTYPE, "C.UTF-8");
    signal(SIGXFSZ, SIG_IGN); /* a file beyond the user's limit is a fault that is reported */
    write_recover();
    int status = cli_run(argc, argv);
    bool is_written = !ferror(stdout); /* what was flushed before; what is left is written now */
    is_written &= fclose(stdout) == 0 || errno == EBADF;
    if (is_written || status == STATUS_INTERNAL)
        return status;
    perror("shardtop: standard output");
    return STATUS_INTERNAL;
}
