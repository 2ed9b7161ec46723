#include "core/estimate/serving.h"

#include "core/estimate/symbols.h"
#include "core/plan/plan.h"

#include <math.h>

const struct term serving_terms[] = {
#define GIVEN(name_, unit_, label_)                                                                                   \
    {.name = #name_, .unit = unit_, .label = label_, .text = "", .source = "", .basis = BASIS_EXACT,                  \
     .offset = offsetof(struct serving, name_)},
#define TERM(name_, unit_, label_, text_, source_)                                                                    \
    {.name = #name_, .unit = unit_, .label = label_, .text = #text_, .source = source_, .basis = BASIS_FORMULA,       \
     .offset = offsetof(struct serving, name_)},
#include "core/estimate/serving.def"
#undef GIVEN
#undef TERM
};
const size_t serving_term_count = sizeof serving_terms / sizeof *serving_terms;

/* Bytes of a stored value; 4-bit types carry a scale for every 16 values. */
static double width_of(double dtype)
{
    static const double width[DTYPE_COUNT] = {[DTYPE_FP32] = 4, [DTYPE_FP16] = 2, [DTYPE_BF16] = 2, [DTYPE_FP8] = 1,
                                              [DTYPE_MXFP8] = 1 + 1 / 32.0, [DTYPE_NVFP4] = 4.5 / 8};
    return width[(int)dtype];
}

#define KEY(group, key) KEY_OF(plan, group, key)

/* Rate of products with weights of this type; types that the device has no products in are widened to 16 bits. */
static void give_rate(const struct symbols *y, const struct plan *plan, struct serving *out)
{
    const struct gpu *gpu = &plan->gpu;
    double dtype = KEY(serve, weight_dtype);
    bool is_eight = dtype == DTYPE_FP8 || dtype == DTYPE_MXFP8;
    out->weight_peak = y->peak16;
    out->weight_rate = y->e16;
    if (dtype == KEY(train, dtype) || (is_eight && y->fp8 > 0 && KEY(train, dtype) != DTYPE_NVFP4)) {
        out->weight_peak = y->peak;
        out->weight_rate = y->e;
    } else if (is_eight && !isnan(gpu->tflops_fp8)) {
        out->weight_peak = gpu->tflops_fp8;
        out->weight_rate = isnan(gpu->gemm_fp8_efficiency) ? y->e16 : gpu->gemm_fp8_efficiency;
    }
}

void serving_evaluate(const struct symbols *symbols, const struct plan *plan, struct serving *out)
{
    out->batch = KEY(serve, batch_size);
    out->prompt = KEY(serve, prompt_tokens);
    out->generate = KEY(serve, generate_tokens);
    out->weight_width = width_of(KEY(serve, weight_dtype));
    out->kv_value = width_of(KEY(serve, kv_dtype));
    out->share = KEY(serve, memory_share);
    out->price = KEY(hardware, price_per_gpu_hour);
    out->positions = plan->from[PARAM_model_max_position_embeddings] > FROM_DERIVED ? KEY(model, max_position_embeddings) : INFINITY;
    give_rate(symbols, plan, out);
#define SYM(name, key, unit, meaning, expression) const double name __attribute__((unused)) = symbols->name;
#include "core/estimate/symbols.def"
#undef SYM
#define GIVEN(name, unit, label) const double name __attribute__((unused)) = out->name;
#define TERM(name, unit, label, expression, source) const double name = (expression); out->name = name;
#include "core/estimate/serving.def"
#undef GIVEN
#undef TERM
}
