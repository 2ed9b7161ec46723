#include "src/text/toml.h"

#include "src/text/errors.h"
#include "src/text/node.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_LOOKED_AT = 5, MEMBERS_MAX = 4096 /* of one table */ };

/* ---- recognising ------------------------------------------------------------------------------------------------ */

static size_t key_size(const char *p)
{
    return strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.\"'");
}

static bool is_table_line(const char *p)
{
    size_t open = strspn(p, "["), name = key_size(p + open);
    p += open + name;
    bool is_closed = open >= 1 && open <= 2 && name > 0 && strncmp(p, "]]", open) == 0;
    p += open;
    return is_closed && (p += strspn(p, " \t\r"), !*p || *p == '\n' || *p == '#');
}

static bool is_pair_line(const char *p)
{
    size_t n = key_size(p), blank = strspn(p + n, " \t");
    return n > 0 && blank > 0 && p[n + blank] == '=' && p[n + blank + 1] != '=';
}

bool toml_recognise(const char *text)
{
    int pairs = 0;
    for (const char *p = text; *p && pairs < LINES_LOOKED_AT; p += strcspn(p, "\n")) {
        p += strspn(p, " \t\r\n");
        if (!*p)
            break;
        if (*p == '#')
            continue;
        if (is_table_line(p))
            return true;
        if (!is_pair_line(p))
            return false;
        pairs++;
    }
    return pairs > 0;
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

struct reader {
    const char *at;
    int line;
    bool is_wrong;
    struct node_parse *parse;
};

static struct node *read_value(struct reader *r, int depth);

static void fail(struct reader *r, const char *what)
{
    if (!r->is_wrong)
        errors_add(r->parse->errors, r->parse->file, r->line, NULL, "is not valid TOML: %s", what);
    r->is_wrong = true;
}

static void skip_blank(struct reader *r)
{
    r->at += strspn(r->at, " \t\r");
}

/* Past blanks, comments and ends of lines. */
static void skip_lines(struct reader *r)
{
    for (;;) {
        skip_blank(r);
        if (*r->at == '#')
            r->at += strcspn(r->at, "\n");
        if (*r->at != '\n')
            return;
        r->line++;
        r->at++;
    }
}

static struct node *new_node(struct reader *r, enum node_kind kind, int depth)
{
    if (depth > NODE_DEPTH_MAX)
        fail(r, "nested more than 64 deep");
    struct node *node = r->is_wrong ? NULL : node_new(r->parse, kind, r->line, depth);
    r->is_wrong |= !node; /* the limit was said */
    return node;
}

static void append(struct reader *r, struct node *to, struct node *child)
{
    struct node **end = &to->child;
    while (*end)
        end = &(*end)->next;
    *end = child;
    if (++to->count > MEMBERS_MAX)
        fail(r, "a table has more than 4096 members");
}

/* ---- texts ------------------------------------------------------------------------------------------------------ */

static void put_escape(struct reader *r, struct buffer *out)
{
    static const char names[] = "btnfr\"\\", bytes[] = "\b\t\n\f\r\"\\";
    const char *known = *r->at ? strchr(names, *r->at) : NULL;
    if (known)
        buffer_add(out, &bytes[known - names], 1);
    else if (*r->at != 'u' && *r->at != 'U')
        fail(r, "unknown escape");
    else
        buffer_puts(out, "?"); /* no name that is looked for has one */
    size_t digits = known ? 0 : *r->at == 'u' ? 4 : 8;
    r->at += *r->at != '\0';
    while (digits-- > 0 && isxdigit((unsigned char)*r->at))
        r->at++;
}

/* The text in quotes at the reader, in fresh memory. */
static char *read_text(struct reader *r)
{
    struct buffer out = {0};
    char quote = *r->at;
    const char ends[] = {quote, quote, quote, '\0'};
    bool is_long = strncmp(r->at, ends, 3) == 0;
    size_t n = is_long ? 3 : 1;
    buffer_puts(&out, "");
    r->at += n;
    while (*r->at && strncmp(r->at, ends, n) != 0 && !r->is_wrong) {
        if (*r->at == '\n' && !is_long)
            break;
        r->line += *r->at == '\n';
        if (*r->at == '\\' && quote == '"') {
            r->at++;
            put_escape(r, &out);
        } else {
            buffer_add(&out, r->at++, 1);
        }
    }
    if (strncmp(r->at, ends, n) == 0)
        r->at += n;
    else
        fail(r, "unclosed string");
    return out.text;
}

/* One part of a key in fresh memory. */
static char *read_part(struct reader *r)
{
    skip_blank(r);
    if (*r->at == '"' || *r->at == '\'')
        return read_text(r);
    const char *from = r->at;
    while (isalnum((unsigned char)*r->at) || *r->at == '_' || *r->at == '-')
        r->at++;
    if (r->at == from)
        fail(r, "expected a key");
    return xstrndup(from, (size_t)(r->at - from));
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

/* The member of a table by its key; of an array of tables its last element. */
static struct node *member(struct node *table, const char *key)
{
    struct node *found = table->child;
    while (found && !(found->key && strcmp(found->key, key) == 0))
        found = found->next;
    for (struct node *item = found && found->kind == NODE_LIST ? found->child : NULL; item; item = item->next)
        if (!item->next)
            return item;
    return found;
}

/* Makes a member of a table, whose key it takes over. */
static struct node *make_member(struct reader *r, struct node *table, char *key, enum node_kind kind, int depth)
{
    struct node *made = new_node(r, kind, depth);
    if (!made) {
        free(key);
        return NULL;
    }
    made->key = key;
    made->key_line = r->line;
    append(r, table, made);
    return made;
}

/* The table one step down; NULL with a fault where something else has that name. */
static struct node *step_into(struct reader *r, struct node *table, char *key, int depth)
{
    struct node *below = member(table, key);
    if (!below)
        return make_member(r, table, key, NODE_MAPPING, depth);
    free(key);
    if (below->kind == NODE_MAPPING)
        return below;
    fail(r, "a value is used as a table");
    return NULL;
}

/* Follows a dotted key to its last part, which goes to `*last` in fresh memory; NULL with a fault. */
static struct node *follow(struct reader *r, struct node *table, char **last, int *depth)
{
    *last = read_part(r);
    for (skip_blank(r); *r->at == '.' && table && !r->is_wrong; skip_blank(r)) {
        r->at++;
        table = step_into(r, table, *last, ++*depth);
        *last = table ? read_part(r) : NULL;
    }
    return r->is_wrong ? NULL : table;
}

/* `key = value`, at any depth. */
static void read_pair(struct reader *r, struct node *table, int depth)
{
    char *key;
    struct node *in = follow(r, table, &key, &depth);
    if (in && *r->at != '=')
        fail(r, "expected `=` after the key");
    if (!in || r->is_wrong) {
        free(key);
        return;
    }
    r->at++;
    int line = r->line;
    struct node *value = read_value(r, depth + 1);
    if (!value) {
        free(key);
        return;
    }
    value->key = key;
    value->key_line = line;
    append(r, in, value);
}

/* `[a.b]` or `[[a.b]]`: the table that the lines below belong to. */
static struct node *read_header(struct reader *r, struct node *root, int *depth)
{
    bool is_array = r->at[1] == '[';
    char *key;
    r->at += 1 + is_array;
    *depth = 1;
    struct node *in = follow(r, root, &key, depth), *table = NULL;
    if (in && is_array) {
        struct node *list = in->child;
        while (list && !(list->key && strcmp(list->key, key) == 0))
            list = list->next;
        list = list ? list : make_member(r, in, xstrdup(key), NODE_LIST, *depth);
        free(key);
        if (list && list->kind == NODE_LIST && (table = new_node(r, NODE_MAPPING, *depth + 1)))
            append(r, list, table);
        else if (list)
            fail(r, "a value is used as an array of tables");
    } else if (in) {
        table = step_into(r, in, key, *depth);
    } else {
        free(key);
    }
    skip_blank(r);
    bool is_closed = strncmp(r->at, "]]", 1 + (size_t)is_array) == 0;
    if (!r->is_wrong && !is_closed)
        fail(r, "unclosed table name");
    r->at += is_closed ? 1 + is_array : 0;
    return table;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

static struct node *read_array(struct reader *r, int depth)
{
    struct node *list = new_node(r, NODE_LIST, depth), **end = list ? &list->child : NULL;
    r->at++;
    for (skip_lines(r); list && *r->at != ']' && !r->is_wrong; skip_lines(r)) {
        *end = read_value(r, depth + 1);
        list->count += *end != NULL;
        end = *end ? &(*end)->next : end;
        skip_lines(r);
        if (*r->at == ',')
            r->at++;
        else if (*r->at != ']')
            fail(r, "unclosed array");
    }
    r->at += *r->at == ']';
    return list;
}

static struct node *read_inline(struct reader *r, int depth)
{
    struct node *table = new_node(r, NODE_MAPPING, depth);
    r->at++;
    for (skip_lines(r); table && *r->at != '}' && !r->is_wrong; skip_lines(r)) {
        read_pair(r, table, depth);
        skip_lines(r);
        if (*r->at == ',')
            r->at++;
        else if (*r->at != '}')
            fail(r, "unclosed table");
    }
    r->at += *r->at == '}';
    return table;
}

static struct node *read_value(struct reader *r, int depth)
{
    skip_blank(r);
    if (*r->at == '[')
        return read_array(r, depth);
    if (*r->at == '{')
        return read_inline(r, depth);
    struct node *value = new_node(r, NODE_VALUE, depth);
    if (!value)
        return NULL;
    if (*r->at == '"' || *r->at == '\'') {
        value->text = read_text(r);
        return value;
    }
    size_t n = strcspn(r->at, ",]}#\r\n");
    while (n > 0 && strchr(" \t", r->at[n - 1]))
        n--;
    if (n == 0)
        fail(r, "expected a value");
    value->text = xstrndup(r->at, n);
    value->is_bare = true;
    r->at += n;
    return value;
}

struct node *toml_parse(const char *text, struct node_parse *parse)
{
    static const char bom[] = "\xef\xbb\xbf";
    struct reader r = {.at = text, .line = 1, .parse = parse};
    struct node *root = new_node(&r, NODE_MAPPING, 0), *table = root;
    int depth = 0;
    r.at += strncmp(r.at, bom, strlen(bom)) == 0 ? strlen(bom) : 0;
    for (skip_lines(&r); *r.at && table && !r.is_wrong; skip_lines(&r)) {
        if (*r.at == '[')
            table = read_header(&r, root, &depth);
        else
            read_pair(&r, table, depth);
        skip_blank(&r);
        if (!r.is_wrong && *r.at && *r.at != '\n' && *r.at != '#')
            fail(&r, "trailing text after the value");
    }
    if (r.is_wrong && root) {
        node_free(root);
        root = NULL;
    }
    return node_whole(root, parse);
}
