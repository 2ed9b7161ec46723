/*
 * core/mark.c - a program of the build: prints the marks of core/estimate/varies.h. A symbol, a rule or a row of
 * a stage follows from a key where its text reads the key, or anything that follows from it.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum sheet { SHEET_KEY, SHEET_SYMBOL, SHEET_RULE, SHEET_GIVEN, SHEET_STAGE };

/* A row of a sheet, or what a blank key becomes: its name and its formula. */
static const struct row {
    enum sheet sheet;
    const char *name, *text;
} rows[] = {
#define LATE(group, key, value) {SHEET_KEY, #group "." #key, #value},
#include "core/plan/framework.def"
    {SHEET_KEY, "train.quant_storage", "KEY(parallel, fsdp)"}, /* core/plan/resolve.c */
#define SYM(name, key, unit, meaning, expression)         {SHEET_SYMBOL, #name, #expression},
#define BEHAVIOUR(name, unit, cell, sentence, source)     {SHEET_SYMBOL, #name, #cell},
#define IS(name, cell, source)                            {SHEET_SYMBOL, #name, #cell},
#define MODULE(name, module, meaning)                                                                                  \
    {SHEET_SYMBOL, #name, "selective selective_policy KEY(train, recompute_modules)"},
#include "core/estimate/symbols.def"
#undef SYM
#define RULE(id, kind, group, key, holds, message)        {SHEET_RULE, #id, #holds},
#include "core/plan/rule.def"
#undef RULE
#define GIVEN(name, ...)                                  {SHEET_GIVEN, #name, ""},
#define FOLD(name, unit, meaning, set, column)            {SHEET_GIVEN, #name, "column_" #column},
#define TERM(name, unit, label, expression, source)       {SHEET_STAGE, #name, #expression},
#include "core/estimate/stage.def"
#undef GIVEN
#undef FOLD
#undef TERM
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

/* A mark: what begins it, ended by NULL, and where it is told of. */
static const struct mark {
    const char *name;
    const char *const *roots;
    bool is_of_symbols_alone, is_of_no_stage;
} marks[] = {
    {"SHARDED", (const char *const[]){"parallel.zero_stage", "parallel.fsdp", NULL}, false, false},
    {"RECOMPUTED",
     (const char *const[]){"train.recompute", "train.recompute_num_layers", "column_freed", NULL}, false, false},
    {"ALIVE",
     (const char *const[]){"chunks_in_flight", "dense_in_flight", "moe_in_flight", "embed_in_flight", "peak_pass",
                           "chunks_waiting", "dense_waiting", "moe_waiting", NULL}, false, false},
    {"PIPELINED",
     (const char *const[]){"parallel.pp", "parallel.vpp", "parallel.schedule", "parallel.dp",
                           "train.gradient_accumulation_steps", "parallel.embedding_counts_as_layer",
                           "parallel.loss_counts_as_layer", "parallel.first_stage_layers",
                           "parallel.last_stage_layers", "chunk_layers", "splits", "played", NULL}, false, true},
    {"DIVIDED",
     (const char *const[]){"parallel.tp", "parallel.pp", "parallel.vpp", "parallel.cp", "parallel.ep", "parallel.etp",
                           "parallel.dp", "parallel.sp", "parallel.zero_stage", "model.make_vocab_size_divisible_by",
                           NULL}, true, true},
};

/* Copies the word at `text`, with KEY(group, key) as group.key. Returns the bytes read, 0 if no word begins here. */
static size_t read_word(const char *text, char word[64])
{
    char group[24], key[40];
    int length = 0;
    if (sscanf(text, "KEY(%23[a-z_], %39[a-z0-9_])%n", group, key, &length) == 2 && length > 0) {
        snprintf(word, 64, "%s.%s", group, key);
        return (size_t)length;
    }
    for (length = 0; isalnum((unsigned char)text[length]) || text[length] == '_';)
        length++;
    snprintf(word, 64, "%.*s", length, text);
    return (size_t)length;
}

static bool is_listed(const char *word, const char *const list[])
{
    while (*list && strcmp(*list, word) != 0)
        list++;
    return *list;
}

/* Whether a text reads one of the words of `roots`, or a row that is marked. */
static bool reads(const char *text, const char *const roots[], const bool is_marked[ROW_COUNT])
{
    char word[64];
    for (size_t length; *text; text += length ? length : 1) {
        length = read_word(text, word);
        if (length > 0 && is_listed(word, roots))
            return true;
        for (int i = 0; length > 0 && i < ROW_COUNT; i++)
            if (is_marked[i] && strcmp(rows[i].name, word) == 0)
                return true;
    }
    return false;
}

/* Marks every row that follows from the roots. */
static void follow(const char *const roots[], bool is_marked[ROW_COUNT])
{
    for (bool is_more = true; is_more;) {
        is_more = false;
        for (int i = 0; i < ROW_COUNT; i++)
            if (!is_marked[i] && reads(rows[i].text, roots, is_marked))
                is_more = is_marked[i] = true;
    }
}

static bool is_told(const struct mark *mark, enum sheet sheet)
{
    bool is_stage = sheet == SHEET_GIVEN || sheet == SHEET_STAGE;
    return sheet != SHEET_KEY && !(mark->is_of_no_stage && is_stage) &&
           !(mark->is_of_symbols_alone && sheet != SHEET_SYMBOL);
}

/* The rows of stage_floor(): those that it adds up, and what they read of the stage. A row reads those above it. */
static void print_floor(void)
{
    static const char *const summands[] = {"weights_bytes", "gradients_all_bytes", "optimizer_bytes", "in_flight_bytes",
                                           NULL};
    bool is_of_floor[ROW_COUNT] = {false};
    const bool none[ROW_COUNT] = {false};
    for (int i = ROW_COUNT; i-- > 0 && rows[i].sheet >= SHEET_GIVEN;) {
        const char *const self[] = {rows[i].name, NULL};
        is_of_floor[i] = is_listed(rows[i].name, summands);
        for (int j = i + 1; j < ROW_COUNT && !is_of_floor[i]; j++)
            is_of_floor[i] = is_of_floor[j] && rows[j].sheet == SHEET_STAGE && reads(rows[j].text, self, none);
        if (is_of_floor[i] && rows[i].sheet == SHEET_STAGE)
            printf("#define FLOOR_%s ~, 1\n", rows[i].name);
    }
}

int main(void)
{
    for (const struct mark *mark = marks; mark < marks + sizeof marks / sizeof *marks; mark++) {
        bool is_marked[ROW_COUNT] = {false};
        follow(mark->roots, is_marked);
        for (int i = 0; i < ROW_COUNT; i++)
            if (is_marked[i] && is_told(mark, rows[i].sheet))
                printf("#define %s_%s ~, 1\n", mark->name, rows[i].name);
    }
    print_floor();
    return 0;
}
