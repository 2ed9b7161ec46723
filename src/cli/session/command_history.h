/* src/cli/session/command_history.h - command lines of the screen, kept from run to run. */
#pragma once

/** Hands each line that was kept to `take`, the oldest first; what a terminal must not see is left out. */
void lines_read(void (*take)(void *to, const char *line), void *to);

/** Keeps a line behind those that are kept by now, of this run and of others. */
void lines_keep(const char *line);
