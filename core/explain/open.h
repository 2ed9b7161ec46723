/* core/explain/open.h - which number of which sheet a path opens; core/explain/path.c reads paths and calls these. */
#pragma once

#include "core/explain/explain.h"
#include "core/show/quantity.h"

/** What a path says beside its last name: up to two numbers, -1 where there is none. */
struct path_index {
    int first, second;
};

/**
 * One form of a path: # stands for a number, * for the name of an operator's row, @ for the member that is opened; a
 * form without @ opens `member`. `open` returns 0, or -1 when there is no such member; `out` is empty but for its path.
 */
struct path_form {
    const char *text, *member;
    int (*open)(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);
};

/** Every form; the first one that fits is taken. */
extern const struct path_form path_forms[];
extern const size_t path_form_count;

/** Opens a figure that no sheet holds, by words or a formula of symbols; returns 0. */
int open_plain(const struct estimate *estimate, const char *name, const char *unit, const char *label, double value,
               const char *text, struct explanation *out);

/** The row of calls of this index, counted over all stages, and the sheet that has it; false when there is none. */
bool open_comm_table(const struct estimate *e, int index, int *stage, enum comm_id *id, struct comm_table *comm);

/** Open the figures that are places; as `open` above. */
int open_held_layer(const struct estimate *e, struct path_index at, const char *name, struct explanation *out);
int open_point(const struct estimate *e, struct path_index at, const char *name, struct explanation *out);
int open_stage_number(const struct estimate *e, struct path_index at, const char *name, struct explanation *out);
int open_grid(const struct estimate *e, struct path_index at, const char *name, struct explanation *out);
int open_rank(const struct estimate *e, struct path_index at, const char *name, struct explanation *out);
int open_member(const struct estimate *e, struct path_index at, const char *name, struct explanation *out);

/** Opens an end of the range of what follows the time of the iteration; returns as `open` above. */
int open_quantity_end(const struct estimate *estimate, const struct quantity *shown, bool is_low,
                      struct explanation *out);

/** Opens a member of the sheet of the iteration, the training and its checkpoints; returns as `open` above. */
int open_step(const struct estimate *estimate, struct path_index at, const char *name, struct explanation *out);
