/*
 * shardtop - estimates memory, communication and time of the training of large language models.
 *
 * A map of the tree, in the order in which a plan travels:
 *
 *   src/cli.c              the command line: verbs and options as tables, and what each verb does
 *   src/plan_io.c          files and settings to a plan, and back to YAML; files are told apart by content
 *     src/yaml.c json.c    text to settings (key, text, line)
 *     src/import_*.c       foreign files to settings. Megatron: scripts and flags (import_megatron.c), their table
 *                          (_flags.def, _flags.c), what they mean together (_rules.c), arguments as YAML or as a run
 *                          prints them (import_args.c). nanotron, DeepSpeed, Hugging Face: through import_tree.c
 *     src/shell*.c         reads a script without running it: characters and lines (_lex), words with marks (_words),
 *                          expansion (_expand, _arith, _vars), commands (_command), constructs (_run), tests (_test)
 *     src/preset.c         models, GPUs, clusters, plans and themes by name; embedded.h holds the shipped ones
 *   core/param.c           one row for each plan key: reads, prints and steps values; core/param.def is the table
 *   core/resolve.c         fills in what nobody said: framework defaults, the GPU's figures, derived values
 *   core/rule.c            what is wrong with a plan, and which values work
 *   core/estimate.c        everything that follows from a plan: op, stage, comm, timing and serving are tables of
 *                          formulas (.def) over symbols.c; split.c, rank.c, schedule.c and simulate.c lay out the run
 *   core/explain.c         opens a number: the same formulas as text, with values
 *   core/reference*.c      the published estimators, each as it computes; src/reference_plan.c asks them about a plan,
 *                          src/compare.c sets them beside ours
 *   src/report*.c          the result as text, one file for each part; report_tables.c for CSV and Markdown,
 *                          report_json.c for JSON, report_svg*.c for figures, written with csv_out.c and json_out.c
 *   src/export*.c          a plan as launch flags or as a configuration of a framework, checked by reading it again
 *   src/search.c           the largest model that fits a layout
 *   src/runs.c validate*.c calibrate.c   measured runs (csv_in.c, import_log.c) against estimates
 *   src/batch.c            plans and estimators as JSON lines, read with json_pull.c
 *   src/list.c man.c completion.c        printed from the tables
 *   ui/ui.c                the interactive screen; files are reached through src/host.c
 *     ui/state.c action.c  what the screen knows, and all that changes it; keymap.c and command.c name the actions
 *     ui/draw.c pane*.c    the whole screen, and each pane; estimators.c is an overlay
 *     ui/screen.c plain.c  the same without a terminal, and as lines for screen readers
 *     ui/canvas.c term.c   cells, and the terminal that shows them: the only user of curses
 *
 * Includes point one way: tests -> src -> ui -> core. core/ is pure: no files, no terminal, no memory of its own.
 */
#include <locale.h>

#include "src/cli.h"

int main(int argc, char **argv)
{
    if (!setlocale(LC_CTYPE, "")) /* numbers keep their point: no other category is set */
        setlocale(LC_CTYPE, "C.UTF-8");
    return cli_run(argc, argv);
}
