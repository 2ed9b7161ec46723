/* ui/command.h - the command line: a table of commands with arguments that complete. */
#ifndef SHARDTOP_UI_COMMAND_H
#define SHARDTOP_UI_COMMAND_H

#include "ui/state.h"

/** Runs a command as typed after ':'. Messages and errors go to the message line. */
void command_run(struct ui *ui, const char *line);

/** What a command or action of this name does, in a line; "" when there is none. */
const char *command_help(const char *name);

/** Completes the last word of the line being typed as far as it is clear. */
void command_complete(struct ui *ui);

/** Writes what could be typed next: commands, keys, values. */
void command_hint(const struct ui *ui, char *out, size_t size);

/** Writes the names of a TYPE_NAME key that contain `text`. */
void command_names(const struct ui *ui, enum param id, const char *text, char *out, size_t size);

/** Completes a name or choice of a field being typed; returns false when nothing was added. */
bool command_complete_value(const struct ui *ui, enum param id, struct edit *edit);

#endif
