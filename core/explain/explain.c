#include "core/explain/explain.h"

#include "core/explain/detail.h"
#include "core/plan/framework.h"
#include "core/plan/param.h"
#include "core/plan/split.h"
#include "core/show/columns.h"
#include "core/show/components.h"
#include "core/show/quantity.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- scopes: where a formula finds its names -------------------------------------------------------------------- */

/** One sheet of terms with its values and the path prefix under which they are opened. */
struct scope {
    const struct term *rows;
    size_t count;
    const void *sheet;
    char prefix[48];
};

enum { SCOPES_MAX = 5 };

struct scopes {
    int count;
    struct scope scope[SCOPES_MAX];
    const struct estimate *estimate;
};

static void add_scope(struct scopes *scopes, const struct term *rows, size_t count, const void *sheet, const char *format, int index)
{
    struct scope *scope = &scopes->scope[scopes->count++];
    *scope = (struct scope){.rows = rows, .count = count, .sheet = sheet};
    if (index >= 0)
        snprintf(scope->prefix, sizeof scope->prefix, "%s.%d.", format, index);
    else
        snprintf(scope->prefix, sizeof scope->prefix, "%s.", format);
}

static void add_symbols(struct scopes *scopes)
{
    add_scope(scopes, symbol_terms, symbol_term_count, &scopes->estimate->symbols, "symbols", -1);
    add_scope(scopes, constant_terms, constant_count, constant_values, "constants", -1);
}

static void add_stage_scope(struct scopes *scopes, int stage)
{
    add_scope(scopes, stage_terms, stage_term_count, &scopes->estimate->stage[stage], "memory.stages", stage);
}

/* ---- formulas to text -------------------------------------------------------------------------------------------- */

struct writer {
    char *out;
    size_t size, used;
};

static void put(struct writer *w, const char *text, size_t n)
{
    if (w->used + n + 1 > w->size)
        n = w->size - w->used - 1;
    memcpy(w->out + w->used, text, n);
    w->used += n;
    w->out[w->used] = '\0';
}

static void put_number(struct writer *w, double value)
{
    char text[40];
    bool is_count = value == floor(value) && fabs(value) < 1e15;
    int n = isnan(value) ? snprintf(text, sizeof text, "unknown") : snprintf(text, sizeof text, is_count ? "%.0f" : "%.7g", value);
    put(w, text, (size_t)n);
}

static void add_input(struct explanation *out, const char *name, size_t n, const struct term *term, const char *prefix, double value)
{
    for (int i = 0; i < out->inputs; i++)
        if (strlen(out->input[i].name) == n && memcmp(out->input[i].name, name, n) == 0)
            return;
    if (out->inputs == EXPLAIN_INPUTS_MAX || n >= sizeof out->input[0].name)
        return;
    struct explain_input *input = &out->input[out->inputs++];
    *input = (struct explain_input){.label = term->label, .unit = term->unit, .value = value, .is_key = term->key != NULL};
    memcpy(input->name, name, n);
    snprintf(input->path, sizeof input->path, "%s%s", term->key ? "" : prefix, term->key ? term->key : term->name);
}

static const struct term *find_name(const struct scopes *scopes, const char *name, size_t n, const struct scope **where)
{
    for (int i = 0; i < scopes->count; i++) {
        const struct term *term = term_find(scopes->scope[i].rows, scopes->scope[i].count, name, n);
        if (term) {
            *where = &scopes->scope[i];
            return term;
        }
    }
    return NULL;
}

/* Copies the letters of a key's part into `out` (`size` bytes); returns what follows, or NULL when it is too long. */
static const char *read_part(const char *p, char *out, size_t size)
{
    size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyz_0123456789");
    if (n == 0 || n >= size)
        return NULL;
    memcpy(out, p, n);
    out[n] = '\0';
    return p + n;
}

/* The plan key that `KEY(group, key)` at `p` names, -1 when it is none; `*length` is what was read. */
static int read_key(const char *p, size_t *length)
{
    char group[24], key[48], dotted[80];
    const char *at = strncmp(p, "KEY(", 4) == 0 ? read_part(p + 4, group, sizeof group) : NULL;
    at = at && strncmp(at, ", ", 2) == 0 ? read_part(at + 2, key, sizeof key) : NULL;
    if (!at || *at != ')')
        return -1;
    *length = (size_t)(at + 1 - p);
    bool is_top = strcmp(group, "plan") == 0;
    snprintf(dotted, sizeof dotted, "%s%s%s", is_top ? "" : group, is_top ? "" : ".", key);
    return param_find(dotted);
}

/* Writes the key at `p` and its value; returns the length read, 0 when there is none. */
static size_t put_key(const struct scopes *scopes, const char *p, struct explanation *out, struct writer *formula, struct writer *values)
{
    size_t length = 0;
    char value[64];
    int id = read_key(p, &length);
    if (id < 0)
        return 0;
    const struct param_row *row = &param_rows[id];
    const struct term term = {.name = row->key, .key = row->dotted, .unit = row->unit, .label = row->help};
    param_print(&scopes->estimate->plan, (enum param)id, value, sizeof value);
    const char *text = value[0] ? value : "unknown";
    put(formula, row->dotted, strlen(row->dotted));
    put(values, text, strlen(text));
    add_input(out, row->key, strlen(row->key), &term, "", scopes->estimate->plan.value[id]);
    return length;
}

/* Copies the formula, and beside it the same with every name replaced by its value. */
static void write_formula(const struct scopes *scopes, const char *text, struct explanation *out)
{
    struct writer formula = {out->formula, sizeof out->formula, 0}, values = {out->substituted, sizeof out->substituted, 0};
    out->formula[0] = out->substituted[0] = '\0';
    for (const char *p = text; *p;) {
        size_t n = put_key(scopes, p, out, &formula, &values);
        if (n > 0) {
            p += n;
            continue;
        }
        bool starts_name = (isalpha((unsigned char)*p) || *p == '_') && (p == text || !isalnum((unsigned char)p[-1]));
        if (!starts_name) {
            put(&formula, p, 1);
            put(&values, p, 1);
            p++;
            continue;
        }
        while (isalnum((unsigned char)p[n]) || p[n] == '_')
            n++;
        const struct scope *where = NULL;
        const struct term *term = find_name(scopes, p, n, &where);
        put(&formula, p, n);
        if (term) {
            double value = term_value(term, where->sheet);
            put_number(&values, value);
            add_input(out, p, n, term, where->prefix, value);
        } else {
            put(&values, p, n);
        }
        p += n;
    }
    put(&values, " = ", 3);
    put_number(&values, out->value);
}

/* ---- given quantities: what stands behind a member that no single formula makes ----------------------------------- */

/* A quantity that is a sum of one column over the operators of some kinds, or has a formula of its own in words. */
struct given {
    const char *name;
    unsigned kinds;        /* bit mask of enum op_kind; 0: `text` */
    const char *column;    /* of a layer row, as in layers.N.column */
    const char *text;
};

#define KIND(kind) (1u << OP_##kind)
static const struct given givens[] = {
    {"attn_params", KIND(ATTENTION), "params", NULL},
    {"mlp_params", KIND(MLP), "params", NULL},
    {"moe_params", KIND(MOE), "params", NULL},
    {"expert_params", KIND(MOE), "params", NULL},
    {"embed_params", KIND(EMBEDDING), "params", NULL},
    {"head_params", KIND(HEAD), "params", NULL},
    {"dense_saved", KIND(ATTENTION) | KIND(MLP), "saved_bytes", NULL},
    {"moe_saved", KIND(ATTENTION) | KIND(MOE), "saved_bytes", NULL},
    {"dense_dropped", KIND(ATTENTION) | KIND(MLP), "drop", NULL},
    {"moe_dropped", KIND(ATTENTION) | KIND(MOE), "drop", NULL},
    {"embed_saved", KIND(EMBEDDING), "saved_bytes", NULL},
    {"head_saved", KIND(HEAD), "saved_bytes", NULL},
    {"attn_f", KIND(ATTENTION), "forward_s", NULL},
    {"attn_b", KIND(ATTENTION), "backward_s", NULL},
    {"mlp_f", KIND(MLP), "forward_s", NULL},
    {"mlp_b", KIND(MLP), "backward_s", NULL},
    {"moe_f", KIND(MOE), "forward_s", NULL},
    {"moe_b", KIND(MOE), "backward_s", NULL},
    {"embed_f", KIND(EMBEDDING), "forward_s", NULL},
    {"embed_b", KIND(EMBEDDING), "backward_s", NULL},
    {"head_f", KIND(HEAD), "forward_s", NULL},
    {"head_b", KIND(HEAD), "backward_s", NULL},
    {"dense_in_flight", 0, NULL, "chunks_in_flight*dense_layers/V"},
    {"moe_in_flight", 0, NULL, "chunks_in_flight*moe_layers/V"},
    {"dummy_elements", 0, NULL, "sum of out_rank*in_rank over the distinct shapes of weight matrices"},
    {"slowest_micro_s", 0, NULL, "the largest micro_s over the stages"},
    {"sum_micro_s", 0, NULL, "sum of micro_s over the stages"},
    {"dp_exposed_s", 0, NULL, "the largest sum of exposed_s over the dp, edp and embedding rows of a stage"},
    {"tp_exposed_s", 0, NULL, "sum of exposed_s over the tp rows of the slowest stage"},
    {"cp_exposed_s", 0, NULL, "sum of exposed_s over the cp rows of the slowest stage"},
    {"pp_exposed_s", 0, NULL, "sum of exposed_s over the pp rows of the slowest stage"},
    {"ep_exposed_s", 0, NULL, "sum of exposed_s over the ep rows of the slowest stage"},
    {"matrix_flops", 0, NULL, "sum of 2*m*out*in over the matrices of the whole model"},
    {"attention_flops", 0, NULL, "4*L*a*k*s*s*b"},
};

static const char *in_flight_text(const struct estimate *e)
{
    return e->schedule.kind == SCHEDULE_GPIPE ? "m*V"
           : e->schedule.chunks > 1           ? "min(m*V, 2*(p - stage - 1) + (V - 1)*N + 1)"
                                              : "min(p - stage, m)";
}

static double layer_value(const struct estimate *e, enum op_id id, const char *column)
{
    const struct op *op = &e->op[id];
    const struct term *time = term_find(op_time_terms, op_time_term_count, column, strlen(column));
    return strcmp(column, "params") == 0        ? op->params
           : strcmp(column, "saved_bytes") == 0 ? op->saved
           : strcmp(column, "drop") == 0        ? op->drop
           : time                               ? term_value(time, &e->time[id])
                                                : NAN;
}

/* A sum over operators, as formula, values and inputs that open the layer rows. */
static void write_sum(const struct estimate *e, const struct given *given, bool experts, struct explanation *out)
{
    struct writer formula = {out->formula, sizeof out->formula, 0}, values = {out->substituted, sizeof out->substituted, 0};
    enum op_id id;
    bool is_params = strcmp(given->column, "params") == 0;
    for (int i = 0; explain_layer_row(e, i, &id); i++) {
        bool is_expert = op_rows[id].split == SPLIT_EOUT || op_rows[id].split == SPLIT_EIN;
        double value = layer_value(e, id, given->column);
        if (!(given->kinds & 1u << op_rows[id].kind) || value == 0 || (is_params && is_expert != experts))
            continue;
        const char *last = strrchr(op_rows[id].path, '/');
        const char *name = last ? last + 1 : op_rows[id].path;
        if (values.used > 0) {
            put(&formula, " + ", 3);
            put(&values, " + ", 3);
        }
        put(&formula, name, strlen(name));
        put_number(&values, value);
        char prefix[32];
        snprintf(prefix, sizeof prefix, "layers.%d.", i);
        const struct term term = {.name = given->column, .unit = out->unit, .label = op_rows[id].path};
        add_input(out, name, strlen(name), &term, prefix, value);
    }
    put(&values, values.used ? " = " : "", values.used ? 3 : 0);
    put_number(&values, out->value);
}

static void write_given(const struct scopes *scopes, const struct term *term, struct explanation *out)
{
    if (strcmp(term->name, "chunks_in_flight") == 0 || strcmp(term->name, "embed_in_flight") == 0) {
        write_formula(scopes, in_flight_text(scopes->estimate), out);
        return;
    }
    for (size_t i = 0; i < sizeof givens / sizeof *givens; i++) {
        if (strcmp(givens[i].name, term->name) != 0)
            continue;
        if (givens[i].kinds)
            write_sum(scopes->estimate, &givens[i], strcmp(term->name, "expert_params") == 0, out);
        else
            write_formula(scopes, givens[i].text, out);
        return;
    }
    snprintf(out->formula, sizeof out->formula, "%s", term->label);
    struct writer values = {out->substituted, sizeof out->substituted, 0};
    put_number(&values, out->value);
}

/* ---- the sheets of the report -------------------------------------------------------------------------------------- */

/* Sums of the model without parallelism, so that parameter counts have a formula. */
struct model_sheet {
    double attention, mlp, moe, experts, embedding, head, moe_layers, copies;
    double total, unpadded, active, embedding_tables, param_bytes, gradient_bytes, optimizer_bytes, activations_bytes, total_bytes;
};

#define MODEL(name_, unit_, label_, text_)                                                                            \
    {.name = #name_, .unit = unit_, .label = label_, .text = text_, .source = "", .basis = BASIS_EXACT, .offset = offsetof(struct model_sheet, name_)}
static const struct term model_terms[] = {
    MODEL(attention, "elements", "attention and norms of a layer", ""),
    MODEL(mlp, "elements", "dense feed-forward block", ""),
    MODEL(moe, "elements", "expert block without experts", ""),
    MODEL(experts, "elements", "all experts of a layer", ""),
    MODEL(embedding, "elements", "embeddings, padded vocabulary", ""),
    MODEL(head, "elements", "final norm and output layer", ""),
    MODEL(moe_layers, "layers", "expert layers", ""),
    MODEL(total, "elements", "parameters of the model, padded vocabulary", "L*attention + (L - moe_layers)*mlp + moe_layers*(moe + experts) + embedding + head"),
    MODEL(unpadded, "elements", "parameters with the true vocabulary, as models are published", "total - (v - vocab)*h*(tied ? 1 : 2)"),
    MODEL(active, "elements", "parameters that one token meets", "unpadded - (E > 0 ? moe_layers*experts*(1 - K/E) : 0)"),
    MODEL(embedding_tables, "elements", "word and position tables, true vocabulary", "vocab*h + learned*maxpos*h"),
    MODEL(param_bytes, "bytes", "weights of the whole model", "Bw*total"),
    MODEL(gradient_bytes, "bytes", "gradients of the whole model", "G*total"),
    MODEL(optimizer_bytes, "bytes", "optimizer states of the whole model", "O*total"),
    MODEL(activations_bytes, "bytes", "activations of one micro-batch through the whole model, logits included", "sum of saved_bytes over all layers without parallelism, and the loss"),
    MODEL(total_bytes, "bytes", "the whole model on one device", "param_bytes + gradient_bytes + optimizer_bytes + activations_bytes"),
};

static void model_sheet_of(const struct estimate *e, struct model_sheet *out)
{
    struct op_sum sum[OP_KIND_COUNT];
    for (int kind = 0; kind < OP_KIND_COUNT; kind++)
        op_sum_of(e->full, (enum op_kind)kind, &sum[kind]);
    *out = (struct model_sheet){
        .attention = sum[OP_ATTENTION].params, .mlp = sum[OP_MLP].params, .moe = sum[OP_MOE].params,
        .experts = sum[OP_MOE].expert_params, .embedding = sum[OP_EMBEDDING].params, .head = sum[OP_HEAD].params,
        .moe_layers = split_moe_layers(&e->plan, 0, (int)e->symbols.L),
        .embedding_tables = e->totals.embedding, .total = e->totals.total, .unpadded = e->totals.unpadded, .active = e->totals.active,
        .param_bytes = e->totals.param_bytes, .gradient_bytes = e->totals.gradient_bytes,
        .optimizer_bytes = e->totals.optimizer_bytes, .activations_bytes = e->totals.activations_bytes,
        .total_bytes = e->totals.total_bytes};
}

/* Members of a layer row that follow from its columns. */
struct layer_sheet {
    double times, out, in, bias, m, saved, drop, flops, fwd_bytes, bwd_bytes, kernels, out_rank, in_rank, gemm_flops;
    double params, param_bytes, saved_bytes, forward_flops;
};
#define LAYER(name_, unit_, label_, text_)                                                                            \
    {.name = #name_, .unit = unit_, .label = label_, .text = text_, .source = "", .basis = BASIS_EXACT, .offset = offsetof(struct layer_sheet, name_)}
static const struct term layer_terms[] = {
    LAYER(times, "", "weights of this shape on one rank", NULL),
    LAYER(out, "", "rows of the weight before partitioning", NULL),
    LAYER(in, "", "columns of the weight before partitioning", NULL),
    LAYER(bias, "", "elements of the bias before partitioning", NULL),
    LAYER(m, "tokens", "rows of the matrix product's input", NULL),
    LAYER(saved, "bytes", "kept for backward, one micro-batch", NULL),
    LAYER(drop, "bytes", "freed when its module is recomputed", NULL),
    LAYER(flops, "FLOP", "forward operations beside the product", NULL),
    LAYER(fwd_bytes, "bytes", "moved by memory-bound kernels forward", NULL),
    LAYER(bwd_bytes, "bytes", "moved by memory-bound kernels backward", NULL),
    LAYER(kernels, "", "memory-bound kernels each way", NULL),
    LAYER(out_rank, "", "rows of the weight on one rank", "out divided over the ranks that cut it"),
    LAYER(in_rank, "", "columns of the weight on one rank", "in divided over the ranks that cut it"),
    LAYER(gemm_flops, "FLOP", "matrix products, forward", "2*m*out_rank*in_rank"),
    LAYER(params, "elements", "parameters on one rank", "times*(out_rank*in_rank + bias on the rank)"),
    LAYER(param_bytes, "bytes", "weights on one rank", "Bw*params"),
    LAYER(saved_bytes, "bytes", "kept for backward, one micro-batch", "saved"),
    LAYER(forward_flops, "FLOP", "operations of one forward pass", "gemm_flops + flops"),
};
enum { LAYER_TERMS = sizeof layer_terms / sizeof *layer_terms, MODEL_TERMS = sizeof model_terms / sizeof *model_terms };

static void layer_sheet_of(const struct estimate *e, enum op_id id, struct layer_sheet *out)
{
    const struct op *op = &e->op[id];
    *out = (struct layer_sheet){
        .times = op->times, .out = op->out, .in = op->in, .bias = op->bias, .m = op->m, .saved = op->saved,
        .drop = op->drop, .flops = op->flops, .fwd_bytes = op->fwd_bytes, .bwd_bytes = op->bwd_bytes,
        .kernels = op->kernels, .out_rank = op->out_rank, .in_rank = op->in_rank, .gemm_flops = op->gemm_flops,
        .params = op->params, .param_bytes = e->symbols.Bw * op->params, .saved_bytes = op->saved,
        .forward_flops = op->gemm_flops + op->flops};
}

/* The memory verdict. */
struct memory_sheet {
    double capacity_bytes, usable_bytes, headroom_bytes;
};
static const struct term memory_terms[] = {
    {.name = "capacity_bytes", .unit = "bytes", .label = "memory on the label", .text = "capacity*1024*MiB", .source = "", .basis = BASIS_EXACT, .offset = offsetof(struct memory_sheet, capacity_bytes)},
    {.name = "usable_bytes", .unit = "bytes", .label = "memory that the driver reports", .text = "usable*1024*MiB", .source = "", .basis = BASIS_EXACT, .offset = offsetof(struct memory_sheet, usable_bytes)},
    {.name = "headroom_bytes", .unit = "bytes", .label = "left on the fullest stage", .text = "the least headroom_bytes over the stages", .source = "", .basis = BASIS_FORMULA, .offset = offsetof(struct memory_sheet, headroom_bytes)},
};

/* What is shown of the iteration, the training and its checkpoints. */
static const struct quantity_list *const step_lists[] = {&time_quantities, &speed_quantities, &training_quantities,
                                                         &checkpoint_quantities};

static const char *const model_paths[] = {
    "parameters.total", "parameters.unpadded", "parameters.active", "parameters.embedding", "full_model.params", "full_model.param_bytes", "full_model.gradient_bytes",
    "full_model.optimizer_bytes", "full_model.activations_bytes", "full_model.total_bytes"};
static const char *const serving_names[] = {
    "weights_bytes", "kv_cache_bytes", "activations_bytes", "max_batch_size", "max_context_tokens", "prefill_s",
    "decode_step_s", "time_to_first_token_s", "per_token_s", "tokens_per_s", "cost_per_million_tokens",
    "request_s", "queued_tokens_per_s"};
static const char *const memory_names[] = {"capacity_bytes", "usable_bytes", "headroom_bytes"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What a figure leaves out, by name. */
static const struct {
    const char *name, *not_included;
} limits[] = {
    {"allocated_bytes", "fragmentation, driver context and NCCL buffers, which stand in lines of their own"},
    {"reserved_bytes", "driver context and NCCL buffers"},
    {"device_bytes", "other processes on the device"},
    {"activations_bytes", "logits and what comes and goes at the peak (transient_bytes)"},
    {"iteration_s", "data loading, evaluation, checkpoint writing, stragglers"},
    {"tokens_per_s", "data loading, evaluation, checkpoint writing, stragglers"},
    {"cost", "storage, network traffic, idle time"},
    {"kwh", "host, network and cooling"},
    {"total_bytes", "random states and data-loader positions"},
    {"sent_bytes_per_rank", "protocol overhead"},
    {"params", "buffers that are no parameters"},
};

static const char *limits_of(const char *name)
{
    for (size_t i = 0; i < COUNT(limits); i++)
        if (strcmp(limits[i].name, name) == 0)
            return limits[i].not_included;
    return "";
}

/* The short names of sources, written out. */
static const struct {
    const char *code, *name;
} sources[] = {
    {"MC", "Megatron-LM core d98e8a6 (2026-08)"},
    {"TE", "TransformerEngine d0067d0 (2026-08)"},
    {"M23", "Megatron-LM 99b044b (2023-08)"},
    {"K22", "Korthikanti et al. 2022 (arXiv 2205.05198)"},
    {"PT", "PyTorch (2024-2026)"},
};

/* Copies a source, with a short name at the start of a part spelled out. */
static void write_source(const char *text, char *out, size_t size)
{
    struct writer w = {out, size, 0};
    out[0] = '\0';
    for (const char *p = text; *p;) {
        bool at_part = p == text || (p[-1] == ' ' && p - text > 1 && (p[-2] == ';' || p[-2] == ',' || p[-2] == ':')) || p[-1] == '(';
        size_t n = strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
        bool is_known = false;
        for (size_t i = 0; at_part && n > 0 && i < COUNT(sources) && !is_known; i++)
            if (strlen(sources[i].code) == n && memcmp(sources[i].code, p, n) == 0) {
                put(&w, sources[i].name, strlen(sources[i].name));
                is_known = true;
            }
        n = is_known ? n : 1;
        if (!is_known)
            put(&w, p, 1);
        p += n;
    }
}

/*
 * How far a time can be trusted: it rests on the efficiencies of the device, which are calibrated when a file or the
 * user gave them, else as its own file says.
 */
static enum basis time_basis(const struct estimate *e)
{
    static const enum param keys[] = {PARAM_hardware_gemm_efficiency, PARAM_hardware_attention_efficiency,
                                      PARAM_hardware_memory_efficiency, PARAM_hardware_network_efficiency};
    for (size_t i = 0; i < COUNT(keys); i++)
        if (e->plan.from[keys[i]] >= FROM_FILE)
            return BASIS_CALIBRATED;
    return strcmp(e->plan.gpu.efficiency_basis, "measured") == 0 ? BASIS_MEASURED : BASIS_BORROWED;
}

/* ---- opening -------------------------------------------------------------------------------------------------------- */

static int open_term(const struct scopes *scopes, const struct term *term, const void *sheet, const char *text, const char *source,
                     const char *path, struct explanation *out)
{
    out->label = term->label;
    out->unit = term->unit;
    write_source(source ? source : term->source, out->source, sizeof out->source);
    bool is_time = strcmp(term->unit, "s") == 0 || strstr(term->unit, "/s") || strncmp(term->name, "mfu", 3) == 0;
    out->basis = is_time ? time_basis(scopes->estimate) : term->basis;
    out->not_included = limits_of(term->name);
    out->value = term_value(term, sheet);
    snprintf(out->path, sizeof out->path, "%s", path);
    text = text ? text : term->text;
    if (text && text[0])
        write_formula(scopes, text, out);
    else
        write_given(scopes, term, out);
    return 0;
}

/* A member of the result that no sheet holds: a count or the number of a stage. */
static const struct fact {
    const char *name, *unit, *label, *text;
} facts[] = {
    {"stage", "", "pipeline stage, counted from 0", "the stage whose ranks make these calls"},
    {"tp_bytes", "bytes", "one tensor-parallel collective beside the operator", "bytes of an element x hidden size x tokens of one rank's sequence part"},
    {"count", "", "how often the operator runs for one micro-batch, all stages together", "layers of the model that have it, or 1"},
    {"layer_count", "layers", "layers on the stage", "last - first + 1, without those of other chunks"},
    {"peak_stage", "", "the stage whose device memory is fullest, counted from 0", "the first stage with the largest device_bytes"},
    {"binding_stage", "", "the stage that the others wait for, counted from 0", "the first stage with the largest micro_s"},
};

static int open_fact(struct scopes *scopes, const char *name, double value, const char *path, struct explanation *out)
{
    for (size_t i = 0; i < COUNT(facts); i++)
        if (strcmp(facts[i].name, name) == 0) {
            const struct term term = {.name = name, .unit = facts[i].unit, .label = facts[i].label, .text = facts[i].text,
                                      .source = "", .basis = BASIS_EXACT};
            return open_term(scopes, &term, &value, NULL, NULL, path, out);
        }
    return -1;
}

static int open_stage(struct scopes *scopes, int stage, const char *name, const char *path, struct explanation *out)
{
    bool is_count = strcmp(name, "layer_count") == 0;
    if (stage >= 0 && stage < scopes->estimate->stages && is_count)
        return open_fact(scopes, name, scopes->estimate->split[stage].layers, path, out);
    if (strcmp(name, "in_flight") == 0) /* as the result calls it */
        name = "chunks_in_flight";
    const struct term *term = term_find(stage_terms, stage_term_count, name, strlen(name));
    const struct term *pass = term_find(pass_terms, pass_term_count, name, strlen(name));
    if (stage < 0 || stage >= scopes->estimate->stages || (!term && !pass))
        return -1;
    add_stage_scope(scopes, stage);
    if (pass && !term)
        add_scope(scopes, pass_terms, pass_term_count, &scopes->estimate->pass[stage], "memory.stages", stage);
    add_symbols(scopes);
    return term ? open_term(scopes, term, &scopes->estimate->stage[stage], NULL, NULL, path, out)
                : open_term(scopes, pass, &scopes->estimate->pass[stage], NULL, NULL, path, out);
}

/* `memory.stages.N.by_operator.M.bytes`, and what it is made of. */
struct kept_sheet {
    double saved, alive, bytes;
};
#define KEPT(name_, unit_, label_, text_)                                                                             \
    {.name = #name_, .unit = unit_, .label = label_, .text = text_, .source = "", .offset = offsetof(struct kept_sheet, name_)}
static const struct term kept_terms[] = {
    KEPT(saved, "bytes", "kept by one layer for one micro-batch", "the operator's saved_bytes; of recomputed layers their input"),
    KEPT(alive, "layers", "layers that keep it, over all micro-batches in flight", "layers on the stage x micro-batches in flight, less the share that recomputation drops"),
    KEPT(bytes, "bytes", "what the operator keeps on this stage for backward", "saved*alive"),
};

static int open_kept(struct scopes *scopes, const char *group, int index, const char *name, const char *path, struct explanation *out)
{
    const struct estimate *e = scopes->estimate;
    const struct term *term = term_find(kept_terms, COUNT(kept_terms), name, strlen(name));
    char *end, prefix[40];
    long stage = strtol(group + strlen("memory.stages."), &end, 10);
    enum op_id id;
    double bytes;
    if (!term || index < 0 || strcmp(end, ".by_operator") != 0 || stage < 0 || stage >= e->stages || !detail_kept(e, (int)stage, index, &id, &bytes))
        return -1;
    double saved = id < OP_COUNT ? e->op[id].saved : e->stage[stage].dense_in_flight > 0 ? e->stage[stage].dense_kept : e->stage[stage].moe_kept;
    struct kept_sheet sheet = {saved, bytes / saved, bytes};
    snprintf(prefix, sizeof prefix, "memory.stages.%ld.by_operator", stage);
    add_scope(scopes, kept_terms, COUNT(kept_terms), &sheet, prefix, index);
    return open_term(scopes, term, &sheet, NULL, NULL, path, out);
}

/* `layers.N.tp_forward.bytes` */
static int open_traffic(struct scopes *scopes, const char *group, const char *path, struct explanation *out)
{
    struct layer_traffic forward, backward;
    enum op_id id;
    char *end;
    long index = strtol(group + strlen("layers."), &end, 10);
    bool is_forward = strcmp(end, ".tp_forward") == 0;
    if ((!is_forward && strcmp(end, ".tp_backward") != 0) || index < 0 || index > OP_COUNT ||
        !explain_layer_row(scopes->estimate, (int)index, &id))
        return -1;
    detail_traffic(scopes->estimate, id, &forward, &backward);
    const struct layer_traffic *traffic = is_forward ? &forward : &backward;
    return traffic->op ? open_fact(scopes, "tp_bytes", traffic->bytes, path, out) : -1;
}

static int open_step(struct scopes *scopes, const char *path, const char *name, struct explanation *out)
{
    for (size_t i = 0; i < COUNT(step_lists); i++)
        for (int k = 0; k < step_lists[i]->count; k++)
            if (strcmp(step_lists[i]->row[k].path, path) == 0)
                name = step_lists[i]->row[k].term;
    double binding = scopes->estimate->binding_stage;
    if (strcmp(name, "binding_stage") == 0 && scopes->estimate->stages > 0)
        return open_fact(scopes, name, isfinite(scopes->estimate->step.iteration_s) ? binding : (double)NAN, path, out);
    const struct term *term = term_find(step_terms, step_term_count, name, strlen(name));
    if (!term || scopes->estimate->stages == 0)
        return -1;
    add_scope(scopes, step_terms, step_term_count, &scopes->estimate->step, "time", -1);
    add_symbols(scopes);
    return open_term(scopes, term, &scopes->estimate->step, NULL, NULL, path, out);
}

static int open_comm(struct scopes *scopes, int index, const char *name, const char *path, struct explanation *out)
{
    static const char *const opened[] = {"when", "group_size", "groups", "count", "message_bytes"};
    struct comm_table comm;
    int stage;
    enum comm_id id;
    const struct term *term = term_find(comm_columns, comm_column_count, name, strlen(name));
    if (!explain_comm_row(scopes->estimate, index, &stage, &id))
        return -1;
    if (strcmp(name, "stage") == 0)
        return open_fact(scopes, name, stage, path, out);
    if (!term)
        return -1;
    estimate_comm_table(scopes->estimate, stage, &comm);
    add_scope(scopes, comm_columns, comm_column_count, &comm.row[id], "communication", index);
    add_stage_scope(scopes, stage);
    add_symbols(scopes);
    const char *text = NULL;
    for (size_t i = 0; i < COUNT(opened); i++)
        if (strcmp(opened[i], name) == 0)
            text = comm_rows[id].text[i];
    return open_term(scopes, term, &comm.row[id], text, comm_rows[id].source, path, out);
}

static int open_layer(struct scopes *scopes, int index, const char *name, const char *path, struct explanation *out)
{
    struct layer_sheet sheet;
    enum op_id id;
    if (!explain_layer_row(scopes->estimate, index, &id))
        return -1;
    if (strcmp(name, "count") == 0)
        return open_fact(scopes, name, estimate_op_count(scopes->estimate, id), path, out);
    layer_sheet_of(scopes->estimate, id, &sheet);
    const struct term *term = term_find(layer_terms, LAYER_TERMS, name, strlen(name));
    const struct term *time = term_find(op_time_terms, op_time_term_count, name, strlen(name));
    const struct term *column = term_find(op_columns, op_column_count, name, strlen(name));
    if (!term && !time)
        return -1;
    if (!term) {
        add_scope(scopes, op_time_terms, op_time_term_count, &scopes->estimate->time[id], "layers", index);
        add_symbols(scopes);
        return open_term(scopes, time, &scopes->estimate->time[id], NULL, NULL, path, out);
    }
    if (!column)
        add_scope(scopes, layer_terms, LAYER_TERMS, &sheet, "layers", index);
    add_symbols(scopes);
    return open_term(scopes, term, &sheet, column ? op_rows[id].text[column - op_columns] : NULL, op_rows[id].source, path, out);
}

static int open_model(struct scopes *scopes, const char *name, const char *path, struct explanation *out)
{
    struct model_sheet sheet;
    const char *member = strcmp(path, "full_model.params") == 0      ? "total"
                         : strcmp(path, "parameters.embedding") == 0 ? "embedding_tables"
                                                                     : name;
    const struct term *term = term_find(model_terms, MODEL_TERMS, member, strlen(member));
    if (!term)
        return -1;
    model_sheet_of(scopes->estimate, &sheet);
    add_scope(scopes, model_terms, MODEL_TERMS, &sheet, "parameters", -1);
    add_symbols(scopes);
    return open_term(scopes, term, &sheet, NULL, NULL, path, out);
}

static int open_memory(struct scopes *scopes, const char *name, const char *path, struct explanation *out)
{
    const struct estimate *e = scopes->estimate;
    double fullest = e->peak_stage;
    if (strcmp(name, "peak_stage") == 0 && e->stages > 0)
        return open_fact(scopes, name, e->is_modelled && e->is_computed ? fullest : (double)NAN, path, out);
    const struct memory_sheet sheet = {e->capacity_bytes, e->usable_bytes, e->headroom_bytes};
    const struct term *term = term_find(memory_terms, COUNT(memory_terms), name, strlen(name));
    if (!term)
        return -1;
    add_symbols(scopes);
    return open_term(scopes, term, &sheet, NULL, NULL, path, out);
}

static int open_serving(struct scopes *scopes, const char *name, const char *path, struct explanation *out)
{
    const struct term *term = term_find(serving_terms, serving_term_count, name, strlen(name));
    if (!term || !scopes->estimate->is_serving)
        return -1;
    add_scope(scopes, serving_terms, serving_term_count, &scopes->estimate->serving, "serving", -1);
    add_symbols(scopes);
    return open_term(scopes, term, &scopes->estimate->serving, NULL, NULL, path, out);
}

static int open_symbol(struct scopes *scopes, const char *name, const char *path, struct explanation *out)
{
    const struct term *term = term_find(symbol_terms, symbol_term_count, name, strlen(name));
    if (!term)
        return -1;
    /* a behaviour's formula and source are those of the plan's framework */
    struct framework_cell cell = framework_cell((enum framework_id)scopes->estimate->plan.value[PARAM_framework_name], name);
    char source[320];
    if (cell.row)
        snprintf(source, sizeof source, "%s (%s): %s", cell.row->name, cell.row->date, cell.source);
    add_symbols(scopes);
    return open_term(scopes, term, &scopes->estimate->symbols, cell.text, cell.row ? source : NULL, path, out);
}

/* `constants.NAME`: no formula, but what it was fitted to and how far it may be off. */
static int open_constant(struct scopes *scopes, const char *name, const char *path, struct explanation *out)
{
    const struct term *term = term_find(constant_terms, constant_count, name, strlen(name));
    if (!term)
        return -1;
    open_term(scopes, term, constant_values, NULL, NULL, path, out);
    out->basis = term->basis;
    const struct constant_range *range = &constant_ranges[term - constant_terms];
    if (range->low < range->high)
        snprintf(out->formula, sizeof out->formula, "a constant, plausible from %.4g to %.4g", range->low, range->high);
    else
        snprintf(out->formula, sizeof out->formula, "a constant");
    return 0;
}

/* `parameters.per_stage.N`: a whole stage, all its tensor-parallel ranks; `parameters.per_stage.N.layers`: what it is made of. */
struct stage_sheet {
    double attention, mlp, moe, experts, embedding, head, moe_layers, layers, first, last, whole;
};
#define WHOLE(name_, unit_, label_, text_)                                                                            \
    {.name = #name_, .unit = unit_, .label = label_, .text = text_, .source = "", .basis = BASIS_EXACT, .offset = offsetof(struct stage_sheet, name_)}
static const struct term whole_terms[] = {
    WHOLE(attention, "elements", "attention and norms of a layer, before partitioning", ""),
    WHOLE(mlp, "elements", "dense feed-forward block", ""),
    WHOLE(moe, "elements", "expert block without experts", ""),
    WHOLE(experts, "elements", "all experts of a layer", ""),
    WHOLE(embedding, "elements", "embeddings", ""),
    WHOLE(head, "elements", "final norm and output layer, with the copy of a tied embedding", ""),
    WHOLE(moe_layers, "layers", "expert layers on the stage", ""),
    WHOLE(layers, "layers", "layers on the stage", ""),
    WHOLE(first, "", "1 on the first stage", ""),
    WHOLE(last, "", "1 on the last stage", ""),
    WHOLE(whole, "elements", "parameters of a whole stage, replicated tensors once", "layers*attention + (layers - moe_layers)*mlp + moe_layers*(moe + experts) + first*embedding + last*head"),
};

static int open_whole_stage(struct scopes *scopes, int stage, const char *name, const char *path, struct explanation *out)
{
    const struct estimate *e = scopes->estimate;
    const struct term *term = term_find(whole_terms, COUNT(whole_terms), name, strlen(name));
    struct model_sheet model;
    if (!term || stage < 0 || stage >= e->stages)
        return -1;
    model_sheet_of(e, &model);
    bool has_copy = e->symbols.tied > 0 && e->symbols.p > 1;
    const struct stage_sheet sheet = {model.attention, model.mlp, model.moe, model.experts, model.embedding,
                                      model.head + (has_copy ? e->full[OP_ID_WORD].params : 0),
                                      e->split[stage].moe_layers, e->split[stage].layers, stage == 0,
                                      stage == e->stages - 1, e->stage_params_all[stage]};
    add_scope(scopes, whole_terms, COUNT(whole_terms), &sheet, "parameters.per_stage", stage);
    return open_term(scopes, term, &sheet, NULL, NULL, path, out);
}

/* Splits `memory.stages.3.params` into group `memory.stages`, index 3 and name `params`; index -1 when there is none. */
static bool split_path(const char *path, char group[48], int *index, const char **name)
{
    const char *dot = strrchr(path, '.');
    if (!dot || dot == path || (size_t)(dot - path) >= 48)
        return false;
    memcpy(group, path, (size_t)(dot - path));
    group[dot - path] = '\0';
    *name = dot + 1;
    *index = -1;
    char *last = strrchr(group, '.');
    if (last && isdigit((unsigned char)last[1])) {
        char *end;
        long n = strtol(last + 1, &end, 10);
        *last = '\0';
        *index = *end || n > 1 << 20 ? -2 : (int)n;
    }
    return true;
}

static int open_path(const struct estimate *e, const char *path, struct explanation *out)
{
    struct scopes scopes = {.estimate = e};
    char group[48];
    const char *name;
    int index;
    if (!split_path(path, group, &index, &name))
        return -1;
    *out = (struct explanation){.not_included = ""};
    bool is_bytes = strcmp(name, "bytes") == 0;
    if (strncmp(group, "memory.stages.", 14) == 0)
        return open_kept(&scopes, group, index, name, path, out);
    if (is_bytes && strncmp(group, "layers.", 7) == 0)
        return open_traffic(&scopes, group, path, out);
    if (strcmp(group, "parameters.per_stage") == 0)
        return isdigit((unsigned char)*name) ? open_whole_stage(&scopes, atoi(name), "whole", path, out)
                                             : open_whole_stage(&scopes, index, name, path, out);
    if (strcmp(group, "memory.stages") == 0)
        return open_stage(&scopes, index, name, path, out);
    if (strcmp(group, "communication") == 0)
        return open_comm(&scopes, index, name, path, out);
    if (strcmp(group, "layers") == 0)
        return open_layer(&scopes, index, name, path, out);
    if (strcmp(group, "symbols") == 0)
        return open_symbol(&scopes, name, path, out);
    if (strcmp(group, "constants") == 0)
        return open_constant(&scopes, name, path, out);
    if (strcmp(group, "serving") == 0)
        return open_serving(&scopes, name, path, out);
    if (strcmp(group, "memory") == 0)
        return open_memory(&scopes, name, path, out);
    if (strcmp(group, "parameters") == 0 || strcmp(group, "full_model") == 0)
        return open_model(&scopes, name, path, out);
    return open_step(&scopes, path, name, out);
}

struct search {
    const char *wanted;
    char found[EXPLAIN_PATH_MAX];
    int matches;
};

static void match_last_part(void *context, const char *path)
{
    struct search *search = context;
    const char *dot = strrchr(path, '.');
    if (strcmp(dot ? dot + 1 : path, search->wanted) != 0)
        return;
    if (search->matches++ == 0)
        snprintf(search->found, sizeof search->found, "%s", path);
}

int explain_value(const struct estimate *estimate, const char *path, struct explanation *out)
{
    if (strlen(path) >= EXPLAIN_PATH_MAX)
        return -1;
    if (strchr(path, '.'))
        return open_path(estimate, path, out);
    if (strcmp(path, "peak_stage") == 0 || strcmp(path, "binding_stage") == 0)
        return open_path(estimate, *path == 'p' ? "memory.peak_stage" : "time.binding_stage", out);
    /* a member of the stages means the stage that binds memory */
    char full[EXPLAIN_PATH_MAX + 40];
    bool is_count = strcmp(path, "in_flight") == 0 || strcmp(path, "layer_count") == 0;
    if ((is_count || term_find(stage_terms, stage_term_count, path, strlen(path))) && strcmp(path, "headroom_bytes") != 0 &&
        strcmp(path, "weights_bytes") != 0) {
        snprintf(full, sizeof full, "memory.stages.%d.%s", estimate->peak_stage, path);
        return open_path(estimate, full, out);
    }
    struct search search = {.wanted = path};
    explain_paths(estimate, match_last_part, &search);
    return search.matches == 1 ? open_path(estimate, search.found, out) : -1;
}

static void each_of(const char *prefix, const char *const names[], size_t count, void (*each)(void *, const char *), void *context)
{
    for (size_t i = 0; i < count; i++) {
        char path[EXPLAIN_PATH_MAX];
        snprintf(path, sizeof path, "%s%s", prefix, names[i]);
        each(context, path);
    }
}

/* The components of a stage; what is left of its memory is one of the whole plan's. */
static void each_component(const char *prefix, void (*each)(void *, const char *), void *context)
{
    for (int i = 0; i < stage_components.count; i++)
        if (stage_components.row[i].kind < COMPONENT_ROOM)
            each_of(prefix, &stage_components.row[i].term, 1, each, context);
}

static void each_quantity(void (*each)(void *, const char *), void *context)
{
    for (size_t i = 0; i < COUNT(step_lists); i++)
        for (int k = 0; k < step_lists[i]->count; k++)
            each(context, step_lists[i]->row[k].path);
}

void explain_paths(const struct estimate *e, void (*each)(void *context, const char *path), void *context)
{
    static const char *const stage_facts[] = {"in_flight", "params"};
    char prefix[64];
    enum op_id op;
    enum comm_id comm;
    double bytes;
    int stage;
    each_of("", model_paths, COUNT(model_paths), each, context);
    for (int i = 0; explain_layer_row(e, i, &op); i++) {
        snprintf(prefix, sizeof prefix, "layers.%d.", i);
        for (int k = 0; k < layer_shown_count; k++)
            if (layer_shown[k].is_listed)
                each_of(prefix, &layer_shown[k].name, 1, each, context);
    }
    each_of("memory.", memory_names, COUNT(memory_names), each, context);
    for (int i = 0; i < e->stages; i++) {
        snprintf(prefix, sizeof prefix, "memory.stages.%d.", i);
        each_of(prefix, stage_facts, COUNT(stage_facts), each, context);
        each_component(prefix, each, context);
        for (int k = 0; detail_kept(e, i, k, &op, &bytes); k++) {
            snprintf(prefix, sizeof prefix, "memory.stages.%d.by_operator.%d.bytes", i, k);
            each(context, prefix);
        }
    }
    for (int i = 0; i < e->stages; i++) {
        snprintf(prefix, sizeof prefix, "parameters.per_stage.%d", i);
        each(context, prefix);
    }
    for (int i = 0; explain_comm_row(e, i, &stage, &comm); i++) {
        snprintf(prefix, sizeof prefix, "communication.%d.", i);
        for (int k = 0; k < comm_shown_count; k++)
            if (comm_shown[k].is_listed)
                each_of(prefix, &comm_shown[k].name, 1, each, context);
    }
    if (e->is_serving && e->stages > 0)
        each_of("serving.", serving_names, COUNT(serving_names), each, context);
    else if (e->stages > 0)
        each_quantity(each, context);
}

bool explain_comm_row(const struct estimate *e, int index, int *stage, enum comm_id *id)
{
    struct comm_table comm;
    for (int i = 0, n = 0; i < e->stages; i++) {
        estimate_comm_table(e, i, &comm);
        if (index < n + comm.count) {
            *stage = i;
            *id = comm.present[index - n];
            return true;
        }
        n += comm.count;
    }
    return false;
}

bool explain_layer_row(const struct estimate *e, int index, enum op_id *id)
{
    static const enum op_kind order[] = {OP_EMBEDDING, OP_ATTENTION, OP_MLP, OP_MOE, OP_HEAD};
    for (size_t kind = 0, n = 0; kind < COUNT(order); kind++)
        for (int i = 0; i < OP_COUNT; i++)
            if (op_rows[i].kind == order[kind] && e->stages > 0 && estimate_op_count(e, (enum op_id)i) > 0 && n++ == (size_t)index) {
                *id = (enum op_id)i;
                return true;
            }
    return false;
}
