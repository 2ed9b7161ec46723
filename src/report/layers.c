/* src/report/layers.c - the operators of the model as a tree: whole, and on one rank with its collectives. */
#include "core/estimate/estimate.h"
#include "core/explain/detail.h"
#include "core/plan/kind.h"
#include "src/report/format.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 8, NODES_MAX = 3 * OP_COUNT, LABEL_MAX = 96, TREE_COLUMNS = 36, SHAPE_COLUMNS = 22 };

/* A line of the tree: an operator, or a group of those below it. */
struct node {
    int depth, op; /* op -1: a group */
    char label[LABEL_MAX];
};

/* The tree, and what it shows of each operator. */
struct tree {
    const struct estimate *estimate;
    struct op op[OP_COUNT];
    const struct symbols *symbols;
    bool on_rank;
    int nodes;
    struct node node[NODES_MAX];
    int depth; /* groups open at present */
    struct {
        char name[40];
        enum op_kind kind;
    } open[DEPTH_MAX];
};

static const enum op_kind kind_order[OP_KIND_COUNT] = {OP_EMBEDDING, OP_ATTENTION, OP_MLP, OP_MOE, OP_MTP, OP_HEAD};

/* ---- building --------------------------------------------------------------------------------------------------- */

static int layers_with(const struct estimate *e, enum op_kind kind)
{
    const enum op_id sample[OP_KIND_COUNT] = {[OP_ATTENTION] = OP_ID_PROJ,
                                              [OP_MLP] = OP_ID_FC1, [OP_MOE] = OP_ID_ROUTER,
                                              [OP_EMBEDDING] = OP_ID_WORD, [OP_MTP] = OP_ID_MTP_PROJ,
                                              [OP_HEAD] = OP_ID_LOSS};
    return estimate_op_count(e, sample[kind]);
}

static int layers_of(const struct estimate *e, int stage)
{
    return e->split[stage].layers + (int)e->stage[stage].mtp_layers;
}

/* Layers of the stages as a text: "16 on each stage", "15,16,16,17 by stage", "1 to 4 on a stage". */
static void describe_split(const struct estimate *e, char *out, size_t size)
{
    enum { LISTED = 8 };
    int least = layers_of(e, 0), most = least;
    size_t at = 0;
    for (int i = 1; i < e->stages; i++) {
        least = layers_of(e, i) < least ? layers_of(e, i) : least;
        most = layers_of(e, i) > most ? layers_of(e, i) : most;
    }
    if (least == most || e->stages > LISTED) {
        snprintf(out, size, least == most ? "%d on each stage" : "%d to %d on a stage", least, most);
        return;
    }
    for (int i = 0; i < e->stages && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%d", i ? "," : "", layers_of(e, i));
    if (at < size)
        snprintf(out + at, size - at, " by stage");
}

static void label_group(const struct tree *tree, const char *name, enum op_kind kind, int depth, char *out, size_t size,
                        const struct glyphs *glyph)
{
    const struct estimate *e = tree->estimate;
    char split[64];
    bool is_mixed = layers_with(e, OP_MLP) > 0 && layers_with(e, OP_MOE) > 0;
    snprintf(out, size, "%s", name);
    if (depth == 0 && kind <= OP_MOE && tree->on_rank && e->stages > 1) {
        describe_split(e, split, sizeof split);
        snprintf(out, size, "%.24s %s %s", name, glyph->times, split);
    } else if (depth == 0 && kind <= OP_MOE && e->plan.pattern.layers > 0) {
        pattern_words(&e->plan.pattern, out, size);
    } else if (depth == 0 && kind <= OP_MOE) {
        snprintf(out, size, "%s %s %d", name, glyph->times, (int)(e->symbols.L + e->symbols.J));
    } else if (depth == 1 && kind != OP_ATTENTION && is_mixed && tree->on_rank) {
        snprintf(out, size, "%s (%s layers)", name, kind == OP_MLP ? "dense" : "expert");
    } else if (depth == 1 && kind != OP_ATTENTION && is_mixed) {
        snprintf(out, size, "%s %s %d %s layers", name, glyph->times, layers_with(e, kind),
                 kind == OP_MLP ? "dense" : "expert");
    }
}

/* Where a part that only one stage has lives. */
static void label_operator(const struct tree *tree, const char *name, enum op_kind kind, int depth, char *out,
                           size_t size)
{
    int stage = kind == OP_EMBEDDING ? 0 : tree->estimate->stages - 1;
    snprintf(out, size, "%s", name);
    if (depth == 0 && kind > OP_MOE && tree->on_rank && tree->estimate->stages > 1)
        snprintf(out, size, "%s (stage %d)", name, stage);
}

static struct node *add_node(struct tree *tree, int depth, int op)
{
    struct node *node = &tree->node[tree->nodes < NODES_MAX - 1 ? tree->nodes++ : tree->nodes];
    *node = (struct node){.depth = depth, .op = op};
    return node;
}

/* Opens the group `name` at `depth` unless it is the one open there. */
static void enter(struct tree *tree, int depth, const char *name, size_t n, enum op_kind kind,
                  const struct glyphs *glyph)
{
    bool is_root = depth == 0;
    bool is_open = depth < tree->depth && strlen(tree->open[depth].name) == n &&
                   memcmp(tree->open[depth].name, name, n) == 0 && (is_root || tree->open[depth].kind == kind);
    if (is_open)
        return;
    tree->depth = depth + 1;
    tree->open[depth].kind = kind;
    snprintf(tree->open[depth].name, sizeof tree->open[depth].name, "%.*s", (int)n, name);
    struct node *node = add_node(tree, depth, -1);
    struct cell own;
    snprintf(own.text, sizeof own.text, "%.*s", (int)n, name);
    if (kind > OP_MOE)
        label_operator(tree, own.text, kind, depth, node->label, sizeof node->label);
    else
        label_group(tree, own.text, kind, depth, node->label, sizeof node->label, glyph);
}

static void add_operator(struct tree *tree, enum op_id id, const struct glyphs *glyph)
{
    enum op_kind kind = op_rows[id].kind;
    const char *name = op_rows[id].path, *slash;
    int depth = 0;
    if (kind <= OP_MOE)
        enter(tree, depth++, "decoder layer", strlen("decoder layer"), kind, glyph);
    for (; (slash = strchr(name, '/')) && depth < DEPTH_MAX - 1; name = slash + 1)
        enter(tree, depth++, name, (size_t)(slash - name), kind, glyph);
    tree->depth = depth;
    struct node *node = add_node(tree, depth, (int)id);
    label_operator(tree, name, kind, depth, node->label, sizeof node->label);
}

static void build(struct tree *tree, const struct glyphs *glyph)
{
    for (int k = 0; k < OP_KIND_COUNT; k++)
        for (int i = 0; i < OP_COUNT; i++)
            if (op_rows[i].kind == kind_order[k] && tree->op[i].when != 0 &&
                layers_with(tree->estimate, kind_order[k]) > 0)
                add_operator(tree, (enum op_id)i, glyph);
}

/* ---- figures ---------------------------------------------------------------------------------------------------- */

/* What a line shows; a group shows the sum of its operators. */
struct figures {
    double params, saved;
    int kinds; /* bit mask of the kinds in it */
};

static void add_figures(const struct tree *tree, int i, struct figures *sum)
{
    int id = tree->node[i].op;
    if (id < 0)
        return;
    const struct op *op = &tree->op[id];
    sum->params += op->params;
    /* the logits live from forward to backward of the loss; no row of the layer table keeps them; serving keeps nothing
     */
    sum->saved += tree->estimate->is_serving ? NAN
                  : id == OP_ID_LOSS         ? tree->symbols->loss_bytes_per_logit * tree->symbols->Z
                                             : op->saved;
    sum->kinds |= 1 << op_rows[id].kind;
}

static struct figures figures_of(const struct tree *tree, int i)
{
    struct figures sum = {0};
    add_figures(tree, i, &sum);
    for (int k = i + 1; k < tree->nodes && tree->node[k].depth > tree->node[i].depth; k++)
        add_figures(tree, k, &sum);
    return sum;
}

/* The weights of an operator: "8x[2816,2048] +[2816]", a plus before the bias. */
static struct cell weights_of(const struct tree *tree, int id, const struct glyphs *glyph)
{
    const struct op *op = &tree->op[id];
    struct cell cell = {""};
    double bias = op->out > 0 ? op->bias * op->out_rank / op->out : op->bias;
    int n = 0;
    if (id == OP_ID_OUTPUT && op->times == 0)
        snprintf(cell.text, sizeof cell.text, "(word_embeddings)");
    if (op->times == 0 || op->out_rank == 0)
        return cell;
    if (op->times > 1)
        n = snprintf(cell.text, sizeof cell.text, "%.0f%s", op->times, glyph->times);
    if (op->m == 0 && op->in == 1)
        n += snprintf(cell.text + n, sizeof cell.text - (size_t)n, "[%.0f]", op->out_rank);
    else
        n += snprintf(cell.text + n, sizeof cell.text - (size_t)n, "[%.0f,%.0f]", op->out_rank, op->in_rank);
    if (bias > 0 && n < CELL_MAX)
        snprintf(cell.text + n, sizeof cell.text - (size_t)n, " +[%.0f]", bias);
    return cell;
}

/* ---- printing --------------------------------------------------------------------------------------------------- */

static bool is_last_child(const struct tree *tree, int i, int depth)
{
    for (int k = i + 1; k < tree->nodes && tree->node[k].depth >= depth; k++)
        if (tree->node[k].depth == depth)
            return false;
    return true;
}

static void print_label(struct page *page, const struct tree *tree, int i)
{
    struct buffer line = {0};
    const struct node *node = &tree->node[i];
    for (int depth = 0; depth < node->depth; depth++)
        buffer_puts(&line, is_last_child(tree, i, depth) ? page->glyph->blank : page->glyph->bar);
    buffer_puts(&line, is_last_child(tree, i, node->depth) ? page->glyph->last : page->glyph->branch);
    buffer_puts(&line, node->label);
    if (node->op >= 0) {
        page_pad(page, line.text, TREE_COLUMNS);
        page_pad(page, weights_of(tree, node->op, page->glyph).text, SHAPE_COLUMNS);
    } else {
        page_pad(page, line.text, TREE_COLUMNS + SHAPE_COLUMNS);
    }
    buffer_free(&line);
}

static void print_traffic(struct page *page, const struct tree *tree, int id)
{
    struct layer_traffic forward, backward;
    detail_traffic(tree->estimate, (enum op_id)id, &forward, &backward);
    buffer_puts(page->out, "  ");
    page_pad(page, forward.op ? forward.op : "", 15);
    buffer_puts(page->out, backward.op ? backward.op : "");
}

static void trim(struct buffer *out)
{
    while (out->size > 0 && out->text[out->size - 1] == ' ')
        out->text[--out->size] = '\0';
}

static void print_node(struct page *page, const struct tree *tree, int i)
{
    int id = tree->node[i].op;
    struct figures sum = figures_of(tree, i);
    bool is_mixed = (sum.kinds & 1 << OP_MLP) && (sum.kinds & 1 << OP_MOE);
    print_label(page, tree, i);
    if (!tree->on_rank)
        page_pad(page, is_mixed || sum.params == 0 ? "" : cell_count(sum.params).text, -17);
    page_pad(page, is_mixed || sum.params == 0 ? "" : cell_of(FIGURE_MIB_TO_SUM, tree->symbols->Bw * sum.params).text,
             -10);
    page_pad(page, is_mixed ? "" : sum.saved == 0 ? "-" : cell_of(FIGURE_MIB_TO_SUM, sum.saved).text, -11);
    if (tree->on_rank && id >= 0)
        print_traffic(page, tree, id);
    trim(page->out);
    buffer_puts(page->out, "\n");
}

static void print_tree(struct page *page, struct tree *tree)
{
    build(tree, page->glyph);
    page_pad(page, "operator", TREE_COLUMNS);
    page_pad(page, "weight +bias", SHAPE_COLUMNS);
    if (!tree->on_rank)
        page_pad(page, "parameters", -17);
    page_pad(page, "param MiB", -10);
    page_pad(page, "act. MiB", -11);
    if (tree->on_rank)
        buffer_puts(page->out, "  TP forward     TP backward");
    buffer_puts(page->out, "\n");
    for (int i = 0; i < tree->nodes; i++)
        print_node(page, tree, i);
}

static void print_total(struct page *page, const char *name, double bytes)
{
    buffer_puts(page->out, "  ");
    page_pad(page, name, 48);
    page_pad(page, cell_bytes(bytes).text, -12);
    buffer_puts(page->out, "\n");
}

static void print_totals(struct page *page, const struct estimate *e)
{
    const struct totals *t = &e->totals;
    buffer_printf(page->out, "\n  %-48s%*s\n", "parameters", 24, cell_count(t->params).text);
    if (t->mtp > 0)
        buffer_printf(page->out, "  %-48s%*s\n", "  multi-token prediction", 24, cell_count(t->mtp).text);
    if (t->unpadded != t->total)
        buffer_printf(page->out, "  %-48s%*s\n",
                      t->mtp > 0 ? "  without it and the padding of the vocabulary"
                                 : "  without the padding of the vocabulary",
                      24, cell_count(t->unpadded).text);
    if (t->active != t->unpadded)
        buffer_printf(page->out, "  %-48s%*s\n", "  active for each token", 24, cell_count(t->active).text);
    print_total(page, "weights", t->param_bytes);
    print_total(page, "gradients", t->gradient_bytes);
    print_total(page, "optimizer states", t->optimizer_bytes);
    print_total(page, "activations of one micro-batch, logits included", t->activations_bytes);
    print_total(page, "sum", t->total_bytes);
}

static void print_full_model(struct page *page, const struct estimate *e)
{
    struct tree tree = {.estimate = e, .symbols = &e->unparallel};
    for (int i = 0; i < OP_COUNT; i++)
        estimate_full_op(e, (enum op_id)i, &tree.op[i]);
    page_heading(page, "Full model without parallelism");
    page_prose(
        page, 0,
        "One GPU holding everything, one micro-batch of %.0f x %.0f tokens. MiB = 2^20 bytes. Activations (act.) "
        "are what forward keeps for backward. A line with others below it shows their sum.",
        e->symbols.b, e->symbols.s);
    buffer_puts(page->out, "\n");
    print_tree(page, &tree);
    print_totals(page, e);
}

static void explain_traffic(struct page *page, const struct estimate *e)
{
    const struct symbols *y = &e->symbols;
    const double shape[3] = {y->s / y->c, y->b, y->h};
    bool gathers_again = y->tS > 1 && y->again > 0;
    if (!(y->t > 1))
        return;
    buffer_puts(page->out, "\n");
    page_prose(page, 0, "Each tensor-parallel (TP) message is %s, %s.%s", cell_shape(shape, 3).text,
               cell_bytes(y->B * y->h * y->Tk).text,
               gathers_again
                   ? " Backward also gathers the inputs of column-parallel weights (linear_qkv, linear_fc1) again."
                   : "");
}

static void print_one_rank(struct page *page, const struct estimate *e)
{
    struct tree tree = {.estimate = e, .symbols = &e->symbols, .on_rank = true};
    for (int i = 0; i < OP_COUNT; i++)
        estimate_op(e, (enum op_id)i, &tree.op[i]);
    bool recomputes = e->symbols.full_recompute > 0 || e->symbols.selective > 0;
    page_heading(page, "One GPU: the same operators after partitioning");
    page_prose(page, 0,
               "One micro-batch on one GPU of tp %.0f, cp %.0f, ep %.0f. The parts are those of the stage that has "
               "them; the memory section shows how many micro-batches are alive at once.%s",
               e->symbols.t, e->symbols.c, e->symbols.ep,
               recomputes ? " Recomputation frees part of these activations." : "");
    buffer_puts(page->out, "\n");
    print_tree(page, &tree);
    explain_traffic(page, e);
}

void report_layers(struct page *page, const struct estimates *all)
{
    const struct estimate *e = all->item[0];
    char why[160];
    if (!e->is_computed) {
        page_heading(page, "Layers");
        page_prose(page, 0, "n/a: %s", report_why_unknown(e, NULL, why, sizeof why));
        return;
    }
    print_full_model(page, e);
    print_one_rank(page, e);
}
