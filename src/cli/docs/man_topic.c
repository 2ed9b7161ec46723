/*
 * src/cli/docs/man_topic.c - the pages of src/cli/docs/pages/ as manual pages. They are Markdown with headings,
 * paragraphs, bullets on one line, blocks between ``` and `words` in between.
 */
#include "src/cli/docs/man.h"

#include "src/cli/docs/mdoc.h"
#include "src/plan/embedded.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOLD = 1, PLAIN = 2 }; /* stand for roff's escapes while text is escaped */

const char *const man_topics[] = {"accuracy", "add-gpu-or-model", "calibrate",       "formats",
                                  "python",   "scripts",          "troubleshooting", NULL};

static const char *find_text(const char *name)
{
    char path[80];
    snprintf(path, sizeof path, "src/cli/docs/pages/%.40s.md", name);
    for (size_t i = 0; i < embedded_file_count; i++)
        if (strcmp(embedded_files[i].path, path) == 0)
            return embedded_files[i].text;
    return NULL;
}

/* Writes a paragraph, which is emptied. */
static void put_paragraph(struct buffer *out, struct buffer *paragraph)
{
    struct buffer text = {0};
    bool is_bold = false;
    for (size_t i = 0; i < paragraph->size; i++)
        if (paragraph->text[i] == '`')
            paragraph->text[i] = (is_bold = !is_bold) ? BOLD : PLAIN;
    mdoc_prose(&text, paragraph->size ? paragraph->text : "");
    for (size_t i = 0; i < text.size; i++) {
        char sign = text.text[i];
        if (sign == BOLD || sign == PLAIN)
            buffer_puts(out, sign == BOLD ? "\\fB" : "\\fR");
        else
            buffer_add(out, &sign, 1);
    }
    paragraph->size = 0;
    buffer_free(&text);
}

static void put_heading(struct buffer *out, const char *line, size_t size)
{
    buffer_puts(out, ".Sh ");
    for (size_t i = 3; i < size; i++)
        buffer_printf(out, "%c", toupper((unsigned char)line[i]));
    buffer_puts(out, "\n");
}

/* The block that `text` begins with ```; returns where it ends. */
static const char *put_block(struct buffer *out, const char *text)
{
    const char *begin = strchr(text, '\n') + 1, *end = strstr(begin, "```");
    char *block = xstrndup(begin, (size_t)(end - begin));
    mdoc_literal(out, block);
    free(block);
    return end + strcspn(end, "\n") + 1;
}

/* A page while it is written. */
struct body {
    struct buffer paragraph;
    bool is_list, is_first; /* in bullets; the first thing of a section */
};

static void end_text(struct buffer *out, struct body *body)
{
    put_paragraph(out, &body->paragraph);
    buffer_puts(out, body->is_list ? ".El\n" : "");
    body->is_list = false;
}

/* Writes a line that is neither a heading nor a block. */
static void put_line(struct buffer *out, struct body *body, const char *line, size_t size)
{
    bool is_bullet = size > 2 && line[0] == '-' && line[1] == ' ';
    if (size == 0 || is_bullet)
        put_paragraph(out, &body->paragraph);
    if (is_bullet && !body->is_list)
        buffer_puts(out, ".Bl -bullet -compact\n");
    else if (!is_bullet && size > 0 && body->is_list)
        end_text(out, body);
    if (!is_bullet && size > 0 && body->paragraph.size == 0 && !body->is_first)
        buffer_puts(out, ".Pp\n");
    buffer_puts(out, is_bullet ? ".It\n" : "");
    body->is_list |= is_bullet;
    body->is_first &= size == 0;
    buffer_puts(&body->paragraph, body->paragraph.size && size ? " " : "");
    buffer_add(&body->paragraph, line + 2 * is_bullet, size - 2 * is_bullet);
}

static void put_body(struct buffer *out, const char *at)
{
    struct body body = {.is_first = true};
    while (*at) {
        size_t size = strcspn(at, "\n");
        if (strncmp(at, "## ", 3) == 0) {
            end_text(out, &body);
            put_heading(out, at, size);
            body.is_first = true;
        } else if (strncmp(at, "```", 3) == 0) {
            end_text(out, &body);
            at = put_block(out, at);
            body.is_first = false;
            continue;
        } else {
            put_line(out, &body, at, size);
        }
        at += size + (at[size] == '\n');
    }
    end_text(out, &body);
    buffer_free(&body.paragraph);
}

int man_write_topic(struct buffer *out, const char *name)
{
    const char *text = find_text(name);
    char about[160] = "";
    if (!text || sscanf(text, "# %*s - %159[^\n]", about) != 1)
        return -1;
    struct buffer title = {0};
    for (const char *at = name; *at; at++)
        buffer_printf(&title, "%c", toupper((unsigned char)*at));
    buffer_printf(out, ".Dd November 28, 2026\n.Dt SHARDTOP-%s 7\n.Os\n.Sh NAME\n.Nm shardtop-%s\n.Nd %s\n"
                       ".Sh DESCRIPTION\n", title.text, name, about);
    put_body(out, strchr(text, '\n') + 1);
    buffer_puts(out, ".Sh SEE ALSO\n.Xr shardtop 1 ,\n.Xr shardtop-plan 5\n");
    buffer_free(&title);
    return 0;
}
