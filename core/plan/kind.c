#include "core/plan/kind.h"

#include "core/base.h"
#include "core/plan/key.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct kind_row mixer_rows[MIXER_COUNT] = {
#define MIXER(id, ...) [MIXER_##id] = {__VA_ARGS__},
#include "core/plan/kind.def"
};

const struct kind_row feed_rows[FEED_COUNT] = {
#define FEED(id, symbol_, words_) [FEED_##id] = {.symbol = symbol_, .words = words_, .source = ""},
#include "core/plan/kind.def"
};

/* ---- reading ---------------------------------------------------------------------------------------------------- */

enum { DEPTH_MAX = 4 };

/* A pattern being read. */
struct reader {
    const char *at;
    bool has_words; /* a word a layer, not a symbol */
    unsigned char *layer;
    int count, most;
    char *why;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static int refuse(struct reader *reader, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(reader->why, reader->size, format, list);
    va_end(list);
    return -1;
}

/* The row whose symbol comes next, passed over; 0 when there is none. */
static int take_symbol(struct reader *reader, const struct kind_row rows[], int count)
{
    for (int i = 1; i < count; i++) {
        size_t length = strlen(rows[i].symbol);
        if (strncmp(reader->at, rows[i].symbol, length) == 0) {
            reader->at += length;
            return i;
        }
    }
    return 0;
}

static int take_mixer(struct reader *reader)
{
    if (*reader->at != '+') /* Megatron's latent attention, which multi_latent_attention says here */
        return take_symbol(reader, mixer_rows, MIXER_COUNT);
    reader->at++;
    return MIXER_ATTENTION;
}

static int read_layer(struct reader *reader)
{
    int mixer = take_mixer(reader);
    int feed = !mixer || reader->has_words ? take_symbol(reader, feed_rows, FEED_COUNT) : 0;
    if (!mixer && !feed)
        return refuse(reader, "'%.20s' is not a kind of layer; use symbols such as M, G, *, - and E", reader->at);
    if (reader->has_words && *reader->at && !strchr(" ]/", *reader->at))
        return refuse(reader, "'%.20s' follows in one word, which is one layer; put a blank before it", reader->at);
    if (reader->count == reader->most)
        return refuse(reader, "has more than %d layers; use fewer", reader->most);
    reader->layer[reader->count++] = layer_of((enum mixer)mixer, (enum feed)feed);
    return 0;
}

static int read_layers(struct reader *reader, int depth);

/* `12[GE *E]`, whose first number is next. */
static int read_repeated(struct reader *reader, int depth)
{
    char *end;
    long times = strtol(reader->at, &end, 10);
    int first = reader->count;
    if (*end != '[' || times < 1 || times > reader->most || depth == DEPTH_MAX)
        return refuse(reader, "'%.20s' is not a repeated part; write it as 12[GE *E]", reader->at);
    reader->at = end + 1;
    if (read_layers(reader, depth + 1) != 0)
        return -1;
    int each = reader->count - first;
    if (*reader->at++ != ']' || each == 0)
        return refuse(reader, "has a [ without its ] or with nothing in it; write it as 12[GE *E]");
    if (times * each > reader->most - first)
        return refuse(reader, "has more than %d layers; use fewer", reader->most);
    for (int i = each; i < times * each; i++)
        reader->layer[first + i] = reader->layer[first + i - each];
    reader->count = first + (int)times * each;
    return 0;
}

static int read_layers(struct reader *reader, int depth)
{
    while (*reader->at && *reader->at != ']' && *reader->at != '/') {
        if (*reader->at == ' ')
            reader->at++;
        else if ((isdigit((unsigned char)*reader->at) ? read_repeated(reader, depth) : read_layer(reader)) != 0)
            return -1;
    }
    return 0;
}

int pattern_parse(const char *text, struct layer_pattern *out, char *why, size_t size)
{
    struct layer_pattern pattern = {0};
    struct reader reader = {.at = text, .has_words = strpbrk(text, " [") != NULL, .layer = pattern.of,
                            .most = PATTERN_LAYERS_MAX, .why = why, .size = size};
    if (read_layers(&reader, 0) != 0)
        return -1;
    pattern.layers = (int16_t)reader.count;
    reader.layer = pattern.of_mtp;
    reader.most = PATTERN_MTP_MAX;
    reader.count = 0;
    if (*reader.at == '/') {
        reader.at++;
        if (read_layers(&reader, 0) != 0)
            return -1;
        pattern.mtp = (int16_t)reader.count;
    }
    if (*reader.at || pattern.layers == 0)
        return refuse(&reader, "'%.20s' does not belong there; write it as MEM*E or 12[GE *E]", reader.at);
    unsigned char kinds[KINDS_MAX];
    if (pattern_kinds(&pattern, kinds) > KINDS_MAX)
        return refuse(&reader, "has more than %d kinds of layers; use fewer", KINDS_MAX);
    *out = pattern;
    return 0;
}

void pattern_set_layers(struct layer_pattern *pattern, const struct layer_pattern *from)
{
    pattern->layers = from->layers;
    memcpy(pattern->of, from->of, sizeof pattern->of);
    if (from->mtp > 0)
        pattern_set_mtp(pattern, from->of_mtp, from->mtp);
}

void pattern_set_mtp(struct layer_pattern *pattern, const unsigned char of[], int count)
{
    memset(pattern->of_mtp, 0, sizeof pattern->of_mtp);
    memcpy(pattern->of_mtp, of, (size_t)count);
    pattern->mtp = (int16_t)count;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

/* A text of limited size that grows. */
struct writer {
    char *out;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *writer, const char *format, ...)
{
    bool has_room = writer->used < writer->size;
    va_list list;
    va_start(list, format);
    int n = vsnprintf(has_room ? writer->out + writer->used : NULL, has_room ? writer->size - writer->used : 0, format,
                      list);
    va_end(list);
    writer->used += n > 0 ? (size_t)n : 0;
}

static void put_layer(struct writer *writer, unsigned char layer)
{
    put(writer, "%s%s", mixer_rows[layer_mixer(layer)].symbol, feed_rows[layer_feed(layer)].symbol);
}

/* How often the `period` layers from `at` on come one after the other. */
static int times_of(const unsigned char of[], int layers, int at, int period)
{
    int end = at + period;
    while (end < layers && of[end] == of[end - period])
        end++;
    return (end - at) / period;
}

/* The period from `at` on that covers most layers when it is written once; 0: none comes twice. */
static int period_of(const unsigned char of[], int layers, int at)
{
    enum { LONGEST = 24 };
    int best = 0, most = 0;
    for (int period = 1; period <= LONGEST && at + 2 * period <= layers; period++) {
        int times = times_of(of, layers, at, period);
        if (times > 1 && times * period > most) {
            best = period;
            most = times * period;
        }
    }
    return best;
}

static void put_words(struct writer *writer, const unsigned char of[], int layers)
{
    for (int at = 0; at < layers;) {
        int period = period_of(of, layers, at), times = period ? times_of(of, layers, at, period) : 1;
        if (at > 0)
            put(writer, " ");
        if (period)
            put(writer, "%d[", times);
        for (int i = 0; i < (period ? period : 1); i++) {
            put(writer, "%s", i ? " " : "");
            put_layer(writer, of[at + i]);
        }
        put(writer, "%s", period ? "]" : "");
        at += period ? period * times : 1;
    }
}

static bool is_half(unsigned char layer)
{
    return layer_mixer(layer) == MIXER_NONE || layer_feed(layer) == FEED_NONE;
}

bool pattern_is_halves(const struct layer_pattern *pattern)
{
    for (int i = 0; i < pattern->layers; i++)
        if (!is_half(pattern->of[i]))
            return false;
    return pattern->layers > 0;
}

int pattern_print(const struct layer_pattern *pattern, char *out, size_t size)
{
    struct writer writer = {out, size, 0};
    bool is_plain = true; /* a symbol a layer, as Megatron writes it */
    for (int i = 0; i < pattern->layers; i++)
        is_plain &= is_half(pattern->of[i]);
    for (int i = 0; i < pattern->mtp; i++)
        is_plain &= is_half(pattern->of_mtp[i]);
    for (int i = 0; is_plain && i < pattern->layers; i++)
        put_layer(&writer, pattern->of[i]);
    if (!is_plain)
        put_words(&writer, pattern->of, pattern->layers);
    if (pattern->mtp > 0)
        put(&writer, is_plain ? "/" : " / ");
    for (int i = 0; i < pattern->mtp; i++) {
        put(&writer, "%s", i && !is_plain ? " " : "");
        put_layer(&writer, pattern->of_mtp[i]);
    }
    if (!is_plain && pattern->layers == 1 && pattern->mtp == 0) /* one word alone needs its blank */
        put(&writer, " ");
    return (int)writer.used;
}

int pattern_words(const struct layer_pattern *pattern, char *out, size_t size)
{
    struct writer writer = {out, size, 0};
    put(&writer, "%d layers:", pattern->layers);
    const char *comma = " ";
    for (int kind = 1; kind < MIXER_COUNT + FEED_COUNT; kind++) {
        bool is_mixer = kind < MIXER_COUNT;
        int count = 0, id = is_mixer ? kind : kind - MIXER_COUNT;
        for (int i = 0; i < pattern->layers; i++)
            count += (is_mixer ? (int)layer_mixer(pattern->of[i]) : (int)layer_feed(pattern->of[i])) == id && id > 0;
        if (count > 0) {
            put(&writer, "%s%d %s", comma, count, (is_mixer ? mixer_rows : feed_rows)[id].words);
            comma = ", ";
        }
    }
    return (int)writer.used;
}

/* ---- counting --------------------------------------------------------------------------------------------------- */

int pattern_experts(const struct layer_pattern *pattern, int from, int to)
{
    int count = 0;
    for (int i = from; i < to && i < pattern->layers; i++)
        count += layer_feed(pattern->of[i]) == FEED_EXPERTS;
    return count;
}

static int add_kind(unsigned char kind, unsigned char out[KINDS_MAX], int count)
{
    for (int i = 0; i < count && i < KINDS_MAX; i++)
        if (out[i] == kind)
            return count;
    if (count < KINDS_MAX)
        out[count] = kind;
    return count + 1;
}

int pattern_kinds(const struct layer_pattern *pattern, unsigned char out[KINDS_MAX])
{
    int count = 0;
    for (int i = 0; i < pattern->layers; i++)
        count = add_kind(layer_kind(pattern->of[i]), out, count);
    for (int i = 0; i < pattern->mtp; i++)
        count = add_kind(layer_kind(pattern->of_mtp[i]), out, count);
    return count;
}

bool pattern_has(const struct layer_pattern *pattern, enum mixer mixer)
{
    for (int i = 0; i < pattern->layers; i++)
        if (layer_mixer(pattern->of[i]) == mixer)
            return true;
    return false;
}

bool pattern_in_context(const struct layer_pattern *pattern)
{
    for (int i = 0; i < pattern->layers; i++) {
        enum mixer mixer = layer_mixer(pattern->of[i]);
        bool trades = mixer == MIXER_MAMBA2 || mixer == MIXER_GDN || mixer == MIXER_KDA;
        if (mixer != MIXER_NONE && !kind_attends(mixer) && !trades)
            return false;
    }
    return true;
}

bool pattern_in_megatron(const struct layer_pattern *pattern)
{
    for (int i = 0; i < pattern->layers; i++) {
        enum mixer mixer = layer_mixer(pattern->of[i]);
        if (mixer > MIXER_WINDOW && mixer != MIXER_MAMBA2 && mixer != MIXER_GDN && mixer != MIXER_SPARSE)
            return false;
    }
    return true;
}

/* ---- one kind --------------------------------------------------------------------------------------------------- */

bool kind_attends(enum mixer mixer)
{
    return (mixer >= MIXER_ATTENTION && mixer <= MIXER_CHUNK) || (mixer >= MIXER_SPARSE && mixer <= MIXER_PARALLEL);
}

/* As of a window of `width` tokens. */
static double window_reach(double width, double s)
{
    return width < s ? width - width * width / (2 * s) : s / 2;
}

int kind_ratio(enum mixer mixer)
{
    return mixer == MIXER_COMPRESSED ? 4 : mixer == MIXER_CONDENSED ? 128 : 0;
}

double kind_forgets(const struct plan *plan, enum mixer mixer)
{
    bool has_window = mixer == MIXER_WINDOW || (mixer >= MIXER_ONE_KEY && mixer <= MIXER_CONDENSED);
    return has_window             ? KEY_OF(plan, model, sliding_window)
           : mixer == MIXER_CHUNK ? KEY_OF(plan, model, attention_chunk)
                                  : 0;
}

double kind_reach(const struct plan *plan, enum mixer mixer)
{
    double s = KEY_OF(plan, train, seq_length), topk = KEY_OF(plan, model, dsa_indexer_topk);
    double near = window_reach(KEY_OF(plan, model, sliding_window), s);
    switch (mixer) {
    case MIXER_CHUNK:
        return fmin(s, KEY_OF(plan, model, attention_chunk)) / 2;
    case MIXER_SPARSE:
    case MIXER_SPARSE_SHARED:
        return window_reach(topk, s);
    case MIXER_BLOCK_SPARSE:
        return window_reach(topk * KEY_OF(plan, model, sparse_block), s);
    case MIXER_ONE_KEY:
        return near;
    case MIXER_COMPRESSED:
        return near + fmin(topk, s / 8);
    case MIXER_CONDENSED:
        return near + s / 256;
    default:
        return 0;
    }
}

unsigned char kind_first(const struct plan *plan)
{
    if (plan->pattern.layers == 0)
        return layer_of(MIXER_ATTENTION, FEED_DENSE);
    for (int i = 0; i < plan->pattern.layers; i++)
        if (kind_attends(layer_mixer(plan->pattern.of[i])))
            return layer_kind(plan->pattern.of[i]);
    return layer_kind(plan->pattern.of[0]);
}

/* Takes a window layer's own shape where it has one. */
static void take_window(struct plan *out)
{
    static const enum param pairs[][2] = {
        {PARAM_model_num_attention_heads, PARAM_model_window_num_attention_heads},
        {PARAM_model_num_query_groups, PARAM_model_window_num_query_groups},
        {PARAM_model_kv_channels, PARAM_model_window_kv_channels},
        {PARAM_model_v_channels, PARAM_model_window_v_channels},
    };
    for (size_t i = 0; i < LENGTH(pairs); i++)
        if (out->value[pairs[i][1]] > 0)
            out->value[pairs[i][0]] = out->value[pairs[i][1]];
    KEY_OF(out, model, sliding_window_every) = 0;
    KEY_OF(out, model, k_equals_v) = 0;
}

void kind_plan(const struct plan *resolved, unsigned char kind, struct plan *out)
{
    enum mixer mixer = layer_mixer(kind);
    *out = *resolved;
    out->kind = kind;
    if (layer_feed(kind) == FEED_WIDE)
        KEY_OF(out, model, ffn_hidden_size) *= 2;
    if (mixer == MIXER_WINDOW) {
        take_window(out);
        return;
    }
    if (mixer < MIXER_ONE_KEY)
        KEY_OF(out, model, sliding_window) = KEY_OF(out, model, sliding_window_every) = 0;
    if (!kind_attends(mixer))
        KEY_OF(out, model, multi_latent_attention) = 0;
}
