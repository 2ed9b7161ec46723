/* src/shell/lex.h - finds where words, quotes and lines of a script end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct shell;

enum { HEREDOCS_MAX = 8 }; /* in one line */

/** A place in a text. `is_nested` texts (eval) have no lines of their own. */
struct reader {
    const char *at, *end;
    int line;
    bool is_nested;
    struct {
        const char *word;
        size_t size;
        bool is_indented, is_quoted; /* quoted: nothing in it is expanded */
    } heredoc[HEREDOCS_MAX]; /* announced in this line */
    size_t heredocs;
};

/** What is looked for the end of: a word, or the inside of `"`, `${` or `(`. */
enum scan { SCAN_WORD, SCAN_DOUBLE, SCAN_BRACE, SCAN_PAREN, SCAN_BRACKET };

/** The first character at or after `p` that ends a piece of this kind; `end`, with a fault, if none does. */
const char *scan(struct shell *sh, const char *p, const char *end, enum scan kind, int line);

/** Past the first `stop` at or after `p`; `end` with a fault if none. */
const char *scan_quote(struct shell *sh, const char *p, const char *end, char stop, int line);

/** True for characters that a variable's name may begin with. */
bool is_name_start(char c);

/** Length of the parameter name at `p`: a name, digits, or one special character. */
size_t name_size(const char *p, const char *end);

/** Moves to a later place and counts the lines on the way. */
void reader_move(struct reader *r, const char *to);

/**
 * The body of the first here-document announced in the line at the reader, without its last line; its lines keep their
 * tabs.
 */
const char *reader_heredoc(const struct reader *r, size_t *size);

/** Past blanks, continued lines and a comment, not past the end of the line. */
void reader_skip_blank(struct reader *r);

/** Past these and ends of lines, with the here-documents that begin there. */
void reader_skip_lines(struct reader *r);

/** True if the text at the reader is `text`, as a whole unquoted word or as its beginning. */
bool reader_is_word(const struct reader *r, const char *text);
bool reader_starts(const struct reader *r, const char *text);

/** The same, and moves past it. */
bool reader_take_word(struct reader *r, const char *text);
bool reader_take(struct reader *r, const char *text);

/** True where a list of commands ends: at `fi`, `)` and their like, and at the end of the text. */
bool reader_is_closer(const struct reader *r);

/** True at the characters that end a simple command. */
bool reader_is_command_end(const struct reader *r);

/** Takes the word that must come here; a fault that names the construct opened in `line` otherwise. */
bool reader_expect(struct shell *sh, struct reader *r, const char *word, const char *opener, int line);

/** Adds a fault if the reader still stands at `before`, so that no loop stands still. */
void reader_progress(struct shell *sh, const struct reader *r, const char *before);
