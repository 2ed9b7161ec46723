/* src/import/dialect.h - settings of trainers under the names of the Hugging Face Trainer: src/import/dialects.def. */
#pragma once

struct tree;

/** The line of a value that a trainer takes by itself. */
enum { DIALECT_SILENT = -1 };

/**
 * Renames the settings of the dialect that a file or a command line is of, and adds what its trainer takes where
 * nobody says otherwise. Returns the name of the framework's row, NULL for none of the dialects.
 */
const char *dialect_apply(struct tree *tree);

/** The same without changing anything. */
const char *dialect_of(const struct tree *tree);

/** Gives values other paths: `theirs=ours`, separated by blanks. */
void dialect_rename(struct tree *tree, const char *names);
