/* src/import/tokenizer.h - how many tokens a tokenizer has, by its name; the rows are src/import/tokenizers.def. */
#pragma once

/** How well a size is known: tokens of the tokenizer, rows of the published embedding, the most common size. */
enum tokenizer_kind { TOKENIZER_TRUE, TOKENIZER_PADDED, TOKENIZER_ASSUMED };

/** One tokenizer. */
struct tokenizer {
    const char *name; /* with its prefix and patterns */
    int size;
    enum tokenizer_kind kind;
    const char *source;
};

/** What is taken where nothing tells. */
enum { TOKENIZER_GUESS = 131072 };

/**
 * The first row of `prefix` ("type:", "len:", "hub:", "file:") that matches `name`; of files the last part of the path
 * counts. NULL when there is none.
 */
const struct tokenizer *tokenizer_find(const char *prefix, const char *name);
