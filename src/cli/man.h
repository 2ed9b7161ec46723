/* src/cli/man.h - the manual pages, printed from the tables of the program. */
#ifndef SHARDTOP_SRC_CLI_MAN_H
#define SHARDTOP_SRC_CLI_MAN_H

struct buffer;
struct errors;

/**
 * The pages as `shardtop man PAGE` takes them: shardtop(1), shardtop-plan(5), shardtop-json(5), shardtop-lesson(5);
 * ended by NULL.
 */
extern const char *const man_pages[];

/** Appends a page in mdoc. Returns 0, or -1 with a fault added. */
int man_write(struct buffer *out, const char *page, struct errors *errors);

/* Each appends its page. */
void man_plan(struct buffer *out);
void man_json(struct buffer *out);
void man_lesson(struct buffer *out);

#endif
