#include "core/explain/detail.h"

#include "core/base.h"
#include "core/estimate/estimate.h"

/* ---- collectives of an operator --------------------------------------------------------------------------------- */

/* Where the collectives of an operator stand: what its weight is cut along decides. */
enum place { PLACE_NONE, PLACE_COLUMN, PLACE_ROW, PLACE_WORD, PLACE_COUNT };

/* The first product of a block carries its collective; latent attention has one, before its last up-projection. */
static enum place place_of(enum op_id id, const struct op *op)
{
    if (id == OP_ID_WORD)
        return PLACE_WORD;
    if (id == OP_ID_MLA_Q || id == OP_ID_MLA_Q_UP || op->m == 0)
        return PLACE_NONE;
    return op_rows[id].split == SPLIT_OUT ? PLACE_COLUMN : op_rows[id].split == SPLIT_IN ? PLACE_ROW : PLACE_NONE;
}

/* Bytes of one collective. With sequence parallelism latent attention gathers what its down-projections compressed. */
static struct layer_traffic traffic_of(const struct symbols *symbols, bool is_latent)
{
#define TRAFFIC(rows, batch, width, bytes_)                                                                            \
    {.shape = {rows, batch, width}, .bytes = bytes_, .text = #bytes_, .shape_text = {#rows, #batch, #width}}
#include "core/estimate/locals.def"
    const struct layer_traffic all[] = {TRAFFIC(s/c, b, h, B*h*Tk), TRAFFIC(s/c, b, mla_width, B*mla_width*Tk)};
    return all[is_latent];
#undef TRAFFIC
}

void detail_traffic(const struct estimate *estimate, enum op_id id, struct layer_traffic *forward,
                    struct layer_traffic *backward)
{
    enum { NONE = COMM_OP_COUNT };
    static const int collectives[2][PLACE_COUNT][2] = {
        /* without, then with sequence parallelism: {forward, backward} */
        {{NONE, NONE}, {NONE, COMM_ALL_REDUCE}, {COMM_ALL_REDUCE, NONE}, {COMM_ALL_REDUCE, NONE}},
        {{NONE, NONE}, {COMM_ALL_GATHER, COMM_REDUCE_SCATTER}, {COMM_REDUCE_SCATTER, COMM_ALL_GATHER},
         {COMM_REDUCE_SCATTER, COMM_ALL_GATHER}},
    };
    const struct symbols *y = &estimate->symbols;
    struct op op;
    estimate_op(estimate, id, &op);
    const int *pair = collectives[y->tS > 1][place_of(id, &op)];
    struct layer_traffic *out[2] = {forward, backward};
    for (int i = 0; i < 2; i++) {
        *out[i] = (struct layer_traffic){0};
        if (y->t > 1 && pair[i] != NONE) {
            *out[i] = traffic_of(y, id == OP_ID_MLA_KV_UP && y->tS > 1);
            out[i]->op = comm_op_names[pair[i]];
        }
    }
}

/* ---- what operators keep ---------------------------------------------------------------------------------------- */

const struct term kept_terms[] = {
#define GIVEN(name_, unit_, label_, words_)                                                                            \
    {.name = #name_, .unit = unit_, .label = label_, .text = words_, .source = "",                                     \
     .offset = offsetof(struct kept, name_)},
#define TERM(name_, unit_, label_, text_)                                                                              \
    {.name = #name_, .unit = unit_, .label = label_, .text = #text_, .source = "",                                     \
     .offset = offsetof(struct kept, name_)},
#include "core/explain/kept.def"
#undef GIVEN
#undef TERM
};
const size_t kept_term_count = LENGTH(kept_terms);

static void keep(const struct symbols *symbols, const struct stage *sheet, const struct op *op, enum op_kind kind,
                 struct kept *out)
{
    const double saved = op->saved, freed = op->freed, held = op->held;
    out->in_dense = kind == OP_ATTENTION || kind == OP_MLP;
    out->in_moe = kind == OP_ATTENTION || kind == OP_MOE;
    out->in_embedding = kind == OP_EMBEDDING;
#include "core/estimate/locals.def"
#include "core/estimate/stage_locals.def"
#define GIVEN(name, ...) const double name = out->name;
#define TERM(name, unit, label, expression) const double name __attribute__((unused)) = out->name = (expression);
#include "core/explain/kept.def"
#undef GIVEN
#undef TERM
}

double detail_keep(const struct estimate *e, int stage, enum op_id id, struct kept *out)
{
    struct op op = {0};
    if (id < OP_COUNT)
        estimate_op(e, id, &op);
    if (id < OP_COUNT && e->plan.pattern.layers > 0 && op_rows[id].kind <= OP_MLP) { /* of the layers that have it */
        const struct stage *s = &e->stage[stage];
        double others = op_rows[id].kind == OP_MLP ? s->moe_layers : 0;
        double share = estimate_stage_op_count(e, stage, id) / max(s->layers - others, 1);
        op.saved *= share;
        op.freed *= share;
    }
    keep(&e->symbols, &e->stage[stage], &op, id < OP_COUNT ? op_rows[id].kind : OP_HEAD, out);
    return id == OP_COUNT ? out->inputs_bytes : op.when != 0 ? out->bytes : 0;
}

bool detail_kept(const struct estimate *e, int stage, int index, enum op_id *id, double *bytes)
{
    struct kept kept;
    for (int op = 0, n = 0; e->is_modelled && op <= OP_COUNT; op++) {
        *id = (enum op_id)op;
        *bytes = detail_keep(e, stage, *id, &kept);
        n += *bytes != 0;
        if (n > index)
            return true;
    }
    return false;
}
