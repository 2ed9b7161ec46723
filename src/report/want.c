#include "src/report/want.h"

#include "src/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is still to be followed of each path; NULL for a path that leads elsewhere. */
struct rest {
    const char *of[WANT_MAX];
};

const char *want_read(struct want *want, struct json_piece paths)
{
    struct json_walk walk;
    struct json_piece key, value;
    want->count = 0;
    if (!json_pull_open(&walk, paths) || walk.is_object)
        return "want must be an array of paths such as [\"memory.fits\"]";
    while (json_pull_next(&walk, &key, &value)) {
        if (want->count == WANT_MAX)
            return "want has room for 64 paths; ask for whole parts, such as \"memory\"";
        if (!json_pull_text(value, want->path[want->count], WANT_PATH_MAX) || !*want->path[want->count])
            return "want has an entry that is no path; write paths such as \"memory.fits\"";
        want->is_found[want->count++] = false;
    }
    return NULL;
}

/* What follows `name` in a path, without the dot; NULL when the path begins otherwise. */
static const char *after(const char *path, const char *name, size_t size)
{
    if (strncmp(path, name, size) != 0)
        return NULL;
    return path[size] == '.' ? path + size + 1 : path[size] == '\0' ? path + size : NULL;
}

bool want_has(const struct want *want, const char *member)
{
    for (int i = 0; i < want->count; i++)
        if (after(want->path[i], member, strlen(member)))
            return true;
    return false;
}

/* The paths that go on below a member, or below an entry that a number names or that stands for all. False for none. */
static bool step(const struct want *want, const struct rest *here, struct json_piece name, bool is_entry,
                 struct rest *below)
{
    bool is_any = false;
    for (int i = 0; i < want->count; i++) {
        const char *path = here->of[i];
        bool is_every = path && is_entry && (*path < '0' || *path > '9');
        below->of[i] = !path ? NULL : is_every ? path : after(path, name.text, name.size);
        is_any = is_any || below->of[i];
    }
    return is_any;
}

static void copy(struct want *want, const struct rest *here, struct buffer *out, struct json_piece value);

static void copy_members(struct want *want, const struct rest *here, struct buffer *out, struct json_walk *walk)
{
    struct json_piece key, value;
    struct rest below;
    char position[24];
    int entry = 0;
    const char *comma = "";
    buffer_puts(out, walk->is_object ? "{" : "[");
    while (json_pull_next(walk, &key, &value)) {
        if (!walk->is_object)
            key = (struct json_piece){position, (size_t)snprintf(position, sizeof position, "%d", entry++)};
        bool is_wanted = step(want, here, key, !walk->is_object, &below);
        if (!is_wanted && walk->is_object)
            continue;
        buffer_puts(out, comma);
        if (walk->is_object)
            buffer_printf(out, "\"%.*s\": ", (int)key.size, key.text);
        if (is_wanted)
            copy(want, &below, out, value);
        else
            buffer_puts(out, "{}");
        comma = ", ";
    }
    buffer_puts(out, walk->is_object ? "}" : "]");
}

static void copy(struct want *want, const struct rest *here, struct buffer *out, struct json_piece value)
{
    struct json_walk walk, look;
    struct json_piece key, first;
    bool has_members = json_pull_open(&walk, value), is_whole = false;
    look = walk;
    bool is_bare = *value.text == 'n' || (has_members && !walk.is_object && !json_pull_next(&look, &key, &first));
    for (int i = 0; i < want->count; i++) {
        bool is_end = here->of[i] && (!*here->of[i] || is_bare);
        is_whole = is_whole || is_end;
        want->is_found[i] = want->is_found[i] || is_end;
    }
    if (is_whole || !has_members)
        buffer_add(out, value.text, value.size);
    else
        copy_members(want, here, out, &walk);
}

const char *want_copy(struct want *want, struct buffer *out, struct json_piece value)
{
    struct rest all;
    for (int i = 0; i < want->count; i++)
        all.of[i] = want->path[i];
    copy(want, &all, out, value);
    for (int i = 0; i < want->count; i++)
        if (!want->is_found[i])
            return want->path[i];
    return NULL;
}
