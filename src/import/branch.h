/* src/import/branch.h - flags in which a command differs from those of branches that the script skips. */
#pragma once

struct shell_command;
struct shell_script;

/** Calls `take` for each flag that `found` or a command of a skipped branch passes, but not both. */
void branch_differs(const struct shell_script *script, const struct shell_command *found,
                    void (*take)(void *context, const char *flag, int line), void *context);
