/* src/import/entry.h - what the program of a command does, told by its name; the rows are src/import/entries.def. */
#pragma once

/** What a program does. */
enum entry_kind {
    ENTRY_UNKNOWN, ENTRY_TRAINS, ENTRY_SERVES, ENTRY_EVALUATES, ENTRY_CONVERTS, ENTRY_PREPARES, ENTRY_MEASURES,
    ENTRY_KINDS
};

/** The same in words: "converts checkpoints". */
extern const char *const entry_does[ENTRY_KINDS];

/** The kind of a program by its path or module: by the last part, and where that tells nothing by the folder above. */
enum entry_kind entry_kind_of(const char *program);
