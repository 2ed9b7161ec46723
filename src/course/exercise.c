#include "src/course/exercise.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/estimate/range.h"
#include "core/plan/param.h"
#include "src/course/unit.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/keyval.h"
#include "src/text/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const exercise_kind_names[EXERCISE_KINDS] = {"fits",    "memory", "fastest", "largest", "bubble",
                                                         "crosses", "kv",     "static",  "frees"};

/* ---- what questions are drawn from: their order is part of every seed -------------------------------------------- */

static const char *const bases[] = {
    "cluster=dgx-a100 model=llama2-7b train.seq_length=4096 train.global_batch_size=128",
    "cluster=dgx-h100 model=llama3-8b train.seq_length=8192 train.global_batch_size=128",
    "cluster=dgx-h100 hardware.nodes=2 model=llama2-13b train.seq_length=4096 train.global_batch_size=256",
    "cluster=dgx-a100 hardware.nodes=4 model=llama-33b train.seq_length=2048 train.global_batch_size=512",
    "cluster=dgx-h100 hardware.nodes=8 model=llama3-70b train.seq_length=8192 train.global_batch_size=256",
    "cluster=dgx-h100 hardware.nodes=8 model=qwen2.5-32b train.seq_length=8192 train.global_batch_size=256",
    "cluster=dgx-a100 hardware.nodes=16 model=gpt3-175b train.seq_length=2048 train.global_batch_size=1536",
    ("cluster=dgx-h100 hardware.nodes=4 model=mixtral-8x7b train.seq_length=4096 train.global_batch_size=256 "
     "framework.moe_grouped_gemm=true parallel.etp=1"),
    "cluster=dgx-h100 hardware.nodes=2 model=llama3-8b train.seq_length=8192 train.global_batch_size=128 "
    "train.dtype=fp8",
    ("cluster=dgx-h100 hardware.nodes=16 model=llama3.1-405b train.seq_length=8192 train.global_batch_size=256 "
     "parallel.embedding_counts_as_layer=true parallel.loss_counts_as_layer=true"),
};

/* The bases of each level. */
static const struct {
    int first, count;
} levels[EXERCISE_LEVELS] = {{0, 2}, {0, 8}, {2, 8}};
static const char common[] =
    "framework.name=megatron-core train.dtype=bf16 train.micro_batch_size=1 parallel.zero_stage=1 "
    "parallel.overlap_grad_reduce=true parallel.overlap_param_gather=true";
static const char *const served[] = {
    "workload=inference cluster=dgx-h100 hardware.gpus_per_node=1 model=llama3.1-8b",
    "workload=inference cluster=dgx-h100 hardware.gpus_per_node=1 model=llama2-7b",
    "workload=inference cluster=dgx-h100 hardware.gpus_per_node=8 model=llama3.1-70b parallel.tp=8",
};
static const int axis_tp[] = {1, 2, 4, 8}, axis_pp[] = {1, 2, 4, 8}, axis_cp[] = {1, 1, 2},
                 axis_micro_batch[] = {1, 1, 2, 4}, axis_ep[] = {1, 8};
static const enum recompute axis_recompute[] = {RECOMPUTE_NONE, RECOMPUTE_NONE, RECOMPUTE_FULL};

/* How far apart what is compared must be, and how far from the truth an answer may be. */
#define FASTEST_LEAD 0.15
#define LARGEST_LEAD 0.15
#define FREES_LEAD   0.045 /* of the fullest GPU's memory */
enum { BASES_TRIED = 60, LAYOUTS_TRIED = 40 };

/* ---- chance ------------------------------------------------------------------------------------------------------ */

/* splitmix64. */
struct chance {
    uint64_t state;
};

static uint64_t next(struct chance *chance)
{
    uint64_t x = chance->state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static int below(struct chance *chance, size_t limit)
{
    return (int)(next(chance) % limit);
}

#define PICK(chance, list) ((list)[below(chance, LENGTH(list))])

/* ---- plans ------------------------------------------------------------------------------------------------------- */

/* A question in the making. */
struct maker {
    struct chance chance;
    struct exercise *out;
    struct estimate *estimate;
    struct plan base;
    const char *about; /* settings of the base */
    int level;
};

static void apply(struct plan *plan, const char *settings)
{
    const struct plan_source source = {.from = FROM_FILE, .is_last_wins = true};
    struct keyvals list = {0};
    struct errors errors = {0};
    char *copy = xstrdup(settings), *rest = NULL;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        keyvals_add(&list, word, value, 0);
    }
    plan_apply(plan, &list, &source, &errors);
    keyvals_free(&list);
    errors_free(&errors);
    free(copy);
}

static void draw_base(struct maker *m, const char *const list[], int count, const char *more)
{
    m->about = list[below(&m->chance, (size_t)count)];
    char *all = xasprintf("%s %s", more, m->about);
    plan_clear(&m->base);
    apply(&m->base, all);
    plan_finish(&m->base);
    free(all);
}

static bool has_rule(const struct estimate *e, const char *rule)
{
    for (int i = 0; i < e->diags.count; i++)
        if (strcmp(e->diags.item[i].rule, rule) == 0)
            return true;
    return false;
}

/* Estimates a plan; false where no framework would start it, or tensor parallelism leaves the node. */
static bool is_valid(struct maker *m, const struct plan *plan)
{
    estimate_plan(plan, m->estimate);
    return m->estimate->diags.errors == 0 && m->estimate->is_modelled && !has_rule(m->estimate, "tp_in_node");
}

static void follow(struct plan *plan)
{
    param_set(plan, PARAM_parallel_sp, KEY_OF(plan, parallel, tp) > 1);
}

/* The next layout of the base; `m->estimate` is of it. False when it is not valid. */
static bool draw_layout(struct maker *m, struct plan *plan)
{
    *plan = m->base;
    param_set(plan, PARAM_parallel_tp, PICK(&m->chance, axis_tp));
    param_set(plan, PARAM_parallel_pp, PICK(&m->chance, axis_pp));
    param_set(plan, PARAM_parallel_cp, PICK(&m->chance, axis_cp));
    param_set(plan, PARAM_train_micro_batch_size, PICK(&m->chance, axis_micro_batch));
    param_set(plan, PARAM_train_recompute, PICK(&m->chance, axis_recompute));
    int ep = PICK(&m->chance, axis_ep);
    if (KEY_OF(plan, model, num_experts) > 0)
        param_set(plan, PARAM_parallel_ep, ep);
    follow(plan);
    return is_valid(m, plan);
}

static double device_gib(const struct estimate *e)
{
    return e->stage[e->peak_stage].device_bytes / GIB;
}

/* "tp 4 pp 4 cp 1 mbs 4 recompute none" */
static void say_layout(const struct plan *plan, char *out, size_t size)
{
    bool has_experts = KEY_OF(plan, model, num_experts) > 0;
    char ep[16] = "";
    if (has_experts)
        snprintf(ep, sizeof ep, " ep %.0f", KEY_OF(plan, parallel, ep));
    snprintf(out, size, "tp %.0f pp %.0f cp %.0f mbs %.0f%s recompute %s", KEY_OF(plan, parallel, tp),
             KEY_OF(plan, parallel, pp), KEY_OF(plan, parallel, cp), KEY_OF(plan, train, micro_batch_size), ep,
             KEY_OF(plan, train, recompute) == RECOMPUTE_FULL ? "full" : "none");
}

/* "llama2-13b on 2 x dgx-h100, 4096 tokens, global batch 256" */
static int say_base(const struct maker *m, char *out, size_t size)
{
    const struct plan *p = &m->base;
    double nodes = KEY_OF(p, hardware, nodes);
    return snprintf(out, size, "%s on %.0f x %s, %.0f tokens, global batch %.0f%s%s", p->text[TEXT_MODEL],
                    isnan(nodes) ? 1 : nodes, p->text[TEXT_CLUSTER], KEY_OF(p, train, seq_length),
                    KEY_OF(p, train, global_batch_size), KEY_OF(p, train, dtype) == DTYPE_FP8 ? ", fp8" : "",
                    KEY_OF(p, parallel, loss_counts_as_layer) > 0 ? ", embedding and loss as a layer each" : "");
}

/* The base, a layout and the question behind it. */
__attribute__((format(printf, 3, 4))) static void ask(const struct maker *m, const struct plan *plan,
                                                      const char *format, ...)
{
    char layout[EXERCISE_CHOICE_MAX] = "", question[256];
    va_list args;
    va_start(args, format);
    vsnprintf(question, sizeof question, format, args);
    va_end(args);
    int used = say_base(m, m->out->text, EXERCISE_TEXT_MAX);
    if (plan)
        say_layout(plan, layout, sizeof layout);
    snprintf(m->out->text + used, EXERCISE_TEXT_MAX - (size_t)used, "%s%s%s", plan ? ", " : "", layout, question);
}

/* ---- questions with four choices --------------------------------------------------------------------------------- */

/* Four layouts with what they are judged by. */
struct four {
    struct plan plan[EXERCISE_CHOICES];
    double value[EXERCISE_CHOICES];
    int count;
};

static bool is_among(const struct four *four, const struct plan *plan)
{
    for (int i = 0; i < four->count; i++)
        if (plan_equal(&four->plan[i], plan))
            return true;
    return false;
}

static void add(struct four *four, const struct plan *plan, double value)
{
    four->plan[four->count] = *plan;
    four->value[four->count++] = value;
}

/* Fisher-Yates from the end. */
static void shuffle(struct maker *m, struct four *four)
{
    for (int i = EXERCISE_CHOICES - 1; i > 0; i--) {
        int k = below(&m->chance, (size_t)i + 1);
        struct plan plan = four->plan[i];
        double value = four->value[i];
        four->plan[i] = four->plan[k];
        four->value[i] = four->value[k];
        four->plan[k] = plan;
        four->value[k] = value;
    }
}

/* The choices; the one with the least value is right. `because` lists the values. */
static void take_four(struct maker *m, const struct four *four, const char *what)
{
    struct exercise *out = m->out;
    size_t used = 0;
    out->choices = EXERCISE_CHOICES;
    out->answer = 0;
    out->because[0] = '\0';
    for (int i = 0; i < EXERCISE_CHOICES && used < EXERCISE_TEXT_MAX; i++) {
        say_layout(&four->plan[i], out->choice[i], EXERCISE_CHOICE_MAX);
        out->answer = four->value[i] < four->value[(int)out->answer] ? i : out->answer;
        used += (size_t)snprintf(out->because + used, EXERCISE_TEXT_MAX - used, "%s%c %.4g %s", i ? "; " : "", 'a' + i,
                                 four->value[i], what);
    }
    out->plan = four->plan[(int)out->answer];
}

/* One that surely fits and three that surely do not. */
static bool make_fits(struct maker *m)
{
    struct four four = {0};
    struct plan plan;
    bool has_fit = false;
    double usable = NAN;
    for (int i = 0; i < LAYOUTS_TRIED && four.count < EXERCISE_CHOICES; i++) {
        if (!draw_layout(m, &plan) || is_among(&four, &plan))
            continue;
        enum verdict verdict = range_verdict(m->estimate);
        bool is_wanted =
            verdict == VERDICT_FITS ? !has_fit : verdict == VERDICT_NO && four.count - has_fit < EXERCISE_CHOICES - 1;
        usable = m->estimate->usable_bytes / GIB;
        if (is_wanted)
            add(&four, &plan, device_gib(m->estimate));
        has_fit |= is_wanted && verdict == VERDICT_FITS;
    }
    if (four.count < EXERCISE_CHOICES || !has_fit)
        return false;
    shuffle(m, &four);
    take_four(m, &four, "GiB");
    ask(m, NULL, ": which of these layouts fits in %.1f GiB?", usable);
    return true;
}

/* The lead of the least value over the second, as a share of the second. */
static double lead_of(const double value[EXERCISE_CHOICES])
{
    double first = INFINITY, second = INFINITY;
    for (int i = 0; i < EXERCISE_CHOICES; i++) {
        second = value[i] < first ? first : fmin(second, value[i]);
        first = fmin(first, value[i]);
    }
    return 1 - first / second;
}

static bool make_fastest(struct maker *m)
{
    struct four four = {0};
    struct plan plan;
    for (int i = 0; i < LAYOUTS_TRIED && four.count < EXERCISE_CHOICES; i++)
        if (draw_layout(m, &plan) && !is_among(&four, &plan) && range_verdict(m->estimate) == VERDICT_FITS)
            add(&four, &plan, m->estimate->step.iteration_s);
    if (four.count < EXERCISE_CHOICES || !(lead_of(four.value) >= FASTEST_LEAD))
        return false;
    shuffle(m, &four);
    take_four(m, &four, "s");
    ask(m, NULL, ": all fit; which is the fastest?");
    return true;
}

/* One of the four changes of EXERCISE_FREES; false where the plan does not take it. */
static bool change(struct plan *plan, int which)
{
    static const enum param doubled[] = {PARAM_train_recompute, PARAM_parallel_tp, PARAM_parallel_pp,
                                         PARAM_parallel_cp};
    bool is_done = which > 0 || KEY_OF(plan, train, recompute) != RECOMPUTE_FULL;
    param_set(plan, doubled[which], which == 0 ? RECOMPUTE_FULL : 2 * plan->value[doubled[which]]);
    follow(plan);
    return is_done;
}

static bool make_frees(struct maker *m)
{
    static const char *const names[EXERCISE_CHOICES] = {"recompute full", "double tp", "double pp", "double cp"};
    struct plan plan;
    double delta[EXERCISE_CHOICES];
    size_t used = 0;
    for (int i = 0; i < LAYOUTS_TRIED; i++) {
        if (!draw_layout(m, &plan))
            continue;
        double before = device_gib(m->estimate), first = INFINITY, second = INFINITY;
        bool is_good = true;
        for (int k = 0; k < EXERCISE_CHOICES && is_good; k++) {
            struct plan changed = plan;
            is_good = change(&changed, k) && is_valid(m, &changed);
            delta[k] = device_gib(m->estimate) - before;
            second = delta[k] < first ? first : fmin(second, delta[k]);
            first = fmin(first, delta[k]);
        }
        if (!is_good || second - first < FREES_LEAD * before || first >= 0)
            continue;
        ask(m, &plan, ": which one change frees most memory on the fullest GPU?");
        m->out->choices = EXERCISE_CHOICES;
        m->out->plan = plan;
        for (int k = 0; k < EXERCISE_CHOICES; k++) {
            snprintf(m->out->choice[k], EXERCISE_CHOICE_MAX, "%s", names[k]);
            m->out->answer = delta[k] == first ? k : m->out->answer;
            used += (size_t)snprintf(m->out->because + used, EXERCISE_TEXT_MAX - used, "%s%s %+.1f GiB", k ? "; " : "",
                                     names[k], delta[k]);
        }
        return true;
    }
    return false;
}

static bool make_largest(struct maker *m)
{
    static const char *const names[EXERCISE_CHOICES] = {"weights", "gradients", "optimizer states", "activations"};
    struct plan plan;
    size_t used = 0;
    for (int i = 0; i < LAYOUTS_TRIED; i++) {
        if (!draw_layout(m, &plan))
            continue;
        const struct stage *s = &m->estimate->stage[m->estimate->peak_stage];
        const double part[EXERCISE_CHOICES] = {s->weights_bytes, s->gradients_bytes, s->optimizer_bytes,
                                               s->activations_bytes};
        double inverse[EXERCISE_CHOICES];
        for (int k = 0; k < EXERCISE_CHOICES; k++)
            inverse[k] = 1 / part[k];
        if (!(lead_of(inverse) >= LARGEST_LEAD))
            continue;
        ask(m, &plan, ": what is the largest part of the fullest GPU?");
        m->out->choices = EXERCISE_CHOICES;
        m->out->plan = plan;
        for (int k = 0; k < EXERCISE_CHOICES; k++) {
            snprintf(m->out->choice[k], EXERCISE_CHOICE_MAX, "%s", names[k]);
            m->out->answer = part[k] > part[(int)m->out->answer] ? k : m->out->answer;
            used += (size_t)snprintf(m->out->because + used, EXERCISE_TEXT_MAX - used, "%s%s %.1f GiB", k ? ", " : "",
                                     names[k], part[k] / GIB);
        }
        return true;
    }
    return false;
}

/* ---- questions for a number -------------------------------------------------------------------------------------- */

static void take_number(struct maker *m, const struct plan *plan, double answer, const char *unit, double within)
{
    m->out->plan = *plan;
    m->out->answer = answer;
    m->out->unit = unit;
    m->out->within = within;
}

static bool make_memory(struct maker *m)
{
    static const enum param keys[] = {PARAM_parallel_tp, PARAM_parallel_pp, PARAM_parallel_cp,
                                      PARAM_train_micro_batch_size};
    struct plan plan;
    for (int i = 0; i < LAYOUTS_TRIED; i++) {
        if (!draw_layout(m, &plan) || range_verdict(m->estimate) != VERDICT_FITS)
            continue;
        enum param key = PICK(&m->chance, keys);
        double before = device_gib(m->estimate), was = plan.value[key];
        struct plan after = plan;
        param_set(&after, key, 2 * was);
        follow(&after);
        if (!is_valid(m, &after) || fabs(device_gib(m->estimate) / before - 1) < 0.1)
            continue;
        ask(m, &plan, ": the fullest GPU needs %.1f GiB. %s goes from %.0f to %.0f. Predict the new figure in GiB.",
            before, param_rows[key].dotted, was, 2 * was);
        take_number(m, &after, device_gib(m->estimate), "GiB", 0.1);
        snprintf(m->out->because, EXERCISE_TEXT_MAX, "%.1f GiB, stage %d is the fullest", device_gib(m->estimate),
                 m->estimate->peak_stage);
        return true;
    }
    return false;
}

static bool make_bubble(struct maker *m)
{
    struct plan plan;
    for (int i = 0; i < LAYOUTS_TRIED; i++) {
        if (!draw_layout(m, &plan) || KEY_OF(&plan, parallel, pp) < 2)
            continue;
        const struct plan *p = &m->estimate->plan;
        double stages = KEY_OF(p, parallel, pp), passes = KEY_OF(p, train, global_batch_size) /
                                                          KEY_OF(p, train, micro_batch_size) / KEY_OF(p, parallel, dp);
        double percent = 100 * (stages - 1) / (passes + stages - 1);
        if (percent < 5)
            continue;
        ask(m, &plan, ": what is the ideal bubble, in percent of the pipeline's time, when all stages are equal?");
        take_number(m, &plan, percent, "%", 0.15);
        snprintf(m->out->because, EXERCISE_TEXT_MAX, "pp %.0f, %.0f micro-batches: (p-1)/(m+p-1)", stages, passes);
        return true;
    }
    return false;
}

static bool make_static(struct maker *m)
{
    struct plan plan;
    for (int i = 0; i < LAYOUTS_TRIED; i++) {
        if (!draw_layout(m, &plan) || KEY_OF(&plan, model, num_experts) > 0 || KEY_OF(&plan, train, dtype) == DTYPE_FP8)
            continue;
        const struct stage *s = &m->estimate->stage[m->estimate->peak_stage];
        double dp = KEY_OF(&m->estimate->plan, parallel, dp) * KEY_OF(&m->estimate->plan, parallel, cp);
        ask(m, &plan,
            ", ZeRO 1: a rank of the fullest stage has %.3f billion parameters. GiB of weights, gradients and "
            "optimizer states?",
            s->params / 1e9);
        take_number(m, &plan, (s->weights_bytes + s->gradients_bytes + s->optimizer_bytes) / GIB, "GiB", 0.04);
        snprintf(m->out->because, EXERCISE_TEXT_MAX, "6 bytes of weights and gradients, 12/%.0f of states a parameter",
                 dp);
        return true;
    }
    return false;
}

static bool make_kv(struct maker *m)
{
    static const int batches[] = {1, 4, 16, 64}, prompts[] = {1024, 4096, 16384};
    draw_base(m, served, (int)LENGTH(served),
              "framework.name=megatron-core serve.kv_dtype=bf16 serve.generate_tokens=256");
    struct plan plan = m->base;
    param_set(&plan, PARAM_serve_batch_size, PICK(&m->chance, batches));
    param_set(&plan, PARAM_serve_prompt_tokens, PICK(&m->chance, prompts));
    estimate_plan(&plan, m->estimate);
    const struct plan *p = &m->estimate->plan;
    double bytes = m->estimate->serving.kv_cache_bytes;
    if (m->estimate->diags.errors > 0 || !(bytes > 0))
        return false;
    snprintf(m->out->text, EXERCISE_TEXT_MAX,
             "%s serving, tp %.0f, batch %.0f, %.0f + 256 tokens, bf16 cache; %.0f layers, %.0f kv heads of %.0f: GiB "
             "of cache on one GPU?",
             p->text[TEXT_MODEL], KEY_OF(p, parallel, tp), KEY_OF(p, serve, batch_size),
             KEY_OF(p, serve, prompt_tokens), KEY_OF(p, model, num_layers), KEY_OF(p, model, num_query_groups),
             KEY_OF(p, model, kv_channels));
    take_number(m, &plan, bytes / GIB, "GiB", 0.02);
    snprintf(m->out->because, EXERCISE_TEXT_MAX, "2 x layers x kv heads / tp x width x 2 bytes x tokens x batch");
    return true;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static bool make_crosses(struct maker *m)
{
    static const struct {
        enum rank_axis axis;
        const char *name;
    } axes[] = {{AXIS_TP, "tp"}, {AXIS_CP, "cp"}, {AXIS_DP, "dp"}, {AXIS_PP, "pp"}};
    struct plan plan;
    size_t used = 0;
    bool has_nodes = KEY_OF(&m->base, hardware, nodes) > 1;
    for (int i = 0; i < LAYOUTS_TRIED && has_nodes; i++) {
        if (!draw_layout(m, &plan) || m->estimate->grid.world <= m->estimate->grid.gpus_per_node)
            continue;
        for (size_t k = 0; k < LENGTH(axes); k++)
            if (m->estimate->grid.size[axes[k].axis] > 1 && rank_axis_crosses(&m->estimate->grid, axes[k].axis))
                used += (size_t)snprintf(m->out->groups + used, sizeof m->out->groups - used, "%s%s", used ? " " : "",
                                         axes[k].name);
        if (!used)
            continue;
        ask(m, &plan, ", order tp-cp-ep-dp-pp: which groups of tp, cp, dp, pp span nodes?");
        m->out->plan = plan;
        snprintf(m->out->because, EXERCISE_TEXT_MAX, "%d GPUs a node; tp lies innermost, then cp, dp and pp",
                 m->estimate->grid.gpus_per_node);
        return true;
    }
    return false;
}

/* ---- one question ------------------------------------------------------------------------------------------------ */

static bool (*const makers[EXERCISE_KINDS])(struct maker *m) = {
    [EXERCISE_FITS] = make_fits,       [EXERCISE_MEMORY] = make_memory,   [EXERCISE_FASTEST] = make_fastest,
    [EXERCISE_LARGEST] = make_largest, [EXERCISE_BUBBLE] = make_bubble,   [EXERCISE_CROSSES] = make_crosses,
    [EXERCISE_KV] = make_kv,           [EXERCISE_STATIC] = make_static,   [EXERCISE_FREES] = make_frees,
};

static bool make(struct maker *m, enum exercise_kind kind)
{
    for (int i = 0; i < BASES_TRIED; i++) {
        uint64_t seed = m->out->seed;
        int number = m->out->number;
        *m->out = (struct exercise){.kind = kind, .seed = seed, .number = number, .unit = ""};
        draw_base(m, bases + levels[m->level - 1].first, levels[m->level - 1].count, common);
        if (makers[kind](m))
            return true;
    }
    return false;
}

static struct chance chance_of(uint64_t seed, int number)
{
    return (struct chance){seed ^ ((uint64_t)number * 0xd1b54a32d192ed03u)};
}

enum exercise_kind exercise_draw(uint64_t seed, int number, const int weight[EXERCISE_KINDS])
{
    struct chance chance = chance_of(seed, number);
    int sum = 0, kind = 0;
    for (int i = 0; i < EXERCISE_KINDS; i++)
        sum += weight[i];
    for (int left = sum > 0 ? below(&chance, (size_t)sum) : 0; kind < EXERCISE_KINDS - 1 && left >= weight[kind];
         kind++)
        left -= weight[kind];
    return (enum exercise_kind)kind;
}

int exercise_make(uint64_t seed, int number, unsigned kinds, int level, struct exercise *out)
{
    struct maker m = {
        .chance = chance_of(seed, number), .out = out, .estimate = xmalloc(sizeof *m.estimate), .level = level};
    int result = -1;
    out->seed = seed;
    out->number = number;
    for (int i = 0; i < EXERCISE_KINDS && result != 0; i++) {
        int kind = (number - 1 + i) % EXERCISE_KINDS;
        if (!kinds || kinds & 1u << kind)
            result = make(&m, (enum exercise_kind)kind) ? 0 : -1;
    }
    free(m.estimate);
    return result;
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

void exercise_answer(const struct exercise *exercise, char out[EXERCISE_CHOICE_MAX])
{
    if (exercise->choices)
        snprintf(out, EXERCISE_CHOICE_MAX, "%c", 'a' + (int)exercise->answer);
    else if (exercise->kind == EXERCISE_CROSSES)
        snprintf(out, EXERCISE_CHOICE_MAX, "%s", exercise->groups);
    else
        snprintf(out, EXERCISE_CHOICE_MAX, "%.4g %s", exercise->answer, exercise->unit);
}

/* True when every word of `words` is one of `of`. */
static bool has_all(const char *of, const char *words)
{
    char copy[64], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok_r(copy, " ,\t\r\n", &rest); word; word = strtok_r(NULL, " ,\t\r\n", &rest)) {
        const char *at = strcasestr(of, word);
        if (strlen(word) != 2 || !at)
            return false;
    }
    return words[strspn(words, " ,\t\r\n")] != '\0';
}

bool exercise_read(const struct exercise *exercise, const char *typed, double *out)
{
    struct unit_format format;
    if (exercise->choices || exercise->kind == EXERCISE_CROSSES ||
        !unit_find(exercise->unit, strlen(exercise->unit), &format))
        return false;
    typed += strspn(typed, " \t");
    char *word = xstrndup(typed, strcspn(typed, "\r\n"));
    bool is_read = unit_read(&format, word, out);
    free(word);
    *out /= format.unit->factor;
    return is_read;
}

/* The choice that a letter or a number from 1 means, -1 for none. */
static int choice_of(const struct exercise *exercise, const char *typed)
{
    typed += strspn(typed, " \t");
    int choice = isdigit((unsigned char)*typed) ? *typed - '1' : tolower((unsigned char)*typed) - 'a';
    return choice >= 0 && choice < exercise->choices && !isalnum((unsigned char)typed[1]) ? choice : -1;
}

bool exercise_is_answer(const struct exercise *exercise, const char *typed)
{
    double number;
    if (exercise->choices)
        return choice_of(exercise, typed) >= 0;
    return exercise->kind == EXERCISE_CROSSES ? has_all("tp cp dp pp", typed) : exercise_read(exercise, typed, &number);
}

bool exercise_is_right(const struct exercise *exercise, const char *typed)
{
    double number;
    if (exercise->choices)
        return choice_of(exercise, typed) == (int)exercise->answer;
    if (exercise->kind == EXERCISE_CROSSES)
        return has_all(exercise->groups, typed) && has_all(typed, exercise->groups);
    return exercise_read(exercise, typed, &number) && fabs(number / exercise->answer - 1) <= exercise->within;
}
