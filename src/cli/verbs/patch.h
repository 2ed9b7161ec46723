/* src/cli/verbs/patch.h - `shardtop export --patch FILE`: the plan back into a launch script or a configuration. */
#pragma once

#include "src/cli/cli.h"
#include "ui/ui.h"

struct patch;
struct saving;

/** Prints the patch as a unified diff, and with `--apply` then changes the files. Returns the exit status. */
int patch_run(const struct cli *cli, const struct plan *plan, struct buffer *out, struct errors *errors);

/**
 * Writes every file of a patch of `target`; unless `is_confirmed` it asks for that one as saving_change() does, and
 * then writes none. `message` has UI_MESSAGE_MAX bytes.
 */
enum ui_write patch_write(struct saving *saving, const struct patch *patch, const char *target, bool is_confirmed,
                          char *message);
