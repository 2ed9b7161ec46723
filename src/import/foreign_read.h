/* src/import/foreign_read.h - how a configuration of another program is read by its table: what its rule may use. */
#pragma once

#include "src/import/table.h"
#include "src/text/tree.h"

/** One import under way. */
struct foreign {
    struct tree tree;
    struct import *out;
};

/** A plan key and its value; a list ends with a NULL. */
struct foreign_fixed {
    const char *key, *value;
};

/** One format. */
struct foreign_format {
    const struct tree_row *row;
    size_t rows;
    const struct tree_row *rule_row; /* what the rule reads, for who writes a change back */
    size_t rule_rows;
    const struct foreign_fixed *given;  /* what every file of the format means */
    const struct foreign_fixed *silent; /* what counts where the file says nothing */
    void (*rule)(struct foreign *im);   /* what several settings decide together */
};

/** The tables of formats that are also written (src/export/config.c). */
extern const struct foreign_format titan_format, bridge_format;

/** torchtitan's name and flavor of a preset; NULL where it has none. */
const char *titan_name_of(const char *model, const char **flavor);

/** An empty list. */
extern const struct foreign_fixed foreign_nothing[];

/**
 * Sets a plan key to a text or a number, in the line of the setting at `path`; where the file has no such setting, not
 * over what an earlier file says.
 */
void foreign_set(struct foreign *im, const char *key, const char *value, const char *path);
void foreign_set_number(struct foreign *im, const char *key, double value, const char *path);

/** Sets a key that the file gives back to 0 unless the switch at `path` is true. */
void foreign_clear_unless(struct foreign *im, const char *key, const char *path);

/** The number at a path, `otherwise` where there is none. */
double foreign_number(struct foreign *im, const char *path, double otherwise);

/** Whether the value at a path says true in any spelling. */
bool foreign_is_true(struct foreign *im, const char *path);

/** The text at a path, "" where there is none. */
const char *foreign_text(struct foreign *im, const char *path);

/** True when the text at a path is one of several words separated by blanks, whatever their case. */
bool foreign_is_word(struct foreign *im, const char *path, const char *words);

enum { FOREIGN_RECIPE = 96 };

/** The model of a recipe's name: `llama32_1b`, `conf/qwen3_30b_a3b_sft.yaml`, `gpt3_5b`. */
void foreign_recipe(const char *recipe, char out[FOREIGN_RECIPE]);

/** Asks what a recipe decides and the file does not say: keys, each with what is assumed. */
void foreign_ask_recipe(struct foreign *im, const char *const (*keys)[2], size_t count);

/** Estimates a trainer without a row of its own as another framework: sets framework.basis, and remarks on it. */
void foreign_like(struct foreign *im, const char *trainer, const char *framework);

/** Adds defaults for keys that nothing has set; one with `?` behind it differs between releases and is asked for. */
void foreign_silent(struct foreign *im, const struct foreign_fixed *silent);

/**
 * Sets keys by `key=value` pairs, separated by blanks, those of the model's group without `model.`: in the line of the
 * setting at `path`, or where that is NULL as defaults for keys that nothing has set.
 */
void foreign_pairs(struct foreign *im, const char *pairs, const char *path);

/** Reads a text by its format. Returns 0, or -1 with a fault added. */
int foreign_read(const struct foreign_format *format, const char *text, size_t size, const char *name,
                 struct import *out, struct errors *errors);

/** The same for a fork: `theirs=ours` for paths with other names, separated by blanks. */
int foreign_read_as(const struct foreign_format *format, const char *names, const char *text, size_t size,
                    const char *name, struct import *out, struct errors *errors);

/** Defines the reader of a format (src/import/foreign.h). */
#define FOREIGN_READER(function, format)                                                                               \
    int function(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)           \
    {                                                                                                                  \
        return foreign_read(&(format), text, size, name, out, errors);                                                 \
    }
