#include "src/shell/lex.h"

#include "core/base.h"
#include "src/shell/state.h"
#include "src/shell/words.h"

#include <ctype.h>
#include <string.h>

/* ---- finding the end of things --------------------------------------------------------------------------------- */

enum { SCANNED_MAX = 64 << 20 };

static const struct {
    const char *stops, *opener;
} scan_row[] = {
    [SCAN_WORD] = {" \t\r\n;&|<>()", ""},
    [SCAN_DOUBLE] = {"\"", "\""},
    [SCAN_BRACE] = {"}", "${"},
    [SCAN_PAREN] = {")", "("},
    [SCAN_BRACKET] = {"]", "$["},
};

const char *scan_quote(struct shell *sh, const char *p, const char *end, char stop, int line)
{
    for (; p < end; p++) {
        if (stop != '\'' && *p == '\\' && p + 1 < end)
            p++;
        else if (*p == stop)
            return p + 1;
    }
    shell_fail(sh, line, "a %c is opened here and never closed; add the missing quote", stop);
    return end;
}

/* Past the quoted or substituted piece that starts at `p`; `p` itself if none starts there. */
static const char *skip_piece(struct shell *sh, const char *p, const char *end, enum scan kind, int line)
{
    char c = *p, next = p + 1 < end ? p[1] : '\0';
    const char *past = p;
    if (c == '\\')
        return next ? p + 2 : p + 1;
    if (c == '`' || (c == '\'' && kind != SCAN_DOUBLE))
        return scan_quote(sh, p + 1, end, c, line);
    if (c == '"' && kind != SCAN_DOUBLE)
        past = scan(sh, p + 1, end, SCAN_DOUBLE, line);
    else if (c == '$' && next == '(')
        past = scan(sh, p + 2, end, SCAN_PAREN, line);
    else if (c == '$' && next == '{')
        past = scan(sh, p + 2, end, SCAN_BRACE, line);
    else if (c == '$' && next == '[')
        past = scan(sh, p + 2, end, SCAN_BRACKET, line);
    else if (c == '(' && kind == SCAN_PAREN)
        past = scan(sh, p + 1, end, SCAN_PAREN, line);
    return past > p && past < end ? past + 1 : past;
}

const char *scan(struct shell *sh, const char *p, const char *end, enum scan kind, int line)
{
    const char *start = p;
    shell_enter(sh, line);
    while (p < end && !sh->is_failed && !strchr(scan_row[kind].stops, *p)) {
        bool is_comment = kind == SCAN_PAREN && *p == '#' && p > start && isspace((unsigned char)p[-1]);
        if (is_comment) {
            const char *newline = memchr(p, '\n', (size_t)(end - p));
            p = newline ? newline : end;
            continue;
        }
        const char *past = skip_piece(sh, p, end, kind, line);
        p = past > p ? past : p + 1;
    }
    sh->depth--;
    sh->scanned += (size_t)(p - start);
    if (sh->scanned > SCANNED_MAX)
        shell_fail(sh, line, "the script repeats too much text; shorten its loops");
    if (p >= end && kind != SCAN_WORD)
        shell_fail(sh, line, "unclosed %s; close it", scan_row[kind].opener);
    return sh->is_failed ? end : p;
}

bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

size_t name_size(const char *p, const char *end)
{
    const char *start = p;
    if (p < end && (is_name_start(*p) || isdigit((unsigned char)*p))) {
        bool is_name = is_name_start(*p);
        while (p < end && ((is_name && is_name_start(*p)) || isdigit((unsigned char)*p)))
            p++;
    } else if (p < end && strchr("@*#?$!-", *p)) {
        p++;
    }
    return (size_t)(p - start);
}

/* ---- reader ---------------------------------------------------------------------------------------------------- */

void reader_move(struct reader *r, const char *to)
{
    for (; r->at < to; r->at++)
        r->line += *r->at == '\n' && !r->is_nested;
}

/* Reads past the bodies of the here-documents that were announced on the line just ended. */
static void skip_heredocs(struct reader *r)
{
    for (size_t i = 0; i < r->heredocs; i++) {
        bool is_end = false;
        while (r->at < r->end && !is_end) {
            const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
            const char *stop = newline ? newline : r->end, *start = r->at;
            size_t size = r->heredoc[i].size;
            while (r->heredoc[i].is_indented && start < stop && *start == '\t')
                start++;
            is_end = (size_t)(stop - start) - (stop > start && stop[-1] == '\r') == size &&
                     memcmp(start, r->heredoc[i].word, size) == 0;
            reader_move(r, newline ? newline + 1 : stop);
        }
    }
    r->heredocs = 0;
}

const char *reader_heredoc(const struct reader *r, size_t *size)
{
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at)), *body = newline ? newline + 1 : r->end;
    struct reader rest = *r;
    rest.at = body;
    rest.heredocs = 1;
    skip_heredocs(&rest);
    const char *end = rest.at > body && rest.at[-1] == '\n' ? rest.at - 1 : rest.at;
    while (end > body && end[-1] != '\n')
        end--;
    *size = (size_t)(end - body);
    return body;
}

/* A comment, perhaps behind the marks of evaluated text. */
static bool is_comment(const struct reader *r)
{
    const char *p = r->at + marks_size(r->at, r->end);
    return p < r->end && *p == '#';
}

void reader_skip_blank(struct reader *r)
{
    while (r->at < r->end) {
        size_t left = (size_t)(r->end - r->at);
        if (strchr(" \t\r", *r->at))
            r->at++;
        else if (left >= 2 && memcmp(r->at, "\\\n", 2) == 0)
            reader_move(r, r->at + 2);
        else if (left >= 3 && memcmp(r->at, "\\\r\n", 3) == 0)
            reader_move(r, r->at + 3);
        else if (is_comment(r))
            while (r->at < r->end && *r->at != '\n')
                r->at++;
        else
            return;
    }
}

void reader_skip_lines(struct reader *r)
{
    for (reader_skip_blank(r); r->at < r->end && *r->at == '\n'; reader_skip_blank(r)) {
        reader_move(r, r->at + 1);
        skip_heredocs(r);
    }
}

/* Past `text`, and the marks in front of it that evaluated text may carry; NULL if it is not there. */
static const char *past_text(const struct reader *r, const char *text)
{
    const char *p = r->at + marks_size(r->at, r->end);
    size_t n = strlen(text);
    return (size_t)(r->end - p) >= n && memcmp(p, text, n) == 0 ? p + n : NULL;
}

bool reader_starts(const struct reader *r, const char *text)
{
    return past_text(r, text) != NULL;
}

bool reader_is_word(const struct reader *r, const char *text)
{
    const char *past = past_text(r, text);
    return past && (past == r->end || strchr(scan_row[SCAN_WORD].stops, *past));
}

bool reader_take(struct reader *r, const char *text)
{
    const char *past = past_text(r, text);
    if (past)
        reader_move(r, past);
    return past != NULL;
}

bool reader_take_word(struct reader *r, const char *text)
{
    return reader_is_word(r, text) && reader_take(r, text);
}

bool reader_is_closer(const struct reader *r)
{
    static const char *const closer[] = {"then", "else", "elif", "fi", "do", "done", "esac", "}"};
    if (r->at >= r->end || *r->at == ')' || reader_starts(r, ";;"))
        return true;
    for (size_t i = 0; i < LENGTH(closer); i++)
        if (reader_is_word(r, closer[i]))
            return true;
    return false;
}

bool reader_is_command_end(const struct reader *r)
{
    if (r->at >= r->end || strchr("\n;|)", *r->at))
        return true;
    return *r->at == '&' && !reader_starts(r, "&>");
}

bool reader_expect(struct shell *sh, struct reader *r, const char *word, const char *opener, int line)
{
    reader_skip_lines(r);
    bool is_there = ispunct((unsigned char)word[0]) ? reader_take(r, word) : reader_take_word(r, word);
    if (!is_there)
        shell_fail(sh, line, "`%s` has no `%s`; complete the script", opener, word);
    return is_there;
}

void reader_progress(struct shell *sh, const struct reader *r, const char *before)
{
    if (r->at == before)
        shell_fail(sh, r->line, "`%c` is not expected here; quote it", *before);
}
