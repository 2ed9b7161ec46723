/* src/import/table.h - tables that map the values of a foreign file to plan keys, and what no table has used. */
#pragma once

#include "src/import/spelling.h"
#include "src/text/tree.h"

struct import;

/** True for a name that tells of data, schedules, output or measuring. */
bool tree_is_harmless(const char *path);

/**
 * Lists every part of the file without a used value once, by the shortest path that says so, leaving out `prefix`.
 * `why` becomes its value; NULL: by its name it changes neither memory nor time, or it is unknown, and asked about
 * where it may decide something (src/import/unknown.h).
 */
void tree_unused(const struct tree *tree, const char *prefix, const char *why, struct import *out);

/** Sets `key` to a number in its shortest form. */
void keyvals_number(struct keyvals *list, const char *key, double value, int line);

/** How a value of a file becomes one of a plan. */
enum tree_kind {
    TREE_WHOLE,  /* a whole number from 0 on */
    TREE_NUMBER, /* any number from 0 on */
    TREE_BOOL,
    TREE_TEXT,   /* as it stands, such as a model's name */
    TREE_CHOICE, /* looked up in `choices`, whatever its case */
    TREE_WORD,   /* plus a dialect: a value of the key as the dialect spells it */
};

/** One pair of words; a list ends with a NULL. */
struct tree_choice {
    const char *from, *to;
};

/** One row of a table that maps a file to plan keys. */
struct tree_row {
    const char *path; /* one path, or several in order of preference, separated by `|` */
    const char *key;
    enum tree_kind kind;
    const struct tree_choice *choices;
};

/** True where the path is one of those of a row. */
bool tree_row_has(const struct tree_row *row, const char *path);

/** Rows of numbers and switches. */
#define TREE_SIZE(path, key) {path, key, TREE_WHOLE, NULL}
#define TREE_REAL(path, key) {path, key, TREE_NUMBER, NULL}
#define TREE_FLAG(path, key) {path, key, TREE_BOOL, NULL}

/** The last members of a row whose words are those of a dialect. */
#define TREE_AS(dialect) (enum tree_kind)(TREE_WORD + DIALECT_##dialect), NULL

/** Switches: whole layers run again or none; all of something or nothing. */
extern const struct tree_choice checkpointing_choice[], share_choice[];

/** Rows for a model's sizes and for its layout by Megatron's names, below a prefix. */
#define MEGATRON_SIZES(below)                                                                                          \
    {below "num_layers", "model.num_layers", TREE_WHOLE, NULL},                                                        \
    {below "hidden_size", "model.hidden_size", TREE_WHOLE, NULL},                                                      \
        {below "ffn_hidden_size", "model.ffn_hidden_size", TREE_WHOLE, NULL},                                          \
        {below "num_attention_heads", "model.num_attention_heads", TREE_WHOLE, NULL},                                  \
        {below "num_query_groups", "model.num_query_groups", TREE_WHOLE, NULL},                                        \
        {below "kv_channels", "model.kv_channels", TREE_WHOLE, NULL},                                                  \
        {below "make_vocab_size_divisible_by", "model.make_vocab_size_divisible_by", TREE_WHOLE, NULL},                \
        {below "share_embeddings_and_output_weights", "model.tied_embeddings", TREE_BOOL, NULL},                       \
        {below "num_moe_experts", "model.num_experts", TREE_WHOLE, NULL},                                              \
        {below "moe_router_topk", "model.moe_router_topk", TREE_WHOLE, NULL},                                          \
        {below "hidden_dropout", "model.hidden_dropout", TREE_NUMBER, NULL},                                           \
        {below "attention_dropout", "model.attention_dropout", TREE_NUMBER, NULL}
#define MEGATRON_LAYOUT(below)                                                                                         \
    {below "tensor_model_parallel_size", "parallel.tp", TREE_WHOLE, NULL},                                             \
        {below "pipeline_model_parallel_size", "parallel.pp", TREE_WHOLE, NULL},                                       \
        {below "virtual_pipeline_model_parallel_size", "parallel.vpp", TREE_WHOLE, NULL},                              \
        {below "context_parallel_size", "parallel.cp", TREE_WHOLE, NULL},                                              \
        {below "expert_model_parallel_size", "parallel.ep", TREE_WHOLE, NULL},                                         \
        {below "expert_tensor_parallel_size", "parallel.etp", TREE_WHOLE, NULL},                                       \
        {below "sequence_parallel", "parallel.sp", TREE_BOOL, NULL}
#define MEGATRON_RECOMPUTE(below)                                                                                      \
    {below "recompute_granularity", "train.recompute", TREE_AS(MEGATRON)},                               \
        {below "recompute_method", "train.recompute_method", TREE_AS(MEGATRON)},                              \
        {below "recompute_num_layers", "train.recompute_num_layers", TREE_WHOLE, NULL}

/**
 * Applies rows of a table, which lives as long as the program, below `prefix`; a word that is not among the choices is
 * remarked on. The import keeps the table for who writes a change back.
 */
void tree_apply(struct tree *tree, const char *prefix, const struct tree_row *rows, size_t count, struct import *out);

/**
 * Asks for the values that a file leaves open: `???`, `${NAME}`, `<path>`, `{{ hole }}`, a word such as BATCH_SIZE
 * where a number belongs, and `auto` with `has_auto`. They are then as good as null; the keys that they decide are
 * those of the rows.
 */
void tree_ask_open(struct tree *tree, const struct tree_row *rows, size_t count, bool has_auto, struct import *out);

/**
 * What a trainer of models that see images leaves untrained, in train.frozen. The paths are of its switches for the
 * vision tower, what joins it to the language model (NULL where that is the tower's) and the language model; a switch
 * that the file does not have is `silent`, bits in that order. Nothing happens where the file has none of them.
 */
void tree_frozen(struct tree *tree, const char *const paths[3], unsigned silent, struct import *out);

/** Keeps a table that nothing is read with: how to write what rules of the format read. */
void tree_keep(struct import *import, const char *prefix, const struct tree_row *rows, size_t count);
