/* src/cli/recorder.h - `lesson --record`: the plans that are made on the screen, as the steps of a lesson's file. */
#ifndef SHARDTOP_SRC_CLI_RECORDER_H
#define SHARDTOP_SRC_CLI_RECORDER_H

struct errors;
struct plan;

/**
 * From now on plans go into `path`, which must not be there yet; it gets its name. Returns 0, or -1 with a fault added.
 */
int recorder_begin(const char *path, struct errors *errors);

/**
 * Takes a plan and writes the file: the plan before the last one takes the last step back, one that is the last adds
 * none.
 * Returns 0, or -1 with what is wrong in `message` (UI_MESSAGE_MAX bytes).
 */
int recorder_take(void *context, const struct plan *plan, char *message);

#endif
