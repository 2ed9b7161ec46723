/*
 * core/plan/kind.h - model.layer_pattern: what each layer of a model is made of, where its layers differ.
 *
 * A layer is a mixer and a feed-forward block, either of which may be missing. A kind is what of it costs something of
 * its own: the mixer, and whether a feed-forward block follows.
 */
#pragma once

#include "core/plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

/** What mixes the tokens of a layer, by the rows of core/plan/kind.def. */
enum mixer {
#define MIXER(id, ...) MIXER_##id,
#include "core/plan/kind.def"
    MIXER_COUNT
};

/** What follows the mixer. */
enum feed {
#define FEED(id, ...) FEED_##id,
#include "core/plan/kind.def"
    FEED_COUNT
};

/** Symbol and words of mixers and of feed-forward blocks. */
struct kind_row {
    const char *symbol, *words, *source;
};
extern const struct kind_row mixer_rows[MIXER_COUNT], feed_rows[FEED_COUNT];

/** One layer as struct layer_pattern holds it, and back. */
static inline unsigned char layer_of(enum mixer mixer, enum feed feed)
{
    return (unsigned char)(mixer | feed << 5);
}
static inline enum mixer layer_mixer(unsigned char layer)
{
    return (enum mixer)(layer & 31);
}
static inline enum feed layer_feed(unsigned char layer)
{
    return (enum feed)(layer >> 5);
}

/** The kind of a layer: experts cost the same behind every mixer, and stand in sums of their own. */
static inline unsigned char layer_kind(unsigned char layer)
{
    return layer_feed(layer) == FEED_EXPERTS ? layer_of(layer_mixer(layer), FEED_DENSE) : layer;
}

/**
 * Reads a pattern: Megatron's, a symbol a layer (`MEM*E`), or words with blanks between, a word a layer
 * (`12[GE GE GE *E]`); behind a `/` the layers of one multi-token-prediction module. Returns 0, or -1 with what is
 * wrong and what to do in `why` (`size` bytes).
 */
int pattern_parse(const char *text, struct layer_pattern *out, char *why, size_t size);

/** Takes the layers of another pattern, and its module where it describes one. */
void pattern_set_layers(struct layer_pattern *pattern, const struct layer_pattern *from);

/** Takes the layers of one multi-token-prediction module, `count` of them, at most PATTERN_MTP_MAX. */
void pattern_set_mtp(struct layer_pattern *pattern, const unsigned char of[], int count);

/** Whether each layer is a mixer or a feed-forward block alone, as in Megatron's patterns: each has a norm then. */
bool pattern_is_halves(const struct layer_pattern *pattern);

/** Writes a pattern as pattern_parse() reads it, repeated parts once; returns its length. */
int pattern_print(const struct layer_pattern *pattern, char *out, size_t size);

/** Writes what a pattern has, folded: `52 layers: 23 Mamba-2, 23 experts, 6 attention`; returns its length. */
int pattern_words(const struct layer_pattern *pattern, char *out, size_t size);

/** Layers from `from` to before `to` that have experts. */
int pattern_experts(const struct layer_pattern *pattern, int from, int to);

/** Whether a layer of a pattern has this mixer. */
bool pattern_has(const struct layer_pattern *pattern, enum mixer mixer);

/** Whether all mixers of a pattern are modelled where several ranks share a sequence. */
bool pattern_in_context(const struct layer_pattern *pattern);

/**
 * Whether Megatron core has each mixer of a pattern, by --hybrid-layer-pattern, --experimental-attention-variant or
 * --window-size. Source: core/models/hybrid/hybrid_layer_allocation.py, training/arguments.py at d98e8a6.
 */
bool pattern_in_megatron(const struct layer_pattern *pattern);

/** The different kinds of a pattern, in the order of their first layers; returns how many, at most KINDS_MAX. */
enum { KINDS_MAX = 12 };
int pattern_kinds(const struct layer_pattern *pattern, unsigned char out[KINDS_MAX]);

/** Whether a mixer is attention by queries, keys and values, whatever they reach. */
bool kind_attends(enum mixer mixer);

/**
 * Keys that a query of a chunked or sparse layer meets on average, causal; 0 for other mixers, of which the window says
 * it. Source: a window's w - w^2/2s; chunks restart (vLLM models/llama4.py); the indexer's choice is counted like a
 * window of as many tokens; DeepSeek-V4 adds what the compressor keeps (vLLM models/deepseek_v4).
 */
double kind_reach(const struct plan *resolved, enum mixer mixer);

/** Tokens behind which a mixer reads no keys, so that its cache ends there; 0 where it reads all or has none. */
double kind_forgets(const struct plan *resolved, enum mixer mixer);

/** Tokens that the compressor of a mixer joins (DeepSeek-V4), 0 for none. */
int kind_ratio(enum mixer mixer);

/** A plan whose layers are all of one kind of another, resolved, plan: keys that the kind has of its own set. */
void kind_plan(const struct plan *resolved, unsigned char kind, struct plan *out);

/** The kind that speaks for a plan where only one can: that of its first layer with attention, else of the first. */
unsigned char kind_first(const struct plan *plan);
