/*
 * shardtop - estimates memory, communication and time of the training of large language models.
 *
 * A map of the tree, in the order in which a plan travels:
 *
 *   src/cli.c              the command line: verbs and options as tables, and what each verb does
 *   src/plan_io.c          files and settings to a plan, and back to YAML; told apart by content
 *     src/yaml.c json.c    text to settings (key, text, line); the only users of libyaml and cJSON
 *     src/import_*.c       launch scripts to settings (src/shell.c reads shell without running it)
 *     src/preset.c         models, GPUs, clusters, plans and themes by name; embedded.h holds the shipped ones
 *   core/param.c           one row for each plan key: reads, prints and steps values; core/param.def is the table
 *   core/resolve.c         fills in what nobody said: framework defaults, the GPU's figures, derived values
 *   core/rule.c            what is wrong with a plan, and which values work
 *   core/estimate.c        everything that follows from a plan; op, stage, comm, timing are tables of formulas
 *   core/explain.c         opens a number: the same formulas as text, with values
 *   src/report*.c *_out.c  the result as text, JSON, CSV and Markdown
 *   src/host.c, ui/ui.c    the interactive screen, and the files it reaches through src/host.c
 *   src/list.c man.c completion.c   printed from the tables
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
