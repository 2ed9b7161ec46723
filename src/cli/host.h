/* src/cli/host.h - what the screen asks of the world: files, presets, themes and the report. */
#ifndef SHARDTOP_SRC_CLI_HOST_H
#define SHARDTOP_SRC_CLI_HOST_H

#include "ui/ui.h"

/** The functions for ui_run() and the like. */
extern const struct ui_host host_functions;

struct errors;
struct questions;

/** Keeps the remarks of what was read before the screen opened, for its messages. */
void host_remember(const struct errors *errors);

/** Keeps what that left open, to save it with the plan. */
void host_ask(const struct questions *questions);

/**
 * Says which kept plan is offered where the plan has no file: one of this model that had none either, or with NULL any.
 */
void host_offer(const char *model);

#endif
