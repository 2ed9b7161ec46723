/* src/course/paragraph.h - texts broken at blanks. */
#pragma once

struct buffer;

/** Appends a text in lines of at most `columns` characters where its words allow that, each with a line's end. */
void paragraph_add(struct buffer *out, const char *text, int columns);

/** How many lines that makes. */
int paragraph_lines(const char *text, int columns);
