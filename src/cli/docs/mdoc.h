/* src/cli/docs/mdoc.h - texts of the program as mdoc, the language of manual pages. */
#pragma once

struct buffer;

/** Text with backslashes and dashes escaped, and nothing at its start that roff would obey. */
void mdoc_text(struct buffer *out, const char *text);

/** Prose, each sentence on a line of its own. */
void mdoc_prose(struct buffer *out, const char *text);

/** A sentence out of a help line: "print JSON" becomes "Print JSON." */
void mdoc_sentence(struct buffer *out, const char *help);

/** Lines as they stand. */
void mdoc_literal(struct buffer *out, const char *text);

/** A page of these as plain text of 78 columns, for a terminal. */
void mdoc_read(struct buffer *out, const char *page);
