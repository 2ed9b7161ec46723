#include "src/report/reference.h"

#include "core/base.h"
#include "core/plan/number.h"
#include "src/report/format.h"
#include "src/text/json_out.h"
#include "src/text/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const void *at(const struct reference_answer *answer, const struct reference_member *row)
{
    return (const char *)&answer->values + row->offset;
}

static double number_at(const struct reference_answer *answer, const struct reference_member *row, int i)
{
    return ((const double *)at(answer, row))[i];
}

static const char *word_at(const struct reference_answer *answer, const struct reference_member *row, int i)
{
    return ((const char *const *)at(answer, row))[i];
}

/* ---- ranks ------------------------------------------------------------------------------------------------------ */

static void put_rank(struct buffer *out, long long rank, long long per_node)
{
    char text[64];
    buffer_add(out, text, (size_t)snprintf(text, sizeof text, "n%lld_g%lld", rank / per_node, rank % per_node));
}

/* How ranks are written into a list: before each, between two, after each. */
struct marks {
    const char *before, *between, *after;
};

static const struct marks json_marks = {"\"", ", ", "\""}, text_marks = {"", " ", ""};

static void put_ranks(struct buffer *out, long long first, long long end, long long stride, long long per_node,
                      const struct marks *marks)
{
    for (long long rank = first; rank < end; rank += stride) {
        buffer_puts(out, rank == first ? "" : marks->between);
        buffer_puts(out, marks->before);
        put_rank(out, rank, per_node);
        buffer_puts(out, marks->after);
    }
}

static void put_group(struct buffer *out, const struct reference_groups *g, long long i, const struct marks *marks)
{
    put_ranks(out, i / g->inner * g->outer + i % g->inner, (i / g->inner + 1) * g->outer, g->stride, g->per_node,
              marks);
}

static void put_stage(struct buffer *out, const struct reference_stages *s, long long i, const struct marks *marks)
{
    put_ranks(out, i * s->devices, (i + 1) * s->devices, 1, s->per_node, marks);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

/* Whole numbers, which most are, without printf. */
static void put_number(struct buffer *out, double value)
{
    char text[40], *p = text + sizeof text;
    if (!isfinite(value)) {
        buffer_add(out, "null", 4);
        return;
    }
    if (value != floor(value) || fabs(value) >= 9e15) {
        buffer_add(out, text, (size_t)number_print(value, text, sizeof text));
        return;
    }
    unsigned long long whole = (unsigned long long)fabs(value);
    do
        *--p = (char)('0' + whole % 10);
    while (whole /= 10);
    if (value < 0)
        *--p = '-';
    buffer_add(out, p, (size_t)(text + sizeof text - p));
}

static void put_bool(struct buffer *out, double value)
{
    buffer_puts(out, isnan(value) ? "null" : value > 0 ? "true" : "false");
}

/* Constants of ours: nothing to escape. */
static void put_word(struct buffer *out, const char *word)
{
    if (!word) {
        buffer_add(out, "null", 4);
        return;
    }
    buffer_add(out, "\"", 1);
    buffer_puts(out, word);
    buffer_add(out, "\"", 1);
}

static void put_groups(struct buffer *out, const struct reference_groups *groups)
{
    for (long long i = 0; i < groups->count; i++) {
        buffer_puts(out, i ? ", [" : "[");
        put_group(out, groups, i, &json_marks);
        buffer_puts(out, "]");
    }
}

static void put_stages(struct buffer *out, const struct reference_stages *stages)
{
    for (long long i = 0; i < stages->count; i++) {
        buffer_printf(out, "%s{\"layers\": [%lld, %lld], \"devices\": [", i ? ", " : "", i * stages->layers,
                      (i + 1) * stages->layers - 1);
        put_stage(out, stages, i, &json_marks);
        buffer_puts(out, "]}");
    }
}

static void put_entry(struct buffer *out, const struct reference_answer *answer, const struct reference_member *row,
                      int i)
{
    if (row->type == REFERENCE_WORD)
        put_word(out, word_at(answer, row, i));
    else if (row->type == REFERENCE_BOOL)
        put_bool(out, number_at(answer, row, i));
    else
        put_number(out, number_at(answer, row, i));
}

static void put_value(struct buffer *out, const struct reference_answer *answer, const struct reference_member *row)
{
    bool is_list = row->count > 0 || row->type == REFERENCE_GROUPS || row->type == REFERENCE_STAGES;
    if (!is_list) {
        put_entry(out, answer, row, 0);
        return;
    }
    buffer_puts(out, "[");
    if (row->type == REFERENCE_GROUPS)
        put_groups(out, at(answer, row));
    else if (row->type == REFERENCE_STAGES)
        put_stages(out, at(answer, row));
    for (int i = 0; i < row->count; i++) {
        buffer_puts(out, i ? ", " : "");
        put_entry(out, answer, row, i);
    }
    buffer_puts(out, "]");
}

/* Length of the path up to its last part. */
static size_t group_length(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? (size_t)(dot - path) + 1 : 0;
}

/* Closes the objects of the path `before` that `path` is not in, and opens its own. */
static void change_group(struct buffer *out, const char *before, const char *path, bool *has_member)
{
    size_t from = group_length(before), to = group_length(path), same = 0;
    if (from == to && memcmp(before, path, to) == 0)
        return;
    for (size_t i = 0; i < from && i < to && before[i] == path[i]; i++)
        same = before[i] == '.' ? i + 1 : same;
    for (size_t i = same; i < from; i++)
        if (before[i] == '.')
            buffer_add(out, "}", 1), *has_member = true;
    for (size_t i = same; i < to; i++) {
        size_t n = strcspn(path + i, ".");
        buffer_printf(out, "%s\"%.*s\": {", *has_member ? ", " : "", (int)n, path + i);
        *has_member = false;
        i += n;
    }
}

static void put_warnings(struct buffer *out, const struct reference_answer *answer, bool has_member)
{
    buffer_puts(out, has_member ? ", \"warnings\": [" : "\"warnings\": [");
    for (int i = 0; i < answer->warnings; i++) {
        buffer_puts(out, i ? ", " : "");
        put_word(out, answer->warning[i]);
    }
    buffer_puts(out, "]");
}

static void put_values(struct buffer *out, const struct reference_answer *answer)
{
    const struct reference_function *f = reference_functions[answer->fn];
    const char *before = "";
    bool has_member = false;
    buffer_puts(out, "{");
    for (int i = 0; i < f->value_count; i++) {
        const struct reference_member *row = &f->values[i];
        if (row->presence == REFERENCE_OPTIONAL && isnan(number_at(answer, row, 0)))
            continue;
        change_group(out, before, row->name, &has_member);
        before = row->name;
        buffer_add(out, has_member ? ", \"" : "\"", has_member ? 3 : 1);
        buffer_puts(out, row->name + group_length(row->name));
        buffer_add(out, "\": ", 3);
        put_value(out, answer, row);
        has_member = true;
    }
    change_group(out, before, "", &has_member);
    if (f->has_warnings)
        put_warnings(out, answer, has_member);
    buffer_puts(out, "}");
}

/* The message may hold a text of the caller. */
static void put_refused(struct buffer *out, const struct reference_answer *answer)
{
    char clean[REFERENCE_MESSAGE_MAX];
    struct json json = {.out = out};
    text_clean(answer->message, clean, sizeof clean);
    json_open(&json, NULL, '{');
    json_text(&json, "rule", answer->rule);
    json_text(&json, "message", clean);
    if (answer->warnings)
        put_warnings(out, answer, true);
    json_close(&json, '}');
}

void report_reference_json(struct buffer *out, const struct reference_answer *answer)
{
    if (answer->rule)
        put_refused(out, answer);
    else
        put_values(out, answer);
}

/* ---- the tool's report ------------------------------------------------------------------------------------------ */

/* What the pages of the tool are filled from. */
struct tool_page {
    struct buffer *out;
    const struct tool_inputs *in;
    const struct tool_values *v;
    double h, s, b, f, v_padded, sbh, bytes; /* its letters; bytes of an element */
};

/* Numbers as Python prints floats: one decimal at least, no zeros beyond. */
struct tool_number {
    char text[48];
};

static struct tool_number tool_text(double bytes, double unit, int decimals)
{
    struct tool_number n;
    int size = snprintf(n.text, sizeof n.text, "%.*f", decimals, bytes / unit);
    for (; decimals > 1 && n.text[size - 1] == '0'; decimals--)
        n.text[--size] = '\0';
    return n;
}

static struct tool_number gib(double bytes)
{
    return tool_text(bytes, GIB, 1);
}

/* One row of the tool's two layer tables. */
struct tool_row {
    const char *label;
    double weight[2], bias; /* shape; 0 is none */
    double params;          /* elements; 0 with no shape: an empty column */
    double activations;     /* elements; 0 is none */
    bool has_forward, has_backward; /* an all-reduce, in the table of tensor parallelism */
};

enum { TREE_WIDTH = 43, SHAPE_WIDTH = 25, MEMORY_WIDTH = 15 };

static void put_padded(struct buffer *out, const char *text, int width)
{
    int left = width - text_columns(text);
    buffer_printf(out, "%s%*s", text, left > 0 ? left : 0, "");
}

static void put_cell(struct buffer *out, const char *text, int width)
{
    put_padded(out, text, width);
    buffer_puts(out, "\t");
}

static void put_shape_cell(struct buffer *out, const struct tool_row *row)
{
    char text[160] = "";
    int n = 0;
    if (row->weight[1] > 0)
        n = snprintf(text, sizeof text, "w=[%.0f,%.0f]", row->weight[0], row->weight[1]);
    else if (row->weight[0] > 0)
        n = snprintf(text, sizeof text, "w=[%.0f]", row->weight[0]);
    if (row->bias > 0)
        snprintf(text + n, sizeof text - (size_t)n, ",b=[%.0f]", row->bias);
    put_cell(out, text, SHAPE_WIDTH);
}

static void put_memory_cell(const struct tool_page *page, double elements)
{
    put_cell(page->out, tool_text(page->bytes * elements, MIB, 1).text, MEMORY_WIDTH);
}

static void put_reduce_cells(const struct tool_page *page, bool is_here)
{
    char text[128] = "";
    if (is_here)
        snprintf(text, sizeof text, "[%.0f,%.0f,%.0f]", page->b, page->s, page->h);
    put_cell(page->out, text, SHAPE_WIDTH);
    if (is_here)
        put_memory_cell(page, page->sbh);
    else
        put_cell(page->out, "", MEMORY_WIDTH);
}

static void put_row(const struct tool_page *page, const struct tool_row *row, bool is_split)
{
    bool has_reduce = is_split && (row->has_forward || row->has_backward);
    put_padded(page->out, row->label, TREE_WIDTH);
    put_shape_cell(page->out, row);
    if (row->params > 0)
        put_memory_cell(page, row->params);
    else
        put_cell(page->out, "", MEMORY_WIDTH);
    if (row->activations > 0)
        put_memory_cell(page, row->activations);
    else if (has_reduce)
        put_cell(page->out, "", MEMORY_WIDTH);
    if (has_reduce) {
        put_reduce_cells(page, row->has_forward);
        put_reduce_cells(page, row->has_backward);
        put_cell(page->out, "allreduce", SHAPE_WIDTH);
    }
}

#define L2 "│    │    └─"
#define L3 "│    │    |     └─"

/* Rows below the line of the layer; `t` is 1 for the whole model. What the tool does not divide by t stays so. */
static void put_layer(const struct tool_page *page, double t, bool is_split)
{
    double h = page->h, f = page->f, sbh = page->sbh, sbf = page->s * page->b * f;
    const struct tool_row rows[] = {
        {L2 "input_layernorm", {h}, h, h + page->b, sbh, false, false},
        {L2 "self_attention", {0}, 0, 0, 6 * sbh, false, false},
        {L3 "query_key_value", {floor(3 * h / t), h}, h, 3 * h * h / t + h, 0, false, true},
        {L3 "rearrange", {0}, 0, 0, 3 * sbh / t, false, false},
        {L3 "core_attention_flash", {0}, 0, 0, sbh / t, false, false},
        {L3 "rearrange", {0}, 0, 0, sbh / t, false, false},
        {L3 "dense", {floor(h / t), h}, h, h * h / t + h, sbh, true, false},
        {L2 "post_attention_layernorm", {h}, h, h + h, sbh, false, false},
        {L2 "mlp", {0}, 0, 0, sbh + 4 * sbf, false, false},
        {L3 "dense_h_to_4h", {floor(2 * f / t), h}, floor(2 * f / t), 2 * f / t * h + 2 * f / t, 0, false, true},
        {L3 "bias_glue", {0}, 0, 0, 4 * sbf, false, false},
        {L3 "dense_4h_to_h", {h, floor(f / t)}, h, h * f + h, sbh, true, false},
        {L2 "drop_add_fusion", {0}, 0, 0, 1.5 * sbh, false, false},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        put_row(page, &rows[i], is_split);
        buffer_puts(page->out, "\n");
    }
}

static void put_rule(struct buffer *out, char sign, int width)
{
    for (int i = 0; i < width; i++)
        buffer_add(out, &sign, 1);
    buffer_puts(out, "\n");
}

static void put_tree(const struct tool_page *page, double layers, double t, bool is_split)
{
    struct buffer *out = page->out;
    double h = page->h, v = page->v_padded;
    const struct tool_row embedding = {"│    └─Embedding", {0}, 0, 0, 1.5 * page->sbh, false, false};
    const struct tool_row words = {
        L2 "word_embeddings", {is_split ? floor(v / t) : v, is_split ? 0 : h}, is_split ? h : 0, v * h, 0, true, false};
    const struct tool_row positions = {
        L2 "position_embeddings", {page->s, is_split ? 0 : h}, is_split ? h : 0, page->s * h, 0, false, false};
    put_padded(out, "GPTModel", 65);
    put_padded(out, "\n├─TransformerLanguageModel", TREE_WIDTH + 1);
    buffer_puts(out, "\n");
    put_row(page, &embedding, is_split);
    buffer_printf(out, "%*s\n", is_split ? 20 : 0, "");
    put_row(page, &words, is_split);
    buffer_puts(out, is_split ? "\n" : "  \n");
    put_row(page, &positions, is_split);
    buffer_printf(out, "\n│    └─ParallelTransformer: X %.0f(layer_num)%*s\t", layers, 40, "");
    char text[64];
    snprintf(text, sizeof text, "%s/layer", tool_text(page->v->full.layer_act_bytes, MIB, 1).text);
    put_cell(out, text, MEMORY_WIDTH);
    buffer_puts(out, "\n");
    put_layer(page, t, is_split);
}

static void put_full_model(const struct tool_page *page)
{
    struct buffer *out = page->out;
    const struct tool_values *v = page->v;
    buffer_puts(out, "\n***Full Model without Parallel***\n");
    put_rule(out, '=', 107);
    buffer_printf(out, "%-43s%-24s%-17s%-21s\n", "Layer", "Param.(shape)", "Param.(Mem. MB)", "Act.(Mem. MB)");
    put_rule(out, '-', 106);
    put_tree(page, page->in->num_layers, 1, false);
    put_rule(out, '-', 107);
    buffer_printf(out, "Amount of Parameters: %s  \n", cell_count(v->full.params).text);
    buffer_printf(out, "Parameters: %sGB\nGradients: %sGB\n", gib(v->full.param_bytes).text,
                  gib(v->full.grad_bytes).text);
    buffer_printf(out, "Optimizers(Adam) States: %sGB\n", gib(v->full.optimizer_bytes).text);
    buffer_printf(out, "Activations: %sGB\nTotal memory demand: %sGB\n", gib(v->full.activation_bytes).text,
                  gib(v->full.total_bytes).text);
    put_rule(out, '=', 110);
    buffer_puts(out, "\n");
}

static void put_summary(const struct tool_page *page)
{
    static const char *const titles[] = {"Pipeline Parallelism", "Data Parallelism", "Tensor Parallelism",
                                         "All Communication"};
    const struct tool_values *v = page->v;
    const double bytes[] = {v->pp.cluster_bytes, v->dp.summary_bytes, v->tp.cluster_bytes, v->all.bytes};
    buffer_puts(page->out, "\n***Cluster Communication Summary***\n");
    put_rule(page->out, '=', 30);
    for (int i = 0; i < TOOL_COMM_COUNT; i++)
        buffer_printf(page->out, "%s\n│    └─frequency/iteration: %.0f\n│    └─volume/iteration: %s GB\n", titles[i],
                      v->printed.frequency[i], gib(bytes[i]).text);
    put_rule(page->out, '=', 30);
    buffer_puts(page->out, "\n");
}

static void put_gpu(const struct tool_page *page)
{
    struct buffer *out = page->out;
    const struct tool_values *v = page->v;
    buffer_puts(out, "\n***Memory demand on each GPU in the cluster***\n");
    put_rule(out, '=', 30);
    buffer_printf(out, "Amount of Parameters: %s  \n", cell_count(v->gpu.params_printed).text);
    buffer_printf(out, "Parameters: %sGB\nGradients: %sGB\n", gib(v->gpu.param_bytes).text,
                  gib(v->gpu.grad_bytes).text);
    buffer_printf(out, "Optimizers(Adam) States: %sGB\n", gib(v->gpu.optimizer_bytes).text);
    buffer_printf(out, "Activations: %sGB\nMemory Requirement: %.1fGB\n", gib(v->gpu.activation_bytes).text,
                  v->gpu.printed_peak);
    put_rule(out, '=', 30);
    buffer_puts(out, "\n");
}

static void put_group_lines(struct buffer *out, const struct reference_groups *groups, const char *prefix)
{
    for (long long i = 0; i < groups->count; i++) {
        buffer_printf(out, "%s└─[", prefix);
        put_group(out, groups, i, &text_marks);
        buffer_puts(out, "]\n");
    }
}

static void put_stage_lines(const struct tool_page *page, long long i)
{
    const struct reference_stages *s = &page->v->stages;
    buffer_printf(page->out, "│    └─Stage%lld: ParallelTransformerLayer_Index%lld-%lld\n", i, i * s->layers,
                  (i + 1) * s->layers - 1);
    buffer_printf(page->out, "│    │    └─stage_device_mappings%s\n│    │    │      └─[", i ? " " : "");
    put_stage(page->out, s, i, &text_marks);
    buffer_puts(page->out, "]\n");
}

static void put_pipeline_messages(const struct tool_page *page)
{
    struct buffer *out = page->out;
    const struct tool_values *v = page->v;
    char shape[128], volume[64];
    snprintf(shape, sizeof shape, "[%.0f,%.0f,%.0f]", page->b, page->s, page->h);
    snprintf(volume, sizeof volume, "%sMB", tool_text(v->pp.single_message_bytes, MIB, 1).text);
    buffer_printf(out, "│    │    └─each single communication on each gpu\n│    │    │    └─shape: %-25s  \n", shape);
    buffer_printf(out, "│    │    │    └─volume: %-15s\n│    │    │    └─func: isend, irecv\n", volume);
    buffer_puts(out, "│    │    │    └─location: between stage in forward and backward process\n");
    snprintf(volume, sizeof volume, "%sMB", tool_text(v->pp.per_gpu_bytes, MIB, 1).text);
    buffer_puts(out, "│    │    └─each iteration communication on each gpu\n");
    buffer_printf(out, "│    │    │    └─frequency: %.0f (num_gradient_accumulation_steps * 4)\n",
                  v->pp.per_gpu_frequency);
    buffer_printf(out, "│    │    │    └─volume: %-15s\n", volume);
}

static void put_pipeline(const struct tool_page *page)
{
    struct buffer *out = page->out;
    const struct tool_values *v = page->v;
    buffer_puts(out, "\n***Pipeline Parallel Communications***\n");
    put_rule(out, '=', 88);
    put_padded(out, "GPTModel", 65);
    put_padded(out, "\n├─TransformerLanguageModel", 44);
    put_padded(out, "\n│    └─Embedding", 63);
    put_padded(out, "\n" L2 "word_embeddings", 44);
    put_padded(out, "\n" L2 "position_embeddings", 44);
    buffer_puts(out, "\n");
    put_stage_lines(page, 0);
    put_pipeline_messages(page);
    for (long long i = 1; i < v->stages.count; i++)
        put_stage_lines(page, i);
    buffer_puts(out, "\n");
    put_rule(out, '-', 88);
    buffer_printf(out, "%lld Pipeline Parallel Communication Groups:\n", v->pp_groups.count);
    put_group_lines(out, &v->pp_groups, "│    ");
    buffer_puts(out, "All Communication of Cluster in Pipeline Parallelism\n");
    buffer_printf(out, "│    └─frequency/iteration: %.0f\n│    └─volume/iteration: %sGB\n", v->pp.cluster_frequency,
                  gib(v->pp.cluster_bytes).text);
    put_rule(out, '=', 88);
    buffer_puts(out, "\n");
}

static void put_exchange(const struct tool_page *page, const char *where)
{
    const struct tool_values *v = page->v;
    buffer_printf(page->out, "│    │    └─%lld Data Parallel Groups \n", v->dp_groups.count);
    put_group_lines(page->out, &v->dp_groups, "│    │    │    ");
    buffer_printf(page->out, "│    │    └─communication %s\n│    │    │    └─volume: %sGB\n", where,
                  gib(v->dp.summary_bytes / 2).text);
}

static void put_data(const struct tool_page *page)
{
    struct buffer *out = page->out;
    const struct tool_values *v = page->v;
    buffer_puts(out, "\n***Data Parallel Communications***\n");
    put_rule(out, '=', 88);
    put_padded(out, "GPTModel", 65);
    put_padded(out, "\n├─each iteration", 33);
    put_padded(out, "\n│    └─synchronize_gradient", 69);
    buffer_puts(out, "\n");
    put_exchange(page, "");
    buffer_puts(
        out,
        "│    │    │    └─func: reduce_scatter (using DistributedOptimizer) \n│    │    └─frequency/iteration: 1\n");
    buffer_printf(out, "│    │    └─location: after forward_and_backward_compute * %.0f times/iteration \n",
                  v->derived.num_micro_batches);
    put_padded(out, "│    └─gather_model_param (using DistributedOptimizer)", 96);
    buffer_puts(out, "\n");
    put_exchange(page, "on each gpu");
    buffer_puts(out, "│    │    │    └─func: all_gather\n│    │    └─frequency/iteration: 1\n│    │    └─location: "
                     "after optimizer.iteration\n");
    put_rule(out, '-', 88);
    buffer_puts(out, "All Communication of Cluster in Data Parallelism\n");
    buffer_printf(out, "│    └─frequency/iteration: 2\n│    └─volume/iteration: %sGB\n", gib(v->dp.summary_bytes).text);
    put_rule(out, '=', 88);
    buffer_puts(out, "\n");
}

static void put_times(struct buffer *out, const char *title, double frequency, double bytes)
{
    buffer_printf(out, "│    │    └─%s:\n│    │    │    └─frequency: %.0f\n│    │    │    └─volume: %sGB\n", title,
                  frequency, gib(bytes).text);
}

static void put_tensor_totals(const struct tool_page *page)
{
    struct buffer *out = page->out;
    const struct tool_values *v = page->v;
    double ranks = v->derived.world_size;
    buffer_puts(out, "Communication in Tensor Parallel\n│    └─each gpu:\n");
    put_times(out, "each micro_batch", v->tp.micro_batch_frequency, v->tp.micro_batch_bytes);
    buffer_puts(out, "│    │    │    └─each transformer:\n│    │    │    │    └─frequency: 2(forward)+2(backward)=4\n");
    buffer_printf(out, "│    │    │    │    └─volume: %sGB\n", tool_text(4 * page->bytes * page->sbh, GIB, 2).text);
    put_times(out, "each iteration", v->tp.iteration_frequency, v->tp.iteration_bytes);
    buffer_puts(out, "│    └─cluster:\n");
    put_times(out, "each micro_batch", ranks * v->tp.micro_batch_frequency, ranks * v->tp.micro_batch_bytes);
    put_times(out, "each iteration", v->tp.cluster_frequency, v->tp.cluster_bytes);
}

static void put_tensor(const struct tool_page *page)
{
    struct buffer *out = page->out;
    buffer_puts(out, "\n***Tensor Parallel Communications***\n");
    put_rule(out, '=', 209);
    buffer_printf(out, "%-43s%-23s%-16s%-23s%-21s%-24s%-21s%-24s%s\n", "Layer", "Param(shape)", "Param(Mem. MB)",
                  "Activations(Mem. MB)", "TP_Fw.(Comm. Shape)", "TP_Fw.(Comm. Mem. MB)", "TP_Bw.(Comm. Shape)",
                  "TP_Bw.(Comm. Mem. MB)", "TP(Comm. func)");
    put_rule(out, '-', 209);
    put_tree(page, page->v->derived.layers_per_stage, page->in->tensor_parallel, true);
    put_rule(out, '-', 211);
    buffer_printf(out, "%lld Tensor Parallel Communication Groups:\n", page->v->tp_groups.count);
    put_group_lines(out, &page->v->tp_groups, "│    ");
    put_tensor_totals(page);
    put_rule(out, '=', 215);
    buffer_puts(out, "\n");
}

static void put_refusal(struct buffer *out, const struct reference_answer *answer)
{
    char clean[REFERENCE_MESSAGE_MAX];
    text_clean(answer->message, clean, sizeof clean);
    buffer_printf(out, "%s refuses (%s): %s.\n", reference_rows[reference_functions[answer->fn]->estimator].name,
                  answer->rule, clean);
}

/* What the analysis tool of 2023 prints, line by line; a refusal is one sentence. */
static void report_megatron_tool(struct buffer *out, const struct reference_inputs *in,
                                 const struct reference_answer *answer)
{
    const struct tool_inputs *i = &in->of.tool;
    const struct tool_values *v = &answer->values.tool;
    if (answer->rule) {
        put_refusal(out, answer);
        return;
    }
    const struct tool_page page = {out, i, v, i->hidden_size, i->seq_length, i->micro_batch_size,
                                   v->derived.ffn_hidden_size, v->derived.padded_vocab_size,
                                   i->seq_length * i->micro_batch_size * i->hidden_size,
                                   v->derived.bytes_per_element};
    put_full_model(&page);
    put_summary(&page);
    put_gpu(&page);
    if (i->pipeline_parallel != 1)
        put_pipeline(&page);
    if (v->derived.data_parallel_size != 1)
        put_data(&page);
    if (i->tensor_parallel != 1)
        put_tensor(&page);
}

/* ---- values for people ------------------------------------------------------------------------------------------ */

static struct cell cell_scaled(double value, const char *unit)
{
    static const struct {
        double size;
        const char *prefix;
    } steps[] = {{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {0, ""}};
    struct cell cell;
    size_t i = 0;
    while (fabs(value) < steps[i].size)
        i++;
    snprintf(cell.text, sizeof cell.text, "%.4g %s%s", steps[i].size > 0 ? value / steps[i].size : value,
             steps[i].prefix, unit);
    return cell;
}

static struct cell cell_plain(double value, const char *unit)
{
    struct cell cell;
    if (value == floor(value) && fabs(value) < 1e15)
        snprintf(cell.text, sizeof cell.text, "%.40s%s%.16s", cell_count(value).text, *unit ? " " : "", unit);
    else
        snprintf(cell.text, sizeof cell.text, "%.6g%s%s", value, *unit ? " " : "", unit);
    return cell;
}

static struct cell cell_with_unit(double value, const char *unit)
{
    if (isnan(value))
        return (struct cell){"none"};
    if (strcmp(unit, "bytes") == 0)
        return cell_bytes(value);
    if (strcmp(unit, "s") == 0)
        return cell_seconds(value);
    if (strcmp(unit, "FLOP") == 0)
        return cell_scaled(value, unit);
    return cell_plain(value, unit);
}

static void put_line(struct buffer *out, const struct reference_answer *answer, const struct reference_member *row)
{
    buffer_printf(out, "  %-46s", row->name);
    if (row->type == REFERENCE_WORD)
        buffer_puts(out, word_at(answer, row, 0) ? word_at(answer, row, 0) : "none");
    else if (row->type == REFERENCE_BOOL)
        buffer_puts(out, number_at(answer, row, 0) > 0 ? "yes" : "no");
    else
        buffer_puts(out, cell_with_unit(number_at(answer, row, 0), row->unit).text);
    buffer_puts(out, "\n");
}

static void put_list(struct buffer *out, const struct reference_answer *answer)
{
    const struct reference_function *f = reference_functions[answer->fn];
    const struct reference_row *estimator = &reference_rows[f->estimator];
    if (answer->rule) {
        put_refusal(out, answer);
        return;
    }
    buffer_printf(out, "%s, %s: %s\nSource: %s.\n\n", estimator->name, f->name, f->help, estimator->source);
    for (int i = 0; i < f->value_count; i++) {
        const struct reference_member *row = &f->values[i];
        bool is_single = row->count == 0 && row->type != REFERENCE_GROUPS && row->type != REFERENCE_STAGES;
        if (is_single && !(row->presence == REFERENCE_OPTIONAL && isnan(number_at(answer, row, 0))))
            put_line(out, answer, row);
    }
    for (int i = 0; i < answer->warnings; i++)
        buffer_printf(out, "%swarning (%s): %s.\n", i ? "" : "\n", answer->warning[i],
                      reference_rule_text(answer->warning[i]));
}

void report_reference(struct buffer *out, const struct reference_inputs *in, const struct reference_answer *answer)
{
    if (reference_functions[answer->fn]->estimator == REFERENCE_TOOL)
        report_megatron_tool(out, in, answer);
    else
        put_list(out, answer);
}
