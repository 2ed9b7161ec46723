/* src/cli/docs/man.h - the manual pages, printed from the tables of the program. */
#pragma once

struct buffer;
struct errors;

/**
 * The pages as `shardtop man PAGE` takes them: shardtop(1), shardtop-plan(5), shardtop-json(5), shardtop-lesson(5), and
 * the topics; ended by NULL.
 */
extern const char *const man_pages[];

/** The pages of src/cli/docs/pages/, shardtop-python(7) and so on; ended by NULL. */
extern const char *const man_topics[];

/** Appends the page of a topic in mdoc. Returns 0, or -1 when there is none. */
int man_write_topic(struct buffer *out, const char *name);

/** Appends a page in mdoc. Returns 0, or -1 with a fault added. */
int man_write(struct buffer *out, const char *page, struct errors *errors);

/** A page: its head, what it sees also ("shardtop-plan 5", ended by NULL), and what writes all between. */
struct man_page {
    const char *name;
    int section;
    const char *about, *others[4];
    void (*write)(struct buffer *out);
};

extern const struct man_page man_plan, man_json, man_lesson;
