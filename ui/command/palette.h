/*
 * ui/command/palette.h - everything that has a name in one list, ranked by what is typed: fields, views, commands,
 * presets, files, results, ranks.
 */
#pragma once

#include "ui/command/assign.h"
#include "ui/command/intent.h"

/** What an item is; of two that rank alike the earlier kind comes first. */
enum palette_kind {
    ITEM_SET, /* keys that the query sets */
    ITEM_GOAL,
    ITEM_FIELD,
    ITEM_VIEW,
    ITEM_COMMAND,
    ITEM_MODEL,
    ITEM_PLAN,
    ITEM_GPU,
    ITEM_CLUSTER,
    ITEM_FILE,
    ITEM_RESULT,
    ITEM_THEME,
    ITEM_RANK,
    ITEM_KEY,
    ITEM_LESSON,
    ITEM_WORD,
    ITEM_FRAMEWORK,
    ITEM_KINDS
};

/** What a list is restricted to. */
enum palette_scope { SCOPE_ALL, SCOPE_MODELS, SCOPE_GPUS, SCOPE_CLUSTERS, SCOPE_PLANS, SCOPE_DOING,
                     SCOPE_HERE /* keys of the panel and of the hint line */, SCOPE_THEMES,
                     SCOPE_LESSONS, SCOPE_WORDS, SCOPE_COUNT };

/** What each kind is called: "field". */
extern const char *const palette_kind_names[ITEM_KINDS];

/** What each scope is called: "Find", "Models". */
extern const char *const palette_scope_names[SCOPE_COUNT];

/** One item. */
struct palette_item {
    enum palette_kind kind;
    /*
     * enum param; enum action of a view or command, or minus one minus its place in `commands`; rank; number of a
     * baseline; place among the keys of the view
     */
    int id;
    const char *name;  /* "micro_batch_size", "llama3-70b", "memory.stages.N.device_bytes" */
    const char *path;  /* dotted, of a field; else the name */
    const char *help;  /* or "" */
    const char *names; /* other names, as "a|b", or "" */
};

enum { PALETTE_FOUND_MAX = 3000, PALETTE_RECENT = 5 };

/** The list; zero-initialise, free with palette_free(). */
struct palette {
    enum palette_scope scope;
    struct palette_item *item;
    int count, room;
    int own_count; /* of items without the files of `folder`, which follow them */
    char folder[PATH_MAX_BYTES]; /* whose files are listed because its path is typed; or "" */
    char **text; /* copies that items point to */
    int texts;
    int found[PALETTE_FOUND_MAX];      /* items that answer to the query, the best first */
    int found_count;
    struct palette_item only[2];       /* items that a query makes: ITEM_SET, ITEM_RANK; found as -1 and -2 */
    char only_text[2][UI_MESSAGE_MAX];
    struct assigned assigned;          /* of ITEM_SET */
    struct lexicon *lexicon;
    struct inquiry inquiry;            /* the query in plain words */
    struct intent_hit hit[LEXICON_ROWS_MAX]; /* what it asks for */
    int hits;
    bool is_ignored;                   /* the query names what changes neither memory nor time */
    char fault[UI_MESSAGE_MAX];        /* why the query, which begins like keys to set or a rank, is none; or "" */
    const char *recent[PALETTE_RECENT]; /* names of what was taken last */
};

/** Lists everything again that has a name now: presets, files of this folder, results of this plan. */
void palette_fill(struct palette *palette, const struct ui *ui);

/** Finds what answers to a query, or with "" everything, what was taken last first. */
void palette_find(struct palette *palette, const struct ui *ui, const char *query);

/** Item `row` of those found; NULL past the end. */
const struct palette_item *palette_at(const struct palette *palette, int row);

/** The name of an item of /: `layouts` of view 8, the path of a field. */
const char *palette_item_name(const struct palette_item *item);

/** The two names nearest to a query that finds nothing, as "a or b". */
void palette_nearest(const struct palette *palette, const char *query, char *out, size_t size);

/** Remembers an item that was taken. */
void palette_took(struct palette *palette, const struct palette_item *item);

/** Frees everything. */
void palette_free(struct palette *palette);
