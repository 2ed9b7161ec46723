/* src/import/megatron_rules.c - what the flags of Megatron-LM mean together: a rule for each setting of a plan. */
#include "core/base.h"
#include "core/plan/param.h"
#include "src/import/arguments.h"
#include "src/import/deepspeed.h"
#include "src/import/megatron_flags.h"
#include "src/import/rollout.h"
#include "src/import/tokenizer.h"
#include "src/import/words.h"
#include "src/shell/shell.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing settings ---------------------------------------------------------------------------------------- */

const struct flag_row *row_of(const struct seen *s, const struct megatron *im)
{
    return &flag_row[s - im->seen];
}

const struct seen *seen_of(const struct megatron *im, const char *flag)
{
    const struct flag_row *row = flag_find(flag);
    return &im->seen[row - flag_row];
}

bool has(const struct megatron *im, const char *flag)
{
    return seen_of(im, flag)->is_given;
}

bool is_known_value(const struct seen *s)
{
    return s->is_given && !s->is_unknown;
}

static bool has_value(const struct megatron *im, const char *flag, const char *value)
{
    const struct seen *s = seen_of(im, flag);
    return is_known_value(s) && strcmp(s->value, value) == 0;
}

static bool parse_whole(const char *text, int64_t *value)
{
    char *end;
    long long n = strtoll(text, &end, 10);
    *value = n;
    return end != text && !*end;
}

/* True if the flag is given with a whole number. */
static bool has_number(const struct megatron *im, const char *flag, int64_t *value)
{
    const struct seen *s = seen_of(im, flag);
    return is_known_value(s) && parse_whole(s->value, value);
}

/* The value of a count such as `--pipeline-model-parallel-size`: 1 when the flag is absent; false if not known. */
static bool has_count(const struct megatron *im, const char *flag, int64_t *value)
{
    *value = 1;
    return !has(im, flag) || (has_number(im, flag, value) && *value >= 1);
}

/* The keys of which something is taken while their flag is not known: Megatron's own defaults of the sizes. */
static const char *assumed_of(const char *key)
{
    static const struct {
        const char *key, *value;
    } row[] = {
        {"parallel.tp", "1"}, {"parallel.pp", "1"}, {"parallel.cp", "1"},         {"parallel.ep", "1"},
        {"parallel.vpp", "1"}, {"parallel.zero_stage", "0"}, {"train.micro_batch_size", "1"},
    };
    for (size_t i = 0; i < LENGTH(row); i++)
        if (strcmp(row[i].key, key) == 0)
            return row[i].value;
    return "";
}

/* The name that the script gives to the argument which a flag hangs on; NULL for none. */
static const char *argument_of(const struct megatron *im, const struct seen *s)
{
    bool is_argument = s->why && s->why->kind == REASON_ARGUMENT && isdigit((unsigned char)*s->why->source);
    return is_argument && im->arguments ? arguments_name_of(im->arguments, s->why->source) : NULL;
}

/* What is not known, in fresh memory, and how a value for it is given. */
static char *variable_of(const struct megatron *im, const struct seen *s, const char *key, char **how)
{
    const char *name = shell_reason_variable(s->why), *own = argument_of(im, s);
    bool is_argument = s->why && s->why->kind == REASON_ARGUMENT && isdigit((unsigned char)*s->why->source);
    *how = own           ? xasprintf("-- %s=VALUE", own)
           : is_argument ? xstrdup("-- ARGUMENTS")
           : name      ? xasprintf("--env %s=VALUE", name)
                       : xasprintf("--set %s=VALUE", key);
    return name ? xstrdup(name) : s->why ? shell_reason_source(s->why) : xstrdup(key);
}

/* The branch that was taken, in fresh memory; NULL where none was chosen. */
static char *branch_of(const struct shell_reason *why)
{
    if (!why || !why->words)
        return NULL;
    return why->is_first ? xstrndup(why->words, strcspn(why->words, " ")) : xasprintf("anything but %s", why->words);
}

/* Asks for what a flag leaves open. */
static void ask(struct megatron *im, const struct seen *s, const char *key, const char *taken)
{
    char *how, *variable = variable_of(im, s, key, &how), *branch = branch_of(s->why);
    import_ask_words(im->out, key,
                     &(struct asked){.variable = variable,
                                     .assumed = branch  ? branch
                                                : taken ? taken
                                                        : assumed_of(key),
                                     .file = im->file,
                                     .line = branch ? s->why->line : s->line,
                                     .how = how,
                                     .is_uncertain = taken != NULL},
                     branch ? s->why->words : NULL);
    if (branch && !taken && *assumed_of(key)) /* the branch is a word of the script's, no value */
        keyvals_add(&im->out->assumed, key, assumed_of(key), s->line);
    free(branch);
    free(variable);
    free(how);
}

/* Sets a key from a flag; a later flag for the same key wins. */
static void add_setting(struct megatron *im, const struct seen *s, const char *key, const char *value)
{
    if (s->is_context)
        return;
    keyvals_add(&im->out->settings, key, value, s->line);
    if (!s->is_uncertain)
        return;
    char *why = shell_reason_text(s->why);
    if (!argument_of(im, s)) /* those are listed together */
        errors_note(im->errors, im->file, s->line, row_of(s, im)->name, "%s; check %s = %s", why, key, value);
    free(why);
    ask(im, s, key, value);
    if (s->why && s->why->kind == REASON_CONDITION) /* either branch may run */
        keyvals_add(&im->out->unread, key, value, s->line);
}

/* The last number that a flag gave to a key, else that of the plan that flags change, 0 if there is none. */
static int64_t setting_integer(const struct megatron *im, const char *key)
{
    const struct keyval *last = keyvals_last(&im->out->settings, key);
    int id = im->out->is_change ? param_find(key) : -1;
    int64_t n = !last && id >= 0 && im->out->base->value[id] > 0 ? (int64_t)im->out->base->value[id] : 0;
    if (last && !parse_whole(last->value, &n))
        n = 0;
    return n > 0 && n < INT32_MAX ? n : 0;
}

void default_add(struct megatron *im, const char *key, const char *value)
{
    if (!keyvals_last(&im->out->settings, key) && !keyvals_last(&im->out->defaults, key))
        keyvals_add(&im->out->defaults, key, value, 0);
}

static void default_number(struct megatron *im, const char *key, int64_t value)
{
    char *text = xasprintf("%lld", (long long)value);
    default_add(im, key, text);
    free(text);
}

void setting_number(struct megatron *im, const struct seen *s, const char *key, int64_t value)
{
    char *text = xasprintf("%lld", (long long)value);
    add_setting(im, s, key, text);
    free(text);
}

void note_unknown(struct megatron *im, const struct seen *s, const char *key)
{
    char *why = shell_reason_text(s->why);
    if (!argument_of(im, s))
        errors_note(im->errors, im->file, s->line, row_of(s, im)->name, "%s; give %s with --set", why, key);
    free(why);
    keyvals_add(&im->out->unread, key, "", s->line);
    ask(im, s, key, NULL);
}

void note_unreadable(struct megatron *im, const struct seen *s, const char *message)
{
    const struct flag_row *row = row_of(s, im);
    if (im->out->is_typed)
        errors_add(im->errors, im->file, s->line, row->name, "%s", message);
    else
        errors_note(im->errors, im->file, s->line, row->name, "%s", message);
    if (row->key)
        ask(im, s, row->key, NULL);
}

static void note_no_counterpart(struct megatron *im, const struct seen *s)
{
    char *message = xasprintf("%s has no counterpart here; give %s with --set", s->value, row_of(s, im)->key);
    note_unreadable(im, s, message);
    free(message);
}

/* The plan's word for a value, in fresh memory; NULL if it is none of the choices. */
static char *choose(const char *choices, const char *value)
{
    size_t n = strlen(value);
    for (const char *p = choices; *p; p += strspn(p, " ")) {
        size_t size = strcspn(p, " "), from = strcspn(p, "= ");
        if (from == n && memcmp(p, value, n) == 0)
            return p[from] == '=' ? xstrndup(p + from + 1, size - from - 1) : xstrdup(value);
        p += size;
    }
    return NULL;
}

/* Sets `key` through a list of choices; a value that is not listed is remarked on. */
static void setting_choose(struct megatron *im, const struct seen *s, const char *key, const char *choices)
{
    char *to = choose(choices, s->value);
    if (to || im->out->is_typed) /* a word of the plan's own is one, too */
        add_setting(im, s, key, to ? to : s->value);
    else
        note_no_counterpart(im, s);
    free(to);
}

/* The flags that map by themselves, in the order of the table. */
static void apply_rows(struct megatron *im)
{
    for (size_t i = 0; i < FLAG_ROWS; i++) {
        const struct flag_row *row = &flag_row[i];
        const struct seen *s = &im->seen[i];
        if (!s->is_given || row->kind == FLAG_UNMODELLED || !row->key)
            continue;
        if (s->is_unknown && !row->is_launcher && !strstr(row->key, "hardware."))
            note_unknown(im, s, row->key);
        else if (row->kind == FLAG_COPY)
            add_setting(im, s, row->key, s->value);
        else if (row->kind == FLAG_SET)
            add_setting(im, s, row->key, row->value);
        else if (row->kind == FLAG_CHOOSE)
            setting_choose(im, s, row->key, row->value);
    }
}

/* A file that stands in for every flag (Megatron's training/arguments.py, parse_args()). */
static void rule_yaml(struct megatron *im)
{
    const struct seen *s = seen_of(im, "--yaml-cfg");
    if (s->is_given)
        errors_add(im->errors, im->file, s->line, "--yaml-cfg",
                   "takes every setting from a file of Megatron's, which is not read; write them as flags");
}

/* Layers that a script describes by a function of its own: those of Megatron are counted, other ones perhaps not. */
static void rule_spec(struct megatron *im)
{
    static const char *const known[] = {"gpt_layer_specs", "gpt_builders", "get_gpt_",
                                        "local",           "te",           "transformer_engine"};
    static const char *const others[] = {"mamba",       "hybrid", "qwen3_next", "qwen3_5", "gated_delta",
                                         "kimi_linear", "t5",     "bert",       "retro"};
    const struct seen *s = seen_of(im, "--spec");
    bool is_known = !s->is_given || s->is_unknown;
    for (size_t i = 0; i < LENGTH(known) && !is_known; i++)
        is_known = i < 3 ? strstr(s->value, known[i]) != NULL : strcmp(s->value, known[i]) == 0;
    is_known = is_known || has(im, "--hybrid-layer-pattern") || has(im, "--hybrid-override-pattern") ||
               has(im, "--experimental-attention-variant");
    for (size_t i = 0; i < LENGTH(others) && !is_known; i++)
        if (strstr(s->value, others[i])) {
            errors_add(im->errors, im->file, s->line, "--spec",
                       "describes layers (%s) that are not supported; give a decoder-only transformer", others[i]);
            return;
        }
    if (!is_known)
        errors_warn(im->errors, im->file, s->line, "--spec",
                    "describes custom layers; counting them as Megatron's");
}

/* ---- rules: model -------------------------------------------------------------------------------------------- */

static bool is_gated(const struct megatron *im)
{
    return has(im, "--swiglu") || has(im, "--quick-geglu") || has(im, "--glu-activation");
}

static void rule_query_groups(struct megatron *im)
{
    const struct seen *groups = seen_of(im, "--num-query-groups"), *gqa = seen_of(im, "--group-query-attention");
    if (groups->is_given && !gqa->is_given)
        errors_note(im->errors, im->file, groups->line, "--num-query-groups",
                    "has no effect without --group-query-attention; add that flag or give model.num_query_groups");
    else if (is_known_value(groups))
        add_setting(im, groups, "model.num_query_groups", groups->value);
    else if (gqa->is_given && !groups->is_given)
        add_setting(im, gqa, "model.num_query_groups", "1");
}

/* The value of a flag of which even the known part may tell, as in `$DIR/merges.txt`; NULL without one. */
static const char *part_of(const struct megatron *im, const char *flag)
{
    const struct seen *s = seen_of(im, flag);
    return s->is_given && *s->value ? s->value : NULL;
}

/* The row of the tokenizer that the flags name, and what they call it; NULL where no row has it. */
static const struct tokenizer *find_tokenizer(const struct megatron *im, const char **name)
{
    static const char *const file[] = {"--tokenizer-model", "--tokenizer-name-or-path", "--vocab-file", "--merge-file"};
    static const char *const prefix[] = {"len:", "hub:", "file:"};
    const char *type = part_of(im, "--tokenizer-type");
    const struct tokenizer *found = NULL;
    *name = type ? type : "vocabulary";
    for (size_t i = 0; i < LENGTH(file) && !found; i++)
        for (size_t k = 0; k < LENGTH(prefix) && part_of(im, file[i]) && !found; k++) {
            found = tokenizer_find(prefix[k], part_of(im, file[i]));
            *name = i < 2 ? part_of(im, file[i]) : *name;
        }
    if (!found && type)
        found = tokenizer_find("type:", type);
    return found || type || !has(im, "--merge-file") ? found : tokenizer_find("type:", "GPT2BPETokenizer");
}

/* The vocabulary of a tokenizer; one that is not known is assumed, and asked for. */
static void default_vocabulary(struct megatron *im)
{
    const struct seen *s = seen_of(im, has(im, "--tokenizer-model") ? "--tokenizer-model" : "--tokenizer-type");
    const char *name;
    const struct tokenizer *tokenizer = find_tokenizer(im, &name);
    int64_t extra = 0;
    bool is_model = has(im, "--num-layers") || has(im, "--encoder-num-layers") || has(im, "--hidden-size");
    if (tokenizer && tokenizer->kind != TOKENIZER_ASSUMED) {
        has_number(im, "--extra-vocab-size", &extra);
        default_number(im, "model.vocab_size", tokenizer->size + (extra > 0 && extra < INT32_MAX ? extra : 0));
    } else if (is_model) {
        char *size = xasprintf("%d", tokenizer ? tokenizer->size : (int)TOKENIZER_GUESS);
        import_ask(im->out, "model.vocab_size",
                   &(struct asked){name, size, im->file, s->line, "--set vocab_size=N", false});
        free(size);
    }
}

static void rule_vocabulary(struct megatron *im)
{
    const struct seen *padded = seen_of(im, "--padded-vocab-size"), *size = seen_of(im, "--vocab-size");
    if (!padded->is_given)
        padded = seen_of(im, "--pad-vocab-size-to");
    const struct seen *multiple = seen_of(im, "--make-vocab-size-divisible-by");
    if (is_known_value(padded)) {
        add_setting(im, padded, "model.vocab_size", padded->value);
        add_setting(im, padded, "model.make_vocab_size_divisible_by", "1");
        return;
    }
    int64_t n;
    bool adds_one = has_value(im, "--tokenizer-type", "NullTokenizer") && has(im, "--legacy-tokenizer");
    if (is_known_value(size) && adds_one && has_number(im, "--vocab-size", &n) && n < INT32_MAX)
        setting_number(im, size, "model.vocab_size", n + 1);
    else if (is_known_value(size))
        add_setting(im, size, "model.vocab_size", size->value);
    if (is_known_value(multiple))
        add_setting(im, multiple, "model.make_vocab_size_divisible_by", multiple->value);
    else if (!multiple->is_given)
        default_add(im, "model.make_vocab_size_divisible_by", "128");
    if (!is_known_value(size))
        default_vocabulary(im);
}

static void rule_position(struct megatron *im)
{
    const struct seen *type = seen_of(im, "--position-embedding-type");
    const struct seen *rotary = seen_of(im, "--use-rotary-position-embeddings");
    const struct seen *none = seen_of(im, "--no-position-embedding");
    if (rotary->is_given)
        add_setting(im, rotary, "model.position_embedding", "rope");
    else if (is_known_value(type))
        setting_choose(im, type, "model.position_embedding",
                       "learned_absolute=learned absolute=learned learnable=learned rope rotary=rope yarn=rope "
                       "mrope=rope alibi none");
    else if (none->is_given)
        add_setting(im, none, "model.position_embedding", "none");
    else if (!type->is_given)
        default_add(im, "model.position_embedding", "learned");
}

static void rule_normalization(struct megatron *im)
{
    const struct seen *norm = seen_of(im, "--normalization"), *plus_one = seen_of(im, "--apply-layernorm-1p");
    if (plus_one->is_given && (!has(im, "--normalization") || has_value(im, "--normalization", "LayerNorm")))
        add_setting(im, plus_one, "model.normalization", "layernorm1p");
    else if (is_known_value(norm))
        setting_choose(im, norm, "model.normalization", "LayerNorm=layernorm layernorm RMSNorm=rmsnorm rmsnorm");
    else if (!norm->is_given)
        default_add(im, "model.normalization", "layernorm");
}

static void rule_bias(struct megatron *im)
{
    bool has_bias = !has(im, "--disable-bias-linear");
    default_add(im, "model.add_bias_linear", "true");
    default_add(im, "model.add_qkv_bias", has_bias ? "true" : "false");
}

/* Megatron's width of the feed-forward block: 4 h, or with --swiglu two thirds of it in steps of 64. */
static void rule_ffn(struct megatron *im)
{
    int64_t h;
    const struct seen *glu = seen_of(im, "--glu-activation");
    if (is_known_value(glu))
        add_setting(im, glu, "model.gated_mlp", "true");
    default_add(im, "model.gated_mlp", "false");
    if (has(im, "--ffn-hidden-size") || !has_number(im, "--hidden-size", &h) || h < 1 || h > INT32_MAX)
        return;
    default_number(im, "model.ffn_hidden_size", has(im, "--swiglu") ? 8 * h / 3 / 64 * 64 : 4 * h);
}

static void rule_window(struct megatron *im)
{
    const struct seen *window = seen_of(im, "--window-size"), *skip = seen_of(im, "--window-attn-skip-freq");
    const struct seen *sinks = seen_of(im, "--softmax-type");
    int64_t every;
    if (is_known_value(window)) {
        /* (left, right): tokens before the one that looks; with itself one more */
        long left = strtol(window->value + strcspn(window->value, "-0123456789"), NULL, 10);
        if (left >= 0 && left < INT32_MAX)
            setting_number(im, window, "model.sliding_window", left + 1);
    }
    if (has_number(im, "--window-attn-skip-freq", &every))
        setting_number(im, skip, "model.sliding_window_every", every);
    else if (is_known_value(skip))
        note_no_counterpart(im, skip);
    if (has_value(im, "--softmax-type", "learnable"))
        add_setting(im, sinks, "model.attention_sinks", "true");
}

/* Megatron's defaults of single keys, taken where `unless` is absent and, if named, `needs` is present. */
static const struct {
    const char *unless, *needs, *key, *value;
} default_row[] = {
    {"--hidden-dropout", NULL, "model.hidden_dropout", "0.1"},
    {"--attention-dropout", NULL, "model.attention_dropout", "0.1"},
    {"--untie-embeddings-and-output-weights", NULL, "model.tied_embeddings", "true"},
    {"--kv-lora-rank", "--multi-latent-attention", "model.kv_lora_rank", "32"},
    {"--qk-head-dim", "--multi-latent-attention", "model.qk_head_dim", "128"},
    {"--qk-pos-emb-head-dim", "--multi-latent-attention", "model.qk_pos_emb_head_dim", "64"},
    {"--v-head-dim", "--multi-latent-attention", "model.v_head_dim", "128"},
    {"--moe-router-topk", "--num-experts", "model.moe_router_topk", "2"},
    {"--moe-token-dispatcher-type", "--num-experts", "parallel.moe_dispatcher", "allgather"},
    {"--moe-grouped-gemm", "--num-experts", "framework.moe_grouped_gemm", "false"},
    {"--optimizer", NULL, "train.optimizer", "adam"},
    {"--no-create-attention-mask-in-dataloader", NULL, "framework.create_attention_mask", "true"},
};

static void rule_defaults(struct megatron *im)
{
    if (setting_integer(im, "parallel.vpp") > 1)
        default_add(im, "parallel.overlap_p2p", "true");
    for (size_t i = 0; i < LENGTH(default_row); i++)
        if (!has(im, default_row[i].unless) && (!default_row[i].needs || has(im, default_row[i].needs)))
            default_add(im, default_row[i].key, default_row[i].value);
    const struct seen *length = seen_of(im, "--seq-length");
    if (!has(im, "--max-position-embeddings") && is_known_value(length))
        default_add(im, "model.max_position_embeddings", length->value);
}

/* ---- rules: experts ------------------------------------------------------------------------------------------ */

enum { PATTERN_TEXT = 65536, PATTERN_DEPTH = 16 };

/*
 * Writes a pattern of layers such as `[0]*3+[1]*58` or `Et*2|(tt|)*2` with its repetitions written out; `letters` are
 * what it is made of. Stops at a closing bracket or the end; false if it is not well formed or too long.
 */
static bool unroll(const char **p, const char *letters, int depth, struct buffer *out)
{
    while (**p && !strchr(")]", **p)) {
        size_t from = out->size;
        char c = *(*p)++, *end;
        if (c == '(' || c == '[') {
            if (depth >= PATTERN_DEPTH || !unroll(p, letters, depth + 1, out) || *(*p)++ != (c == '(' ? ')' : ']'))
                return false;
        } else if (strchr(letters, c)) {
            buffer_add(out, &c, 1);
        } else if (!strchr(",+", c) && !isspace((unsigned char)c)) {
            return false;
        }
        if (**p != '*')
            continue;
        size_t size = out->size - from;
        long n = strtol(*p + 1, &end, 10);
        if (end == *p + 1 || n < 1 || size == 0 || n > (long)((PATTERN_TEXT - from) / size))
            return false;
        *p = end;
        char *once = xstrndup(out->text + from, size);
        for (long i = 1; i < n; i++)
            buffer_add(out, once, size);
        free(once);
    }
    return out->size <= PATTERN_TEXT;
}

/* The whole pattern in fresh memory, NULL if it is not well formed. */
static char *unrolled(const char *text, const char *letters)
{
    struct buffer out = {0};
    buffer_puts(&out, "");
    if (unroll(&text, letters, 0, &out) && !*text && out.size > 0)
        return out.text;
    buffer_free(&out);
    return NULL;
}

/* True if the first layer with experts is number `first` from 0, and every `freq`-th from there on has them, too. */
static bool pattern_fits(const char *layer, size_t first, size_t freq)
{
    for (size_t i = 0; layer[i]; i++)
        if ((layer[i] == '1') != (i >= first && (i - first) % freq == 0))
            return false;
    return true;
}

/* Megatron begins each group with its experts, here they end it: where groups are not whole, a layer differs. */
static void warn_groups(struct megatron *im, const struct seen *s, int64_t layers, int64_t dense, int64_t freq,
                        int64_t experts)
{
    int64_t counted = layers > dense ? (layers - dense) / freq : 0;
    if (counted != experts)
        errors_warn(im->errors, im->file, s->line, "--moe-layer-freq",
                    "gives %lld of %lld layers experts, of which %lld are counted: memory and time are lower bounds",
                    (long long)experts, (long long)layers, (long long)counted);
}

static void rule_layer_freq(struct megatron *im)
{
    const struct seen *s = seen_of(im, "--moe-layer-freq");
    int64_t n;
    if (!is_known_value(s))
        return;
    if (parse_whole(s->value, &n)) {
        int64_t layers = setting_integer(im, "model.num_layers");
        setting_number(im, s, "model.moe_layer_freq", n);
        if (n > 0)
            warn_groups(im, s, layers, 0, n, (layers + n - 1) / n);
        return;
    }
    char *layer = unrolled(s->value, "01");
    size_t first = layer ? strspn(layer, "0") : 0;
    bool is_regular = layer && layer[first];
    size_t freq = is_regular ? 1 + strspn(layer + first + 1, "0") : 1;
    is_regular = is_regular && pattern_fits(layer, first, freq);
    if (is_regular && first >= freq) /* of each group the last layer has experts (core/plan/split.c) */
        setting_number(im, s, "model.moe_first_dense", (int64_t)(first - freq + 1));
    if (is_regular) {
        size_t layers = strlen(layer), experts = (layers - first + freq - 1) / freq;
        setting_number(im, s, "model.moe_layer_freq", (int64_t)freq);
        warn_groups(im, s, (int64_t)layers, first >= freq ? (int64_t)(first - freq + 1) : 0, (int64_t)freq,
                    (int64_t)experts);
    } else
        note_no_counterpart(im, s);
    free(layer);
}

/*
 * The experts of a layer: of a list, one number for each layer, the largest; Megatron-DeepSpeed's 1 is a dense layer.
 */
static int64_t experts_of(const struct megatron *im)
{
    const struct seen *s = seen_of(im, "--num-experts");
    int64_t most = 0;
    for (const char *p = is_known_value(s) ? s->value : ""; *p; p += strcspn(p, " "), p += strspn(p, " ")) {
        long long n = strtoll(p, NULL, 10);
        most = n > most ? n : most;
    }
    return most < INT32_MAX ? most : 0;
}

static void rule_capacity(struct megatron *im)
{
    static const char *const flag[] = {"--moe-expert-capacity-factor", "--moe-train-capacity-factor"};
    char *end;
    for (size_t i = 0; i < LENGTH(flag) && !has(im, "--disable-moe-token-dropping"); i++) {
        const struct seen *s = seen_of(im, flag[i]);
        if (is_known_value(s) && strtod(s->value, &end) > 0 && !*end)
            add_setting(im, s, "model.moe_capacity_factor", s->value);
    }
}

/*
 * DeepSpeed's experts: every second layer unless told, counted from the end of each group, one expert a token, whole
 * experts on a rank unless told. Source: Megatron-DeepSpeed megatron/arguments.py, model/transformer.py at f4157bea.
 */
static void rule_deepspeed_experts(struct megatron *im)
{
    const struct seen *interval = seen_of(im, "--expert-interval"), *topk = seen_of(im, "--topk"),
                      *ffn = seen_of(im, "--ffn-hidden-size");
    int64_t every = 2;
    has_number(im, "--expert-interval", &every);
    every = every >= 1 && every < INT16_MAX ? every : 2;
    if (interval->is_given)
        setting_number(im, interval, "model.moe_layer_freq", every);
    default_number(im, "model.moe_layer_freq", every);
    if (is_known_value(topk))
        add_setting(im, topk, "model.moe_router_topk", topk->value);
    default_add(im, "model.moe_router_topk", "1");
    if (has_value(im, "--mlp-type", "residual") && is_known_value(ffn))
        add_setting(im, ffn, "model.moe_shared_ffn_hidden_size", ffn->value);
    if (!has(im, "--enable-expert-tensor-parallelism"))
        default_add(im, "parallel.etp", "1");
}

static void rule_experts(struct megatron *im)
{
    const struct seen *experts = seen_of(im, "--num-experts");
    const struct seen *ffn = seen_of(im, "--ffn-hidden-size"), *tp = seen_of(im, "--tensor-model-parallel-size");
    int64_t count = experts_of(im);
    bool is_deepspeed = has(im, "--deepspeed") || has(im, "--topk") || has(im, "--moe-expert-parallel-size");
    if (experts->is_given && experts->is_unknown)
        note_unknown(im, experts, "model.num_experts");
    else if (experts->is_given && count == 0 && strcmp(experts->value, "0") != 0)
        note_unreadable(im, experts, "is not a number of experts; give model.num_experts with --set");
    rule_layer_freq(im);
    rule_capacity(im);
    if (!experts->is_given || (is_deepspeed && count == 1))
        return;
    if (count > 0)
        setting_number(im, experts, "model.num_experts", count);
    if (is_deepspeed)
        rule_deepspeed_experts(im);
    if (!has(im, "--disable-bias-linear") && !is_deepspeed) /* MC moe/router.py 67: the gate has one, too */
        default_add(im, "model.moe_router_bias", "true");
    if (!has(im, "--moe-ffn-hidden-size") && is_known_value(ffn))
        default_add(im, "model.moe_ffn_hidden_size", ffn->value);
    if (!is_deepspeed && !has(im, "--expert-tensor-parallel-size") && is_known_value(tp))
        default_add(im, "parallel.etp", tp->value);
}

/* ---- rules: parallel ----------------------------------------------------------------------------------------- */

/* A wish that is kept: it has no effect while there is one tensor-parallel rank. */
static void rule_sequence_parallel(struct megatron *im)
{
    const struct seen *sp = seen_of(im, "--sequence-parallel");
    if (sp->is_given && has(im, "--deepspeed")) {
        errors_note(im->errors, im->file, sp->line, "--sequence-parallel",
                    "is not modelled with DeepSpeed; memory is an upper bound");
        import_ask(im->out, "parallel.sp",
                   &(struct asked){"--sequence-parallel", "false", im->file, sp->line, "--framework megatron-core",
                                   false});
    } else if (sp->is_given)
        add_setting(im, sp, "parallel.sp", "true");
}

/* Virtual stages from the number of layers in each: layers / pp / n, embedding and loss counted if asked. */
static void rule_virtual_stages(struct megatron *im)
{
    const struct seen *s = seen_of(im, "--num-layers-per-virtual-pipeline-stage");
    int64_t per, layers, pp;
    if (!is_known_value(s) || has(im, "--num-virtual-stages-per-pipeline-rank"))
        return;
    bool is_known = has_number(im, "--num-layers-per-virtual-pipeline-stage", &per) && per > 0 &&
                    (has_number(im, "--num-layers", &layers) || has_number(im, "--encoder-num-layers", &layers)) &&
                    layers > 0 && layers < INT32_MAX && has_count(im, "--pipeline-model-parallel-size", &pp);
    if (!is_known) {
        note_unreadable(im, s, "needs known --num-layers and --pipeline-model-parallel-size; give parallel.vpp with "
                               "--set");
        return;
    }
    layers += has(im, "--account-for-embedding-in-pipeline-split");
    layers += has(im, "--account-for-loss-in-pipeline-split");
    if (layers % pp == 0 && layers / pp % per == 0) {
        setting_number(im, s, "parallel.vpp", layers / pp / per);
        return;
    }
    char *message = xasprintf("%lld layers do not split over %lld stages in groups of %lld; give parallel.vpp with "
                              "--set", (long long)layers, (long long)pp, (long long)per);
    note_unreadable(im, s, message);
    free(message);
}

enum { LAYOUT_STAGES = 4096 };

char *megatron_layout(const char *text, int64_t *stages)
{
    struct buffer list = {0};
    char *whole = unrolled(text, "EtmL|");
    *stages = 0;
    if (!whole)
        return NULL;
    buffer_puts(&list, "[");
    for (const char *at = whole; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
        int64_t layers = 0;
        for (const char *letter = at; *letter && *letter != '|'; letter++)
            layers += *letter == 't';
        buffer_printf(&list, (*stages)++ ? ",%lld" : "%lld", (long long)layers);
    }
    buffer_puts(&list, "]");
    free(whole);
    if (*stages <= LAYOUT_STAGES)
        return list.text;
    buffer_free(&list);
    return NULL;
}

static void rule_layout(struct megatron *im)
{
    const struct seen *s = seen_of(im, "--pipeline-model-parallel-layout");
    if (!is_known_value(s))
        return;
    int64_t pp, stages;
    char *list = megatron_layout(s->value, &stages);
    if (list && has_count(im, "--pipeline-model-parallel-size", &pp) && stages % pp == 0) {
        add_setting(im, s, "parallel.pipeline_layout", list);
        if (stages > pp)
            setting_number(im, s, "parallel.vpp", stages / pp);
    } else {
        note_no_counterpart(im, s);
    }
    free(list);
}

/* One kind for all layers, or the first with a remark when they differ. */
static void rule_context_parallel(struct megatron *im)
{
    const struct seen *s = seen_of(im, "--cp-comm-type");
    if (!is_known_value(s))
        return;
    size_t n = strcspn(s->value, " ");
    char *first = xstrndup(s->value, n);
    bool is_same = true;
    for (const char *p = s->value + n; *p; p += strcspn(p, " ")) {
        p += strspn(p, " ");
        is_same &= strncmp(p, first, n) == 0 && (!p[n] || p[n] == ' ');
    }
    char *to = choose("p2p a2a allgather=all_gather all_gather", first);
    if (to && is_same)
        add_setting(im, s, "parallel.cp_comm", to);
    else
        note_no_counterpart(im, s);
    free(to);
    free(first);
}

static const struct {
    const char *strategy, *zero_stage, *fsdp;
} strategy_row[] = {
    {"no_shard", "0", NULL},
    {"optim", "1", NULL},
    {"optim_grads", "2", "shard_grad_op"},
    {"optim_grads_params", "3", "full"},
};

/* DeepSpeed's sequence parallelism exchanges heads for tokens (Ulysses): context parallelism by all-to-all. */
static void rule_ulysses(struct megatron *im)
{
    const struct seen *s = seen_of(im, "--ds-sequence-parallel-size"), *one = seen_of(im, "--no-pipeline-parallel");
    int64_t n;
    if (has_number(im, "--ds-sequence-parallel-size", &n) && n > 1) {
        setting_number(im, s, "parallel.cp", n);
        add_setting(im, s, "parallel.cp_comm", "a2a");
    } else if (s->is_given && s->is_unknown) {
        note_unknown(im, s, "parallel.cp");
    }
    if (one->is_given)
        add_setting(im, one, "parallel.pp", "1");
}

/* Stages as DeepSpeed's engine calls them; 0 is none, as 1 is. */
static void rule_stages(struct megatron *im)
{
    const struct seen *s = seen_of(im, "--pipe-parallel-size");
    int64_t n;
    if (has_number(im, "--pipe-parallel-size", &n))
        setting_number(im, s, "parallel.pp", n > 1 ? n : 1);
    else if (s->is_given && s->is_unknown)
        note_unknown(im, s, "parallel.pp");
}

/* Megatron-FSDP: the strategy decides what is sharded. */
static void rule_megatron_fsdp(struct megatron *im, const struct seen *fsdp)
{
    const struct seen *s = seen_of(im, "--data-parallel-sharding-strategy");
    const char *strategy = s->is_given ? s->value : "optim_grads_params";
    if (s->is_given && s->is_unknown)
        return;
    for (size_t i = 0; i < LENGTH(strategy_row); i++) {
        if (strcmp(strategy, strategy_row[i].strategy) != 0)
            continue;
        add_setting(im, fsdp, "parallel.zero_stage", strategy_row[i].zero_stage);
        if (strategy_row[i].fsdp)
            add_setting(im, fsdp, "parallel.fsdp", strategy_row[i].fsdp);
        return;
    }
    note_no_counterpart(im, s);
}

static void rule_sharding(struct megatron *im)
{
    const struct seen *distributed = seen_of(im, "--use-distributed-optimizer"), *zero = seen_of(im, "--zero-stage");
    const struct seen *custom = seen_of(im, "--use-custom-fsdp"), *megatron = seen_of(im, "--use-megatron-fsdp");
    const struct seen *torch = seen_of(im, "--use-torch-fsdp2");
    bool keeps = has(im, "--torch-fsdp2-no-reshard-after-forward");
    if (megatron->is_given || custom->is_given) {
        rule_megatron_fsdp(im, megatron->is_given ? megatron : custom);
    } else if (torch->is_given) {
        add_setting(im, torch, "parallel.zero_stage", keeps ? "2" : "3");
        add_setting(im, torch, "parallel.fsdp", keeps ? "shard_grad_op" : "full");
    } else if (is_known_value(zero)) {
        add_setting(im, zero, "parallel.zero_stage", zero->value);
    } else if (distributed->is_given) {
        add_setting(im, distributed, "parallel.zero_stage", "1");
    } else if (!zero->is_given) {
        default_add(im, "parallel.zero_stage", "0");
    }
}

/* DeepSpeed's file counts more than the flags beside it: pretrain_gpt.py of Megatron-DeepSpeed at f4157bea. */
static void rule_deepspeed_file(struct megatron *im)
{
    const struct seen *s = seen_of(im, "--deepspeed-config");
    if (!s->is_given)
        return;
    const char *name = s->value + (s->is_unknown ? strspn(s->value, "/") : 0); /* behind a folder that is not known */
    if (deepspeed_beside(s->value, im->out) || deepspeed_beside(name, im->out) || has(im, "--zero-stage"))
        return;
    keyvals_add(&im->out->unread, "parallel.zero_stage", name, s->line);
    const char *variable = *name ? name : "--deepspeed-config";
    import_ask(im->out, "parallel.zero_stage",
               &(struct asked){variable, "", im->file, s->line, "--set zero_stage=N", false});
}

/* ---- rules: training ----------------------------------------------------------------------------------------- */

static const char *const fp8_flag[] = {"--fp8-format", "--fp8-hybrid", "--fp8-e4m3"};

static const struct seen *fp8_of(const struct megatron *im)
{
    for (size_t i = 0; i < LENGTH(fp8_flag); i++)
        if (has(im, fp8_flag[i]))
            return seen_of(im, fp8_flag[i]);
    return NULL;
}

static bool is_certain(const struct seen *s)
{
    return s->is_given && !s->is_uncertain && !s->is_context;
}

static void rule_dtype(struct megatron *im)
{
    const struct seen *fp4 = seen_of(im, "--fp4-format"), *fp8 = fp8_of(im), *bf16 = seen_of(im, "--bf16");
    const struct seen *fp16 = seen_of(im, "--fp16"), *recipe = seen_of(im, "--fp8-recipe");
    if (is_certain(bf16) && is_certain(fp16)) /* validate_args(), training/arguments.py */
        errors_add(im->errors, im->file, fp16->line, "--fp16",
                   "Megatron-LM refuses it beside --bf16; remove one of them");
    if (is_known_value(recipe))
        setting_choose(im, recipe, "framework.fp8_recipe", "tensorwise delayed blockwise mxfp8");
    else if (fp8 && !recipe->is_given)
        default_add(im, "framework.fp8_recipe", "delayed");
    if (fp4->is_given)
        add_setting(im, fp4, "train.dtype", "nvfp4");
    else if (fp8)
        add_setting(im, fp8, "train.dtype", has_value(im, "--fp8-recipe", "mxfp8") ? "mxfp8" : "fp8");
    else if (bf16->is_given)
        add_setting(im, bf16, "train.dtype", "bf16");
    else if (fp16->is_given)
        add_setting(im, fp16, "train.dtype", "fp16");
    else
        default_add(im, "train.dtype", "fp32");
}

static void rule_grad_dtype(struct megatron *im)
{
    const struct seen *in_fp32 = seen_of(im, "--accumulate-allreduce-grads-in-fp32");
    const struct seen *in_bf16 = seen_of(im, "--grad-reduce-in-bf16");
    const struct seen *main_grads = seen_of(im, "--main-grads-dtype");
    bool is_low = is_known_value(main_grads) && strcmp(main_grads->value, "fp32") != 0;
    if (is_low)
        setting_choose(im, main_grads, "train.grad_dtype", "fp32 fp16 bf16 fp8");
    else if (in_bf16->is_given)
        add_setting(im, in_bf16, "train.grad_dtype", "bf16");
    else if (in_fp32->is_given)
        add_setting(im, in_fp32, "train.grad_dtype", "fp32");
    else
        default_add(im, "train.grad_dtype", has(im, "--fp16") ? "fp16" : "fp32");
}

/* One moment in a flag, or Megatron's fp32. */
static const char *moment_of(const struct megatron *im, const char *flag)
{
    const struct seen *s = seen_of(im, flag);
    return is_known_value(s) ? s->value : "fp32";
}

/* Moments of one type are the optimizer's; of two types each has its key. */
static void rule_moments(struct megatron *im)
{
    static const char *const choices = "fp32 fp16 bf16 fp8";
    const struct seen *first = seen_of(im, "--exp-avg-dtype"), *second = seen_of(im, "--exp-avg-sq-dtype");
    bool is_same = strcmp(moment_of(im, "--exp-avg-dtype"), moment_of(im, "--exp-avg-sq-dtype")) == 0;
    if (is_known_value(first) && is_same)
        setting_choose(im, first, "train.optimizer_dtype", choices);
    else if (is_known_value(first))
        setting_choose(im, first, "train.exp_avg_dtype", choices);
    if (is_known_value(second) && !is_same)
        setting_choose(im, second, "train.exp_avg_sq_dtype", choices);
}

static void rule_offload(struct megatron *im)
{
    const struct seen *offload = seen_of(im, "--optimizer-cpu-offload"), *old = seen_of(im, "--cpu-optimizer");
    const struct seen *share = seen_of(im, "--optimizer-offload-fraction");
    const struct seen *s = offload->is_given ? offload : old;
    if (s->is_given && !share->is_unknown)
        add_setting(im, share->is_given ? share : s, "train.offload_optimizer", share->is_given ? share->value : "1");
}

/* What the old and the new flags say about recomputation; NULL if nothing. */
static const struct seen *recompute_of(const struct megatron *im, const char **value)
{
    static const struct {
        const char *flag, *value;
    } row[] = {
        {"--recompute-granularity", NULL}, {"--activations-checkpoint-granularity", NULL},
        {"--recompute-activations", "selective"}, {"--checkpoint-activations", "full"},
        {"--activations-checkpoint-method", "full"}, {"--moe-layer-recompute", "selective"},
    };
    for (size_t i = 0; i < LENGTH(row); i++) {
        const struct seen *s = seen_of(im, row[i].flag);
        if (!s->is_given)
            continue;
        *value = row[i].value ? row[i].value : s->value;
        return s;
    }
    return NULL;
}

static void rule_recompute_modules(struct megatron *im)
{
    const struct seen *modules = seen_of(im, "--recompute-modules"), *moe = seen_of(im, "--moe-layer-recompute");
    if (is_known_value(modules)) {
        char *list = xasprintf("[%s%s]", modules->value, moe->is_given ? " moe" : "");
        for (char *p = list; *p; p++)
            if (*p == ' ')
                *p = ',';
        add_setting(im, modules, "train.recompute_modules", list);
        free(list);
    } else if (moe->is_given && !modules->is_given) {
        add_setting(im, moe, "train.recompute_modules", "[moe]");
    }
}

static void rule_recompute(struct megatron *im)
{
    const char *value = NULL;
    const struct seen *s = recompute_of(im, &value);
    char *to = s && !s->is_unknown ? choose("full selective", value) : NULL;
    if (s && !s->is_unknown && !to)
        note_no_counterpart(im, s);
    if (to) /* a block of no layers recomputes nothing */
        add_setting(im, s, "train.recompute", has_value(im, "--recompute-num-layers", "0") ? "none" : to);
    free(to);
    rule_recompute_modules(im);
}

/*
 * Without a flag, fused attention comes with Transformer Engine, the default since core 0.6. The last row are flags
 * that were gone by then (megatron/arguments.py of 2023), where `--transformer-impl` may say otherwise.
 */
static bool is_before_flash(const struct megatron *im)
{
    static const char *const old[] = {
        "--deepspeed", "--checkpoint-activations", "--activations-checkpoint-method",
        "--activations-checkpoint-granularity", "--model-parallel-size", NULL, "--data-impl", "--layernorm-epsilon",
        "--mmap-warmup", "--DDP-impl", "--no-query-key-layer-scaling", "--no-contiguous-buffers-in-local-ddp"};
    for (size_t i = 0; i < LENGTH(old); i++)
        if (old[i] ? has(im, old[i]) : has(im, "--transformer-impl"))
            return old[i] || has_value(im, "--transformer-impl", "local");
    return false;
}

static void rule_attention(struct megatron *im)
{
    static const char *const flash[] = {"--use-flash-attn", "--use-flash-attn-v1", "--use-flash-attn-v2"};
    const struct seen *backend = seen_of(im, "--attention-backend");
    for (size_t i = 0; i < LENGTH(flash) && !backend->is_given; i++)
        if (has(im, flash[i])) {
            add_setting(im, seen_of(im, flash[i]), "train.attention", "flash");
            return;
        }
    if (is_known_value(backend))
        setting_choose(im, backend, "train.attention", "flash fused=flash auto=flash unfused local=unfused");
    if (has_value(im, "--attention-backend", "fused"))
        add_setting(im, backend, "train.attention_kernel", "cudnn");
    else if (is_known_value(seen_of(im, "--flash-attention-version")))
        setting_choose(im, seen_of(im, "--flash-attention-version"), "train.attention_kernel", "2=fa2 3=fa3");
    if (!backend->is_given)
        default_add(im, "train.attention", is_before_flash(im) ? "unfused" : "flash");
}

/* Core 0.14 and 0.15 say by the scope that one graph has the whole iteration, later ones by the implementation. */
static void rule_graphs(struct megatron *im)
{
    const struct seen *impl = seen_of(im, "--cuda-graph-impl"), *enable = seen_of(im, "--enable-cuda-graph");
    const struct seen *outside = seen_of(im, "--external-cuda-graph"), *asked = enable->is_given ? enable : outside;
    bool is_whole = has_value(im, "--cuda-graph-scope", "full_iteration");
    if (is_known_value(impl))
        setting_choose(im, impl, "framework.cuda_graph",
                       is_whole ? "none local=full transformer_engine=partial full_iteration=full"
                                : "none local=partial transformer_engine=partial full_iteration=full");
    else if (asked->is_given)
        add_setting(im, asked, "framework.cuda_graph", is_whole && enable->is_given ? "full" : "partial");
}

static void rule_fusions(struct megatron *im)
{
    const struct seen *loss = seen_of(im, "--cross-entropy-loss-fusion");
    const struct seen *glu = seen_of(im, "--no-bias-swiglu-fusion"), *gelu = seen_of(im, "--no-bias-gelu-fusion");
    bool is_te = has_value(im, "--cross-entropy-fusion-impl", "te");
    if (loss->is_given)
        add_setting(im, loss, "train.cross_entropy", is_te ? "te_fused" : "native_fused");
    if (glu->is_given) {
        add_setting(im, glu, "train.fused_glu", "false");
        if (is_gated(im))
            add_setting(im, glu, "framework.bias_activation_fusion", "false");
    }
    if (has(im, "--num-experts") && !is_gated(im) && !has(im, "--use-fused-weighted-squared-relu"))
        default_add(im, "train.fused_glu", "false");
    if (gelu->is_given && !is_gated(im))
        add_setting(im, gelu, "framework.bias_activation_fusion", "false");
    else if (!is_gated(im) && has(im, "--disable-bias-linear"))
        default_add(im, "framework.bias_activation_fusion", "false");
}

/* The number that a default already gave to a key, 0 if none did. */
static int64_t default_integer(const struct megatron *im, const char *key)
{
    const struct keyval *last = keyvals_last(&im->out->defaults, key);
    int64_t n = 0;
    if (last)
        parse_whole(last->value, &n);
    return n;
}

static void rule_tokens(struct megatron *im)
{
    const struct seen *iterations = seen_of(im, "--train-iters"), *samples = seen_of(im, "--train-samples");
    const struct seen *tokens = seen_of(im, "--train-tokens");
    int64_t n, batch = 0, length;
    if (is_known_value(tokens)) {
        add_setting(im, tokens, "train.total_tokens", tokens->value);
        return;
    }
    bool is_samples = samples->is_given;
    const struct seen *s = is_samples ? samples : iterations;
    if (is_samples)
        batch = 1;
    else if (!has(im, "--global-batch-size"))
        batch = default_integer(im, "train.global_batch_size");
    if (!is_known_value(s) || !parse_whole(s->value, &n) || n < 1)
        return;
    bool is_known = (batch > 0 || has_number(im, "--global-batch-size", &batch)) &&
                    has_number(im, "--seq-length", &length) && batch > 0 && length > 0 &&
                    !__builtin_mul_overflow(n, batch, &n) && !__builtin_mul_overflow(n, length, &n);
    if (is_known)
        setting_number(im, s, "train.total_tokens", n);
    else
        errors_note(im->errors, im->file, s->line, row_of(s, im)->name,
                    "needs known --global-batch-size and --seq-length; give train.total_tokens with --set");
}

/* ---- rules: hardware ----------------------------------------------------------------------------------------- */

/* Keys that follow from the number of data-parallel ranks: the default batch and the sharding group. */
static void rule_data_parallel(struct megatron *im)
{
    int64_t tp, pp, cp, mbs, instances, world;
    const struct seen *s = seen_of(im, "--num-distributed-optimizer-instances");
    world = setting_integer(im, "hardware.nodes") * setting_integer(im, "hardware.gpus_per_node");
    if (!has_count(im, "--tensor-model-parallel-size", &tp) || !has_count(im, "--pipeline-model-parallel-size", &pp) ||
        !has_count(im, "--context-parallel-size", &cp) || tp > INT16_MAX || pp > INT16_MAX || cp > INT16_MAX ||
        world <= 0 || world % (tp * pp * cp) != 0)
        return;
    int64_t replicas = world / tp / pp;
    if (has_number(im, "--num-distributed-optimizer-instances", &instances) && instances > 1 &&
        replicas % instances == 0)
        setting_number(im, s, "parallel.shard_group", replicas / instances);
    if (!has(im, "--global-batch-size") && has_number(im, "--micro-batch-size", &mbs) && mbs > 0 && mbs < INT32_MAX)
        default_number(im, "train.global_batch_size", mbs * (replicas / cp));
}

/*
 * What slime adds: bf16 and sharded states always, sequences of as many tokens as a rank takes, the samples of a
 * rollout as batch. Source: slime/backends/megatron_utils/arguments.py at 624b824a.
 */
static void rule_slime(struct megatron *im)
{
    const struct seen *tokens = seen_of(im, "--max-tokens-per-gpu"), *rollout = seen_of(im, "--rollout-batch-size");
    int64_t cp, length, prompts, samples = 1, steps = 1;
    if (!rollout->is_given && !has(im, "--actor-num-nodes"))
        return;
    default_add(im, "train.dtype", has(im, "--fp16") ? "fp16" : "bf16");
    default_add(im, "parallel.zero_stage", "1");
    if (has(im, "--use-dynamic-batch-size") && has_number(im, "--max-tokens-per-gpu", &length) && length > 0 &&
        length < INT32_MAX && has_count(im, "--context-parallel-size", &cp) && cp < INT16_MAX)
        setting_number(im, tokens, "train.seq_length", length * cp);
    default_add(im, "train.seq_length", "4096");
    has_number(im, "--n-samples-per-prompt", &samples);
    has_number(im, "--num-steps-per-rollout", &steps);
    bool is_batch = !has(im, "--global-batch-size") && has_number(im, "--rollout-batch-size", &prompts) &&
                    prompts > 0 && prompts < INT32_MAX && samples > 0 && samples < INT16_MAX && steps > 0;
    if (is_batch && prompts * samples / steps > 0)
        setting_number(im, rollout, "train.global_batch_size", prompts * samples / steps);
}

/* Servers of answers hold the checkpoint's own weights, which may be quantised, where training has 16-bit ones. */
static void ask_rollout_weights(struct megatron *im)
{
    static const char *const marks[] = {"int4", "int8", "fp8", "fp4", "awq", "gptq", "w4a16", "deepseek-v3",
                                        "deepseek-r1", "kimi-k2", "gpt-oss", "minimax-m2"}; /* published so */
    const struct seen *s = seen_of(im, "--hf-checkpoint");
    for (size_t i = 0; i < LENGTH(marks) && is_known_value(s) && s->value; i++)
        if (strcasestr(s->value, marks[i]) && !strcasestr(s->value, "bf16")) {
            import_ask(im->out, "serve.weight_dtype",
                       &(struct asked){s->value, "", im->file, s->line, "--set serve.weight_dtype=TYPE", false});
            return;
        }
}

/*
 * The iteration of slime around the training step; colocated, the trainer leaves the GPUs as a whole for the rollout
 * (slime/ray/actor_group.py, train.py).
 */
static void rule_rollout(struct megatron *im)
{
    const struct seen *rollout = seen_of(im, "--rollout-batch-size"), *place = seen_of(im, "--colocate");
    int64_t prompts, samples = 1;
    if (!is_known_value(rollout) || !has(im, "--actor-num-nodes"))
        return;
    has_number(im, "--n-samples-per-prompt", &samples);
    add_setting(im, rollout, "workload", "rl");
    add_setting(im, rollout, "rl.program", "slime");
    ask_rollout_weights(im);
    const struct seen *penalty = seen_of(im, "--kl-coef");
    bool has_penalty = penalty->is_given && penalty->value && strtod(penalty->value, NULL) != 0;
    const struct seen *estimator = seen_of(im, "--advantage-estimator");
    add_setting(im, rollout, "rl.algorithm",
                rollout_algorithm(is_known_value(estimator) && estimator->value ? estimator->value : ""));
    add_setting(im, rollout, "rl.reference", has(im, "--use-kl-loss") || has_penalty ? "full" : "none");
    add_setting(im, place->is_given ? place : rollout, "rl.placement", place->is_given ? "colocate" : "split");
    if (has(im, "--n-samples-per-prompt"))
        setting_number(im, seen_of(im, "--n-samples-per-prompt"), "rl.answers", samples);
    if (has_number(im, "--rollout-batch-size", &prompts) && prompts > 0 && prompts < INT32_MAX && samples < INT16_MAX)
        setting_number(im, rollout, "rl.samples", prompts * samples);
    if (!place->is_given)
        return;
    add_setting(im, place, "rl.param_offload", "true");
    add_setting(im, place, "rl.optimizer_offload", "true");
}

/* ---- rules: forks -------------------------------------------------------------------------------------------- */

/* Shared experts are as wide as one routed expert each. */
static void rule_shared_experts(struct megatron *im)
{
    int64_t count, each = setting_integer(im, "model.moe_ffn_hidden_size");
    each = each ? each : default_integer(im, "model.moe_ffn_hidden_size");
    if (has_number(im, "--n-shared-experts", &count) && count > 0 && count < INT16_MAX && each > 0)
        setting_number(im, seen_of(im, "--n-shared-experts"), "model.moe_shared_ffn_hidden_size", count * each);
}

/* True if a number is in a list separated by commas. */
static bool is_listed(const char *list, int64_t n)
{
    for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',')
        if (strtoll(p, NULL, 10) == n)
            return true;
    return false;
}

/*
 * Layers that do nothing are counted by --num-layers and by how it spreads over the stages: what is left of each chunk
 * (MindSpeed-LLM, mindspeed_llm/core/transformer/transformer_block.py).
 */
static void rule_noop_layers(struct megatron *im)
{
    const struct seen *s = seen_of(im, "--noop-layers");
    int64_t layers, pp, vpp = setting_integer(im, "parallel.vpp"), idle = 0;
    if (!is_known_value(s) || !has_number(im, "--num-layers", &layers) || layers < 1 || layers > INT16_MAX ||
        !has_count(im, "--pipeline-model-parallel-size", &pp) || pp > INT16_MAX)
        return;
    int64_t chunks = pp * (vpp > 1 && vpp < INT16_MAX ? vpp : 1), each = layers / chunks;
    struct buffer list = {0};
    for (int64_t i = 0, kept = 0; i < layers; i++) {
        kept += !is_listed(s->value, i);
        idle += is_listed(s->value, i);
        if (each > 0 && (i + 1) % each == 0) {
            buffer_printf(&list, "%s%lld", list.size ? "," : "[", (long long)kept);
            kept = 0;
        }
    }
    buffer_puts(&list, "]");
    setting_number(im, s, "model.num_layers", layers - idle);
    if (chunks > 1 && layers % chunks == 0)
        add_setting(im, s, "parallel.pipeline_layout", list.text);
    buffer_free(&list);
}

/* A list of modules; where their names are unknown `otherwise`, which a question may change. */
static void take_modules(struct megatron *im, const struct seen *s, const char *key, const char *otherwise,
                         bool is_asked)
{
    struct plan scratch;
    char why[PARAM_WHY_MAX];
    struct buffer list = {0};
    for (const char *p = s->value; *p; p++)
        buffer_add(&list, *p == ' ' ? "," : p, 1);
    plan_clear(&scratch);
    bool is_known = list.size > 0 && param_parse(&scratch, (enum param)param_find(key), list.text, FROM_FILE, false,
                                                 why) == 0;
    if (is_known || !is_asked)
        add_setting(im, s, key, is_known ? list.text : otherwise);
    else
        import_ask(im->out, key, &(struct asked){s->value, otherwise, im->file, s->line, "--set modules_to_save=LIST",
                                             false});
    buffer_free(&list);
}

/* Adapters over a Megatron model, as Megatron-Bridge has them. */
static void rule_adapters(struct megatron *im)
{
    const struct seen *rank = seen_of(im, "--lora-r"), *targets = seen_of(im, "--lora-target-modules"),
                      *saved = seen_of(im, "--modules-to-save");
    int64_t n;
    if (!has_number(im, "--lora-r", &n) || n < 1)
        return;
    if (!im->out->is_change)
        add_setting(im, rank, "framework.name", "nemo-lora");
    if (!im->out->is_change && !has(im, "--qlora"))
        add_setting(im, rank, "train.peft", "lora");
    add_setting(im, rank, "train.lora_rank", rank->value);
    if (is_known_value(targets))
        take_modules(im, targets, "train.lora_targets", "[all]", false);
    if (is_known_value(saved))
        take_modules(im, saved, "train.modules_to_save", "[embedding,head]", true);
}

/* MindSpeed's ways to split a sequence; all-to-all repeats key/value heads where ranks are more, as a ring need not. */
static void rule_context_algorithm(struct megatron *im)
{
    const struct seen *s = seen_of(im, "--context-parallel-algo");
    int64_t cp, tp, groups = setting_integer(im, "model.num_query_groups");
    bool is_counted = has_count(im, "--context-parallel-size", &cp) &&
                      has_count(im, "--tensor-model-parallel-size", &tp) && cp < INT16_MAX && tp < INT16_MAX;
    bool has_heads = is_counted && (groups == 0 || groups % (tp * cp) == 0);
    if (has_value(im, "--context-parallel-algo", "ulysses_cp_algo") && has_heads)
        add_setting(im, s, "parallel.cp_comm", "a2a");
    else if (has_value(im, "--context-parallel-algo", "kvallgather_cp_algo"))
        add_setting(im, s, "parallel.cp_comm", "all_gather");
}

static void rule_head_type(struct megatron *im)
{
    if (has_value(im, "--attention-head-type", "multiquery"))
        setting_number(im, seen_of(im, "--attention-head-type"), "model.num_query_groups", 1);
}

/* ---- rules: layers of several kinds --------------------------------------------------------------------------- */

/*
 * `|` cuts Megatron's pattern into chunks, in the order of the model: their layers as parallel.pipeline_layout, and
 * so many of them for each stage (MC training/arguments.py 840-861).
 */
static void set_segments(struct megatron *im, const struct seen *s, const char *main)
{
    struct buffer list = {0};
    int64_t pp = 1;
    int count = 0;
    if (!strchr(main, '|'))
        return;
    for (const char *p = main; *p; p += strcspn(p, "|"), p += *p == '|')
        buffer_printf(&list, "%s%zu", count++ ? "," : "[", strcspn(p, "|"));
    buffer_puts(&list, "]");
    add_setting(im, s, "parallel.pipeline_layout", list.text);
    if (has_number(im, "--pipeline-model-parallel-size", &pp) && pp > 0 && count > pp && count % pp == 0)
        setting_number(im, s, "parallel.vpp", count / pp);
    buffer_free(&list);
}

/*
 * Shapes that a script may leave out. Source: Megatron-LM core/transformer/transformer_config.py and mamba_mixer.py at
 * d98e8a6: mamba_state_dim, linear_*, and heads of 64 over twice the hidden size.
 */
static void default_shapes(struct megatron *im, const char *layers)
{
    static const struct {
        const char *symbols, *key;
        int64_t value;
    } row[] = {
        {"M", "model.mamba_state_dim", 128},         {"M", "model.mamba_num_groups", 8},
        {"G", "model.linear_conv_kernel_dim", 4},    {"G", "model.linear_key_head_dim", 128},
        {"G", "model.linear_value_head_dim", 128},   {"G", "model.linear_num_key_heads", 16},
        {"G", "model.linear_num_value_heads", 32},
    };
    int64_t hidden = 0, head = 64;
    for (size_t i = 0; i < LENGTH(row); i++)
        if (strpbrk(layers, row[i].symbols))
            default_number(im, row[i].key, row[i].value);
    if (!strchr(layers, 'M'))
        return;
    has_number(im, "--mamba-head-dim", &head);
    default_number(im, "model.mamba_head_dim", head);
    if (has_number(im, "--hidden-size", &hidden) && head > 0 && !has(im, "--mamba-num-heads"))
        default_number(im, "model.mamba_num_heads", 2 * hidden / head);
}

/*
 * Megatron's pattern: a symbol a layer, behind each `/` the layers of a multi-token-prediction depth. Source:
 * Megatron-LM core/models/hybrid/hybrid_layer_allocation.py at d98e8a6.
 */
static void rule_hybrid(struct megatron *im)
{
    const char *flag = has(im, "--hybrid-layer-pattern") ? "--hybrid-layer-pattern" : "--hybrid-override-pattern";
    const struct seen *s = seen_of(im, flag);
    struct buffer layers = {0};
    int64_t depths = 0;
    if (im->is_hybrid && !s->is_given)
        errors_add(im->errors, im->file, 0, "--hybrid-layer-pattern",
                   "is not given, so the layers are unknown; add it, such as MEM*E");
    if (!is_known_value(s))
        return;
    size_t length = strcspn(s->value, "/");
    char *main = xstrndup(s->value, length);
    buffer_puts(&layers, "");
    for (const char *p = main; *p; p++)
        if (*p != '|')
            buffer_add(&layers, p, 1);
    add_setting(im, s, "model.layer_pattern", layers.text);
    setting_number(im, s, "model.num_layers", (int64_t)strlen(layers.text));
    set_segments(im, s, main);
    default_shapes(im, layers.text);
    for (const char *p = s->value + length; *p; p = strchr(p + 1, '/') ? strchr(p + 1, '/') : "")
        depths++;
    if (depths > 0 && s->value[length + 1]) {
        char *module = xstrndup(s->value + length + 1, strcspn(s->value + length + 1, "/"));
        add_setting(im, s, "model.mtp_pattern", module);
        setting_number(im, s, "model.mtp_num_layers", depths);
        free(module);
    }
    free(main);
    buffer_free(&layers);
}

/* 1 where a layer has experts: by a period, Megatron's first of each group, or a list. */
static bool has_experts(const char *list, int64_t every, int64_t layer)
{
    return list ? (int64_t)strlen(list) > layer && list[layer] == '1' : every > 0 && layer % every == 0;
}

/* The words of layers, linear where `linear` has a 1 or, without it, in all but every `period`-th; sparse for NULL. */
static void add_layers(struct megatron *im, const char *linear, const int64_t *period, struct buffer *words)
{
    const struct seen *freq = seen_of(im, "--moe-layer-freq");
    int64_t layers = setting_integer(im, "model.num_layers"), every = 1;
    bool is_list = is_known_value(freq) && !has_number(im, "--moe-layer-freq", &every);
    char *list = is_list ? unrolled(freq->value, "01") : NULL;
    for (int64_t i = 0; i < layers; i++) {
        bool is_linear = linear ? has_experts(linear, 0, i) : period && (i + 1) % *period != 0;
        buffer_printf(words, "%s%s%s", i ? " " : "", !period ? "D" : is_linear ? "G" : "*",
                      has(im, "--num-experts") && has_experts(list, every, i) ? "E" : "-");
    }
    free(list);
}

/* Layers of GPT models whose attention is of another kind: sparse in all, or linear by a period or a list. */
static void rule_variant(struct megatron *im)
{
    const struct seen *s = seen_of(im, "--experimental-attention-variant"),
                      *kinds = seen_of(im, "--linear-attention-freq");
    bool is_sparse = is_known_value(s) && strcmp(s->value, "dsa") == 0,
         is_linear = is_known_value(s) && strcmp(s->value, "gated_delta_net") == 0;
    int64_t period = 4;
    if (!is_known_value(s))
        return;
    if (!is_sparse && !is_linear) {
        errors_add(im->errors, im->file, s->line, "--experimental-attention-variant",
                   "%s attention is not modelled; use dsa or gated_delta_net", s->value);
        return;
    }
    bool is_period = !is_known_value(kinds) || has_number(im, "--linear-attention-freq", &period);
    char *linear = is_period ? NULL : unrolled(kinds->value, "01"); /* 1: linear */
    struct buffer words = {0};
    if (linear || (is_period && period > 0))
        add_layers(im, linear, is_sparse ? NULL : &period, &words);
    else
        note_no_counterpart(im, kinds);
    if (words.text)
        add_setting(im, s, "model.layer_pattern", words.text);
    if (words.text)
        default_shapes(im, words.text);
    buffer_free(&words);
    free(linear);
}

/* ---- a program that is not Megatron's --------------------------------------------------------------------------- */

/* Words in names of programs that build models as Megatron does. */
static const char megatron_programs[] =
    "gpt|mamba|hybrid|llama|llama2|llama3|qwen|qwen2|mistral|mixtral|deepseek|moe|train";

/* Programs named after a model whose feed-forward block is gated build it so, whatever their flags leave out. */
static void doubt_block(struct megatron *im)
{
    static const char gated[] =
        "llama|llama2|llama3|qwen|qwen2|qwen3|mistral|mixtral|deepseek|baichuan|baichuan2|gemma";
    bool says = has(im, "--swiglu") || has(im, "--glu-activation") || has(im, "--quick-geglu") ||
                has(im, "--squared-relu") || has(im, "--hf-checkpoint") || has(im, "--use-checkpoint-args");
    if (words_any(im->program, gated) && !says)
        keyvals_add(&im->out->unread, "model.gated_mlp", im->program, 0);
}

/*
 * Flags that many trainers have name no framework. A program with none of Megatron's own, and with some that Megatron
 * does not have, is another one.
 */
static void rule_program(struct megatron *im)
{
    static const char *const own[] = {
        "--tensor-model-parallel-size", "--pipeline-model-parallel-size", "--context-parallel-size",
        "--use-mcore-models",
        "--expert-model-parallel-size", "--num-attention-heads", "--max-position-embeddings", "--ffn-hidden-size",
        "--use-distributed-optimizer", "--group-query-attention", "--num-query-groups", "--transformer-impl",
        "--train-iters", "--train-samples", "--tokenizer-type", "--lr-decay-style", "--distributed-backend", "--split",
        "--recompute-granularity", "--checkpoint-activations", "--model-parallel-size", "--encoder-num-layers",
        "--deepspeed", "--zero-stage", "--lora-r", "--hf-checkpoint"};
    bool is_own = false;
    for (size_t i = 0; i < LENGTH(own); i++)
        is_own |= flag_find(own[i]) ? has(im, own[i]) : keyvals_last(&im->out->unused, own[i]) != NULL;
    if (im->program && !im->out->is_change)
        doubt_block(im);
    if (!im->program || im->out->is_change || keyvals_last(&im->out->settings, "framework.name"))
        return;
    bool is_fork = im->unknown_flags > 0 && !words_any(im->program, megatron_programs);
    if (is_own && (is_fork || words_any(im->program, "vlm|vision|multimodal"))) /* it builds models of its own */
        keyvals_add(&im->out->unread, "framework.name", im->program, 0);
    if (is_own || im->unknown_flags == 0)
        return;
    default_add(im, "framework.name", "other");
    errors_note(im->errors, im->file, 0, "framework.name",
                "%.80s has none of Megatron's own flags; estimated as other: eager kernels, no overlap, wide ranges; "
                "use --framework NAME if it is one of `shardtop list frameworks`",
                im->program);
}

/* ---- all together -------------------------------------------------------------------------------------------- */

static void (*const rule[])(struct megatron *) = {
    rule_yaml, rule_spec, rule_slime, rule_rollout, rule_query_groups, rule_vocabulary, rule_position,
    rule_normalization, rule_ffn,
    rule_bias,         rule_window,            rule_experts, rule_hybrid, rule_variant,        rule_sequence_parallel,
    rule_virtual_stages, rule_layout,         rule_context_parallel, rule_ulysses, rule_stages, rule_sharding,
    rule_dtype,
    rule_grad_dtype,   rule_moments,
    rule_offload,           rule_deepspeed_file,         rule_recompute,      rule_attention, rule_graphs,
    rule_fusions, rule_hardware,     rule_data_parallel,     rule_tokens,         rule_defaults,
    rule_shared_experts, rule_noop_layers, rule_adapters, rule_head_type, rule_context_algorithm, rule_program,
};

/* A checkpoint of a hub names the model of a script that gives no sizes of it. */
static void rule_checkpoint(struct megatron *im)
{
    const struct seen *s = seen_of(im, "--hf-checkpoint");
    if (is_known_value(s) && !has(im, "--num-layers"))
        keyvals_add(&im->out->settings, "model", s->value, s->line);
}

void apply_rules(struct megatron *im)
{
    apply_rows(im);
    for (size_t i = 0; i < LENGTH(rule); i++)
        rule[i](im);
    if (im->names_model)
        rule_checkpoint(im);
}
