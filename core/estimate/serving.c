#include "core/estimate/serving.h"

#include "core/base.h"
#include "core/estimate/model.h"
#include "core/estimate/symbols.h"
#include "core/plan/engine.h"
#include "core/plan/key.h"

const struct term serving_terms[] = {
#define GIVEN(name_, unit_, label_, words_)                                                                           \
    {.name = #name_, .unit = unit_, .label = label_, .text = words_, .source = "", .basis = BASIS_EXACT,               \
     .offset = offsetof(struct serving, name_)},
#define TERM(name_, unit_, label_, text_, source_)                                                                    \
    {.name = #name_, .unit = unit_, .label = label_, .text = #text_, .source = source_, .basis = BASIS_FORMULA,       \
     .offset = offsetof(struct serving, name_)},
#include "core/estimate/serving.def"
#undef GIVEN
#undef TERM
};
const size_t serving_term_count = LENGTH(serving_terms);

/* What a type of weights takes; group scales are spread over their group. */
static struct weight_facts type_of(const struct plan *plan, enum param key)
{
    struct weight_facts of = weight_facts(plan->value[key]);
    of.scale += of.group / KEY_OF(plan, serve, group_size);
    return of;
}

/* The GIVEN members that follow from types and from the engine's row. */
static void give_engine(const struct plan *plan, struct serving *out)
{
    const struct engine_facts *of =
        &engine_row(KEY_OF(plan, serve, engine), KEY_OF(plan, serve, engine_version))->facts;
    struct weight_facts dense = type_of(plan, PARAM_serve_weight_dtype),
                        attention = type_of(plan, PARAM_serve_attention_dtype),
                        expert = type_of(plan, PARAM_serve_expert_dtype);
    out->dense_value = dense.value, out->dense_row = dense.row, out->dense_scale = dense.scale;
    out->attention_value = attention.value, out->attention_row = attention.row;
    out->attention_scale = attention.scale;
    out->expert_value = expert.value, out->expert_row = expert.row, out->expert_scale = expert.scale;
    out->server_logit = of->logit_bytes, out->server_few_logit = of->few_logit_bytes;
    out->server_sm_rows = of->sm_rows, out->server_reserve = of->reserve;
    out->server_workspaces = of->keeps_workspaces, out->server_samples_beside = of->samples_beside;
    out->server_graph_modes = of->graph_modes, out->server_graph_step = of->graph_step;
    out->server_fixed_graphs = of->fixed_graphs, out->server_counts_graphs = of->counts_graphs;
    out->server_length_tokens = of->tokens_by_length, out->server_context = of->counts_context;
    out->server_own_gib = of->own_gib, out->server_own_small_gib = of->own_small_gib;
    out->server_links = of->links, out->server_pair_gib = of->pair_gib, out->server_group_gib = of->group_gib;
    out->server_small_group_gib = of->small_group_gib, out->server_stages_gib = of->stages_gib;
}

#define GPU(key) (plan->gpu.key)
#define KEY(group, key) KEY_OF(plan, group, key)
void serving_evaluate(const struct symbols *symbols, const struct plan *plan, const struct totals *totals,
                      struct serving *out)
{
    const double matrix_flops = totals->matrix_flops, output_flops = totals->output_flops;
    out->positions =
        plan->from[PARAM_model_max_position_embeddings] > FROM_DERIVED ? KEY(model, max_position_embeddings) : INFINITY;
    give_engine(plan, out);
#include "core/estimate/locals.def"
#define GIVEN(name, ...) const double name __attribute__((unused)) = out->name;
#define TERM(name, unit, label, expression, source) const double name = (expression); out->name = name;
#include "core/estimate/serving.def"
#undef GIVEN
#undef TERM
}

/* The cache of 36 start-up logs is estimated within 4.3 %: closer than this nothing is claimed. */
static const double unsure = 0.03, unsure_known = 0.01 /* with a start-up log */;
static const double unsure_graphs = 1 * GIB; /* experts had up to 1.1 GiB of graphs more */

enum serving_why serving_why(const struct serving *s)
{
    if (!(s->has_engine > 0) || isnan(s->max_concurrency))
        return SERVING_UNKNOWN;
    if (!(s->is_trtllm > 0) && s->room_bytes > s->total_bytes - s->context_gib * GIB)
        return s->asked_bytes > 0 ? SERVING_NO_MEMORY : SERVING_NO_SHARE;
    if (!(s->cache_bytes > 0))
        return SERVING_NO_CACHE;
    if (s->is_sglang > 0) /* refuses longer requests one by one: sglang 60d36e7be managers/tp_worker.py 303 */
        return SERVING_STARTS;
    if (fabs(s->max_concurrency - 1) <= (s->other_bytes == 0 ? unsure : unsure_known))
        return SERVING_UNKNOWN;
    if (s->max_concurrency < 1)
        return SERVING_TOO_LONG;
    if (!(s->is_vllm > 0) || s->server_counts_graphs > 0 || s->graphs_bytes <= s->left_out_bytes)
        return SERVING_STARTS;
    return s->graphs_bytes > s->left_out_bytes + unsure_graphs ? SERVING_NO_GRAPHS : SERVING_UNKNOWN;
}
