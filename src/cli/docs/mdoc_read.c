/*
 * src/cli/docs/mdoc_read.c - the program's manual pages as plain text, for terminals where none is installed. Reads the
 * part of mdoc that src/cli/docs writes.
 */
#include "src/cli/docs/mdoc.h"

#include "core/base.h"
#include "src/text/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 78, STEP = 4 };

/* A page while it is read; its words gather in `paragraph`. */
struct reader {
    struct buffer *out, paragraph;
    int lists;                 /* that are open */
    int indent;                /* in steps */
    bool is_literal, is_glued; /* lines as they stand; the next word follows without a blank */
    bool is_synopsis;          /* .Nm begins a line */
};

/* What stands around the words that a macro sets off. */
static const struct macro {
    const char *name, *before, *after;
} macros[] = {
    {"Fl", "-", ""},  {"Ql", "'", "'"}, {"Sq", "'", "'"}, {"Dq", "\"", "\""},
    {"Op", "[", "]"}, {"Pq", "(", ")"}, {"Nd", "\xE2\x80\x93 ", ""},
    {"Ar", "", ""},   {"Cm", "", ""},   {"Ic", "", ""},   {"Nm", "", ""},
    {"No", "", ""},   {"Pa", "", ""},   {"Xr", "", ""},
};

/* Adds text without roff's escapes. */
static void add_text(struct buffer *to, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] != '\\' || i + 1 == size)
            buffer_add(to, &text[i], 1);
        else if (text[++i] == 'f')
            i++;
        else if (text[i] != '&' && text[i] != ':')
            buffer_add(to, text[i] == 'e' ? "\\" : &text[i], 1);
}

static void add_word(struct reader *reader, const char *text, size_t size)
{
    buffer_puts(&reader->paragraph, reader->paragraph.size && !reader->is_glued ? " " : "");
    add_text(&reader->paragraph, text, size);
    reader->is_glued = false;
}

static const struct macro *find_macro(const char *word, size_t size)
{
    for (size_t i = 0; size == 2 && i < LENGTH(macros); i++)
        if (memcmp(word, macros[i].name, 2) == 0)
            return &macros[i];
    return NULL;
}

/* Adds the words of a macro line. Closing brackets and quotes go before the punctuation that ends it. */
static void add_macros(struct reader *reader, const char *line)
{
    char closing[8] = ""; /* the innermost first */
    bool is_page = false;
    for (size_t size; *line; line += size + strspn(line + size, " ")) {
        size = strcspn(line, " ");
        const struct macro *macro = find_macro(line, size);
        bool is_mark = size == 1 && strchr(".,;:)", *line);
        if (macro && macro->before[0]) {
            add_word(reader, macro->before, strlen(macro->before));
            reader->is_glued = true;
        } else if (is_mark && !line[1]) {
            buffer_printf(&reader->paragraph, "%s%c", closing, *line);
            closing[0] = '\0';
        } else if (is_page && size == 1) {
            buffer_printf(&reader->paragraph, "(%c)", *line);
        } else if (!macro) {
            reader->is_glued |= is_mark;
            add_word(reader, line, size);
        }
        is_page = macro ? macro->name[0] == 'X' : is_page && size > 1;
        if (macro && macro->after[0] && strlen(closing) + 1 < sizeof closing) {
            memmove(closing + 1, closing, strlen(closing) + 1);
            closing[0] = macro->after[0];
        }
    }
    buffer_puts(&reader->paragraph, closing);
}

/* Writes what was gathered, wrapped. */
static void end_paragraph(struct reader *reader)
{
    int column = 0, indent = reader->indent * STEP;
    for (const char *at = reader->paragraph.size ? reader->paragraph.text : ""; *at; at += *at == ' ') {
        int size = (int)strcspn(at, " ");
        bool is_new = column == 0 || column + 1 + size > WIDTH;
        buffer_printf(reader->out, "%s%*s%.*s", column && is_new ? "\n" : "", is_new ? indent : 1, "", size, at);
        column = (is_new ? indent : column + 1) + size;
        at += size;
    }
    buffer_puts(reader->out, column ? "\n" : "");
    reader->paragraph.size = 0;
    reader->is_glued = false;
}

/* Ends a paragraph with one empty line. */
static void add_gap(struct reader *reader)
{
    end_paragraph(reader);
    if (reader->out->size > 1 && reader->out->text[reader->out->size - 2] != '\n')
        buffer_puts(reader->out, "\n");
}

static void put_heading(struct reader *reader, int indent, const char *words)
{
    add_gap(reader);
    reader->indent = indent;
    add_macros(reader, words);
    end_paragraph(reader);
    reader->indent = 1;
}

/* A term of a list, or a bullet; what it says stands further in. */
static void put_item(struct reader *reader, const char *term)
{
    end_paragraph(reader);
    reader->indent = reader->lists;
    add_macros(reader, *term ? term : "-");
    if (*term)
        end_paragraph(reader);
    reader->indent += *term != '\0';
}

static void put_literal(struct reader *reader, const char *line)
{
    end_paragraph(reader);
    buffer_printf(reader->out, "%*s", (reader->indent + 1) * STEP, "");
    add_text(reader->out, line, strlen(line));
    buffer_puts(reader->out, "\n");
}

static void put_macro(struct reader *reader, const char *line)
{
    static const char *const silent = "Dd Dt Os Bl";
    const char *words = line + 2 + strspn(line + 2, " ");
    char name[3] = {line[0], line[1], '\0'};
    bool is_list = strcmp(name, "Bl") == 0, is_end = strcmp(name, "El") == 0;
    reader->lists += is_list - is_end;
    reader->is_synopsis = name[1] == 'h' ? strcmp(words, "SYNOPSIS") == 0 : reader->is_synopsis;
    if (strcmp(name, "Sh") == 0 || strcmp(name, "Ss") == 0)
        put_heading(reader, name[1] == 's', words);
    else if (strcmp(name, "It") == 0)
        put_item(reader, words);
    else if (strcmp(name, "Dl") == 0)
        put_literal(reader, words);
    else if (strcmp(name, "Pp") == 0)
        add_gap(reader);
    else if (strcmp(name, "Bd") == 0 || strcmp(name, "Ed") == 0) {
        end_paragraph(reader);
        reader->is_literal = name[0] == 'B';
    } else if (is_end) {
        end_paragraph(reader);
        reader->indent = reader->lists + 1;
    } else if (!strstr(silent, name)) {
        if (reader->is_synopsis && strcmp(name, "Nm") == 0)
            end_paragraph(reader);
        add_macros(reader, *words || strcmp(name, "Nm") != 0 ? line : "shardtop");
    }
}

void mdoc_read(struct buffer *out, const char *page)
{
    struct reader reader = {.out = out, .indent = 1};
    for (size_t size; *page; page += size + (page[size] == '\n')) {
        size = strcspn(page, "\n");
        char *line = xstrndup(page, size);
        if (line[0] == '.' && line[1] && line[2])
            put_macro(&reader, line + 1);
        else if (reader.is_literal)
            put_literal(&reader, line);
        else
            add_word(&reader, line, size);
        free(line);
    }
    end_paragraph(&reader);
    buffer_free(&reader.paragraph);
}
