/*
 * src/cli/reading.h - the file of another program that the plan was read from, line by line: for the screen's messages.
 */
#ifndef SHARDTOP_SRC_CLI_READING_H
#define SHARDTOP_SRC_CLI_READING_H

#include "src/plan/plan_io.h"
#include "ui/ui.h"

/**
 * The file to read, and how (NULL: as it is); a path of NULL for none. It is read when something of it is asked for.
 */
void reading_of(const char *path, const struct import_options *options);

/** The same of the file of the command line, which is read so whenever it is read again. */
void reading_given(const char *path, const struct import_options *options);

/** How that file is to be read; NULL for any other. */
const struct import_options *reading_how(const char *path);

/** reading_of() a file that the plan is of again, if another program's; NULL for none. */
void reading_return_to(const char *path);

/** Its path and options; the path is NULL where there is none. */
const char *reading_path(void);
const struct import_options *reading_options(void);

/** Hands what it is, each key that it gave with the line, and what of it changes nothing to `take`. */
void reading_lines(void (*take)(void *to, const struct ui_read *line), void *to);

/** The line in which a key is given, the last of several, in a plan's own file too; 0 for none. */
int reading_line_of(enum param key);

/** Copies line `number`, from 1, as it stands; -1 past the end. */
int reading_line(int number, char *out, size_t size);

#endif
