/* ui/command/search_line.h - what is typed behind `:search`: an objective, what may change, limits. */
#pragma once

#include "core/search/option.h"
#include "ui/widget/edit.h"
#include "ui/state/host.h"

/** A line, read; options are read into each question anew, for what they mean depends on the plan. */
struct search_line {
    enum search_objective objective; /* SEARCH_OBJECTIVES: none was named */
    bool is_size;                    /* the largest model, which is no layout */
    bool has_free;                   /* `free` of axes alone: */
    uint32_t free;                   /* 0: what is usual */
    char text[EDIT_MAX];             /* the options, "max-memory=72GiB where=tp<=8" */
    char words[EDIT_MAX];            /* the same as a row of texts, of which conditions keep some */
    int count;                       /* of them */
};

/** Reads a line. Returns 0, or -1 with the reason in `why` (UI_MESSAGE_MAX bytes). */
int search_line_read(const char *text, struct search_line *out, char *why);

/**
 * Reads the options into a question about a plan that is there. Returns 0, or -1 with the reason in `why`
 * (UI_MESSAGE_MAX bytes). `scratch` is used for estimates; the line is to live as long as the question.
 */
int search_line_apply(const struct search_line *line, struct search_ask *ask, struct estimate *scratch, char *why);
