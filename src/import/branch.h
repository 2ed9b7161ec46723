/* src/import/branch.h - what a command shares with no command of branches that a script leaves out. */
#ifndef SHARDTOP_SRC_IMPORT_BRANCH_H
#define SHARDTOP_SRC_IMPORT_BRANCH_H

struct shell_command;
struct shell_script;

/** Calls `take` for flags of programs in branches left out that `found` lacks, and for its own that these lack. */
void branch_differs(const struct shell_script *script, const struct shell_command *found,
                    void (*take)(void *context, const char *flag, int line), void *context);

#endif
