/* src/course/paragraph.h - texts broken at blanks. */
#ifndef SHARDTOP_SRC_COURSE_PARAGRAPH_H
#define SHARDTOP_SRC_COURSE_PARAGRAPH_H

struct buffer;

/** Appends a text in lines of at most `columns` characters where its words allow that, each with a line's end. */
void paragraph_add(struct buffer *out, const char *text, int columns);

/** How many lines that makes. */
int paragraph_lines(const char *text, int columns);

#endif
