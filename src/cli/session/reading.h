/*
 * src/cli/session/reading.h - the file of another program that the plan was read from, line by line: for the screen's
 * messages.
 */
#pragma once

#include "src/import/import.h"
#include "src/plan/plan_io.h"
#include "ui/ui.h"

/** The file; zero-initialise, release with reading_free(). */
struct reading {
    char *path; /* NULL: none */
    struct import_options options;
    char *given_path; /* the file of the command line, and how that says that it is read */
    struct import_options given_options;
    /* when something of it was asked for */
    bool is_read;
    enum plan_kind kind;
    char *text; /* NULL: it can no longer be read */
    struct import import;
};
void reading_free(struct reading *reading);

/** Sets the file to read, and how (NULL: as it is); a path of NULL for none. */
void reading_of(struct reading *reading, const char *path, const struct import_options *options);

/** The same of the file of the command line, which is read so whenever it is read again. */
void reading_given(struct reading *reading, const char *path, const struct import_options *options);

/** How that file is to be read; NULL for any other. */
const struct import_options *reading_how(const struct reading *reading, const char *path);

/** reading_of() a file that the plan is of again, if another program's; NULL for none. */
void reading_return_to(struct reading *reading, const char *path);

/** Hands what it is, each key that it gave with the line, and what of it changes nothing to `take`. */
void reading_lines(struct reading *reading, void (*take)(void *to, const struct ui_read *line), void *to);

/** The line in which a key is given, the last of several, in a plan's own file too; 0 for none. */
int reading_line_of(struct reading *reading, enum param key);

/** Copies line `number`, from 1, as it stands; -1 past the end. */
int reading_line(struct reading *reading, int number, char *out, size_t size);
