/*
 * ui/command/assign.h - lines that set keys: `tp 8`, `tp=8 pp=4`, `micro batch: x2, sp on`, `h100 nodes 16`, `gpus
 * 64`.
 */
#pragma once

#include "ui/state/state.h"

enum { ASSIGN_MAX = 16 };

/** What a line is. */
enum assign {
    ASSIGN_NONE,  /* it does not begin with a key, or gives it no value: it is something else */
    ASSIGN_FAULT, /* it sets keys, but not so */
    ASSIGN_READ
};

/** What a line sets. */
struct assigned {
    struct plan plan; /* with all of it */
    int count;
    enum param id[ASSIGN_MAX];       /* the keys, in the order of the line */
    char why[UI_MESSAGE_MAX];        /* what is wrong, of a fault */
    int fault_at, fault_length;      /* and at which bytes */
};

/**
 * Reads a line of assignments: key, then `=`, `: ` or a blank, then the value; a blank or comma before the next. A key
 * goes by its dotted, short or other name; a preset's name alone is taken for its key; `gpus N` is a number of GPUs,
 * `+` and `-` are steps, `default` makes a key blank. Their order does not matter: presets are loaded first,
 * expressions are read last.
 */
enum assign assign_read(const struct ui *ui, const char *line, struct assigned *out);

/**
 * Writes what a line that was read sets, as it comes out: "nodes = 8 (64 GPUs)" of `gpus 64`, "micro_batch_size = 2" of
 * `mbs x2`, "seq_length = 4096 (default)"; what a preset sets beside follows.
 */
void assign_text(const struct ui *ui, const struct assigned *assigned, char *out, size_t size);

/** Makes what was read the plan, one step of the history, with the first of its fields selected. */
void assign_take(struct ui *ui, const struct assigned *assigned);
