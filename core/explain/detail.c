#include "core/explain/detail.h"

#include "core/estimate/estimate.h"
#include "core/estimate/term.h"

/* ---- collectives of an operator ------------------------------------------------------------------------------------ */

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

void detail_traffic(const struct estimate *estimate, enum op_id id, struct layer_traffic *forward, struct layer_traffic *backward)
{
    enum { NONE = COMM_OP_COUNT };
    static const int collectives[2][PLACE_COUNT][2] = {
        /* without, then with sequence parallelism: {forward, backward} */
        {{NONE, NONE}, {NONE, COMM_ALL_REDUCE}, {COMM_ALL_REDUCE, NONE}, {COMM_ALL_REDUCE, NONE}},
        {{NONE, NONE}, {COMM_ALL_GATHER, COMM_REDUCE_SCATTER}, {COMM_REDUCE_SCATTER, COMM_ALL_GATHER},
         {COMM_REDUCE_SCATTER, COMM_ALL_GATHER}},
    };
    const struct symbols *y = &estimate->symbols;
    const int *pair = collectives[y->tS > 1][place_of(id, &estimate->op[id])];
    struct layer_traffic *out[2] = {forward, backward};
    for (int i = 0; i < 2; i++) {
        *out[i] = (struct layer_traffic){0};
        if (y->t > 1 && pair[i] != NONE)
            *out[i] = (struct layer_traffic){
                .op = comm_op_names[pair[i]], .shape = {y->s / y->c, y->b, y->h}, .bytes = y->B * y->h * y->Tk};
    }
}

/* ---- what operators keep ------------------------------------------------------------------------------------------- */

/* Recomputation of whole layers, and a policy for each operator: what is kept is no operator's own list. */
static bool keeps_inputs(const struct estimate *e)
{
    return e->symbols.full_recompute > 0 || (e->symbols.selective > 0 && e->symbols.selective_policy > 0);
}

/* Bytes of one layer's operator that selective recomputation keeps; the counterpart of op_dropped(). */
static double kept_selectively(const struct estimate *e, enum op_id id)
{
    unsigned modules = (unsigned)e->plan.value[PARAM_train_recompute_modules];
    const struct op *op = &e->op[id];
    int module = op_rows[id].module;
    if (op_rows[id].kind == OP_MOE && modules & 1u << MODULE_MOE)
        return id == OP_ID_ROUTER ? op->drop : 0;
    return op->saved - (module >= 0 && modules & 1u << module ? op->drop : 0);
}

/* Kept bytes of a layer over the sum of its operators' lists. */
static double scale(const struct estimate *e, double kept, double saved, double dropped, double block_share)
{
    double listed = saved - (e->symbols.selective > 0 ? dropped : 0);
    return keeps_inputs(e) ? block_share : listed > 0 ? kept / listed : 1;
}

static double kept_by(const struct estimate *e, int stage, enum op_id id)
{
    const struct stage *s = &e->stage[stage];
    enum op_kind kind = op_rows[id].kind;
    if (e->op[id].when == 0 || kind == OP_HEAD || s->at_step > 0)
        return 0;
    if (kind == OP_EMBEDDING)
        return s->first * s->embed_in_flight * e->op[id].saved;
    double one = e->symbols.selective > 0 && !keeps_inputs(e) ? kept_selectively(e, id) : e->op[id].saved;
    double dense = scale(e, s->dense_kept, s->dense_saved, s->dense_dropped, s->block_share) * s->dense_in_flight;
    double moe = scale(e, s->moe_kept, s->moe_saved, s->moe_dropped, s->block_share) * s->moe_in_flight;
    return one * ((kind != OP_MOE ? dense : 0) + (kind != OP_MLP ? moe : 0));
}

static double kept_inputs(const struct estimate *e, int stage)
{
    const struct stage *s = &e->stage[stage];
    if (!keeps_inputs(e) || s->at_step > 0)
        return 0;
    return (1 - s->block_share) * (s->dense_in_flight * s->dense_kept + s->moe_in_flight * s->moe_kept);
}

bool detail_kept(const struct estimate *e, int stage, int index, enum op_id *id, double *bytes)
{
    for (int op = 0, n = 0; e->is_modelled && op <= OP_COUNT; op++) {
        *id = (enum op_id)op;
        *bytes = op < OP_COUNT ? kept_by(e, stage, *id) : kept_inputs(e, stage);
        n += *bytes != 0;
        if (n > index)
            return true;
    }
    return false;
}
