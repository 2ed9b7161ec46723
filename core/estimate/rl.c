#include "core/estimate/rl.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/estimate/kinds.h"
#include "core/plan/engine.h"
#include "core/plan/key.h"

const struct term rl_terms[] = {
#define GIVEN(name_, unit_, label_, words_)                                                                           \
    {.name = #name_, .unit = unit_, .label = label_, .text = words_, .source = "", .basis = BASIS_EXACT,               \
     .offset = offsetof(struct rl, name_)},
#define TERM(name_, unit_, label_, text_, source_)                                                                    \
    {.name = #name_, .unit = unit_, .label = label_, .text = #text_, .source = source_, .basis = BASIS_FORMULA,       \
     .offset = offsetof(struct rl, name_)},
#include "core/estimate/rl.def"
#undef GIVEN
#undef TERM
};
const size_t rl_term_count = LENGTH(rl_terms);

/* ---- defaults --------------------------------------------------------------------------------------------------- */

#define KEY(group, key) KEY_OF(plan, group, key)

static void fill(struct plan *plan, enum param id, double value)
{
    if (isnan(plan->value[id]) && !isnan(value)) {
        plan->value[id] = value;
        plan->from[id] = FROM_DERIVED;
    }
}

/* What programs default to, by enum rl_program; sources: see core/estimate/rl.def. */
static const struct program {
    double share, tp, sleep, staged;
} programs[RL_PROGRAM_COUNT] = {
    [RL_VERL] = {0.5, 2, 2, 1}, [RL_TRL] = {0.3, 1, 0, 1},   [RL_OPENRLHF] = {0.95, 1, 0, 1},
    [RL_SLIME] = {0.7, 1, 2, 1}, [RL_SWIFT] = {0.9, 1, 0, 0}, [RL_NEMO] = {0.6, 1, 1, 1}};

void rl_resolve(struct plan *plan)
{
    const struct program *of = &programs[(int)KEY(rl, program)];
    double micro = KEY(train, micro_batch_size) * KEY(train, seq_length);
    fill(plan, PARAM_rl_rollout_share, of->share);
    fill(plan, PARAM_rl_rollout_tp, of->tp);
    fill(plan, PARAM_rl_sleep_level, of->sleep);
    fill(plan, PARAM_rl_staged_wake, of->staged);
    fill(plan, PARAM_rl_critic, KEY(rl, algorithm) == ALGORITHM_PPO);
    fill(plan, PARAM_rl_mean_answer, ceil(KEY(rl, max_answer) / 2));
    fill(plan, PARAM_rl_mean_prompt, KEY(rl, max_prompt));
    fill(plan, PARAM_rl_reference,
         KEY(train, peft) > PEFT_NONE ? POLICY_REFERENCE_LORA : POLICY_REFERENCE_FULL);
    fill(plan, PARAM_rl_samples, KEY(train, global_batch_size));
    fill(plan, PARAM_rl_update_tokens, micro);
    fill(plan, PARAM_rl_logprob_tokens, KEY(rl, update_tokens));
}

/* ---- the rollout ------------------------------------------------------------------------------------------------ */

/* The rollout engine as a plan of its own: one replica, with this many answers under way at a context. */
struct rollout {
    struct plan plan;
    struct symbols symbols;
    const struct totals *totals;
    struct serving kinds, sheet; /* what is given of layers of several kinds, and the sheet */
};

static void rollout_open(struct rollout *r, const struct estimate *e)
{
    struct plan *plan = &r->plan;
    *plan = e->plan;
    KEY(plan, workload) = WORKLOAD_INFERENCE;
    KEY(parallel, tp) = KEY(parallel, etp) = KEY(rl, rollout_tp);
    KEY(parallel, pp) = KEY(parallel, cp) = KEY(parallel, ep) = KEY(parallel, dp) = 1;
    KEY(serve, engine) = ENGINE_VLLM;
    KEY(serve, memory_share) = KEY(rl, rollout_share);
    KEY(serve, max_model_len) = KEY(rl, max_prompt) + KEY(rl, max_answer);
    KEY(serve, prompt_tokens) = fmin(KEY(rl, mean_prompt), KEY(rl, max_prompt));
    KEY(serve, engine_version) = KEY(serve, max_num_seqs) = KEY(serve, max_num_batched_tokens) = NAN;
    KEY(serve, kv_block_size) = NAN;
    plan->from[PARAM_serve_weight_dtype] = FROM_DERIVED; /* the trainer's, not the checkpoint's */
    engine_resolve(plan);
    symbols_of(plan, &r->symbols);
    r->totals = &e->totals;
    r->kinds = (struct serving){0};
    kinds_served(plan, NULL, &r->kinds);
}

/* A step of `live` answers whose contexts are `context` tokens beyond the prompt. */
static const struct serving *rollout_at(struct rollout *r, double live, double context)
{
    struct serving *s = &r->sheet;
    const struct symbols *y = &r->symbols;
    double experts = r->kinds.differs > 0 ? pattern_experts(&r->plan.pattern, 0, r->plan.pattern.layers)
                     : y->E > 0           ? (y->L - KEY_OF(&r->plan, model, moe_first_dense)) /
                                      fmax(1, KEY_OF(&r->plan, model, moe_layer_freq))
                                          : 0;
    *s = r->kinds;
    s->rank_layers = s->first_layers = s->last_layers = y->L;
    s->moe_layers = s->first_moe_layers = s->last_moe_layers = s->rank_moe_layers = experts;
    s->tp_domains = s->ep_domains = 1;
    KEY_OF(&r->plan, serve, batch_size) = live;
    KEY_OF(&r->plan, serve, generate_tokens) = fmax(1, 2 * context); /* a step reads the middle of an answer */
    serving_evaluate(y, &r->plan, r->totals, s);
    return s;
}

enum { PARTS = 24 };

/*
 * Lengths of answers up to M with mean u: a share 1 - (x/M)^k is still under way at x, k = u / (M - u). The batch thins
 * out; further waves run full.
 */
static double rollout_time(struct rollout *r, const struct estimate *e)
{
    const struct plan *plan = &r->plan;
    double most = KEY(rl, max_answer), mean = fmin(KEY(rl, mean_answer), 0.97 * most), k = mean / (most - mean);
    double engines = fmax(1, floor(e->symbols.world / KEY(rl, rollout_tp))), each = KEY(rl, samples) / engines;
    const struct serving *s = rollout_at(r, 1, mean / 2);
    double prompt = KEY_OF(&r->plan, serve, prompt_tokens);
    double room = fmax(1, fmin(s->kv_tokens / (prompt + mean), KEY(serve, max_num_seqs)));
    double prompts = each * s->one_prompt_s / KEY(rl, answers), waves = fmax(1, each / room), batch = each / waves;
    double seconds = prompts, late_host_s = 2.5e-3; /* vLLM 0.8 to 0.11 inside trainers: 3.5 ms a step in all */
    for (int i = 0; i < PARTS; i++) {
        double at = (i + 0.5) / PARTS, live = fmax(1, batch * (1 - pow(at, k)));
        seconds += (rollout_at(r, live, at * most)->batch_step_s + late_host_s) * most / PARTS;
    }
    return seconds + (waves - 1) * mean * (rollout_at(r, batch, mean / 2)->batch_step_s + late_host_s);
}

/* ---- the sheet -------------------------------------------------------------------------------------------------- */

#define GPU(key) (plan->gpu.key)
static void evaluate(const struct symbols *symbols, const struct plan *plan, struct rl *out)
{
#include "core/estimate/locals.def"
#define GIVEN(name, ...) const double name __attribute__((unused)) = out->name;
#define TERM(name, unit, label, expression, source) const double name = (expression); out->name = name;
#include "core/estimate/rl.def"
#undef GIVEN
#undef TERM
}

void rl_evaluate(const struct estimate *e, struct rl *out)
{
    const struct stage *stage = &e->stage[e->peak_stage];
    struct rollout rollout;
    *out = (struct rl){.actor_weights_bytes = stage->weights_bytes, .actor_gradients_bytes = stage->gradients_bytes,
                       .actor_optimizer_bytes = stage->optimizer_bytes, .actor_device_bytes = stage->device_bytes,
                       .actor_params = e->totals.total, .actor_active_params = e->totals.active,
                       .actor_tokens_per_s = e->step.tokens_per_s};
    rollout_open(&rollout, e);
    out->rollout_s = rollout_time(&rollout, e);
    out->served_weights_bytes = rollout.sheet.weights_bytes;
    out->served_graphs_bytes = rollout.sheet.graphs_bytes;
    evaluate(&e->symbols, &e->plan, out);
}

struct rl_row rl_phase(const struct rl *rl, enum rl_phase phase)
{
    const struct rl_row rows[RL_PHASE_COUNT] = {{"rollout", rl->rollout_bytes, rl->rollout_s},
                                                {"weights in", rl->resharding_bytes, rl->refit_s},
                                                {"log-probabilities", rl->logprob_bytes, rl->logprob_s},
                                                {"update", rl->update_bytes_peak, rl->update_s},
                                                {"optimizer step", rl->step_bytes, NAN}};
    return rows[phase];
}

enum rl_phase rl_largest(const struct rl *rl)
{
    enum rl_phase largest = RL_ROLLOUT;
    for (int i = 0; i < RL_PHASE_COUNT; i++)
        if (rl_phase(rl, (enum rl_phase)i).bytes > rl_phase(rl, largest).bytes)
            largest = (enum rl_phase)i;
    return largest;
}

double rl_fits(const struct rl *rl)
{
    return rl->left_bytes > rl->band_bytes ? 1 : rl->left_bytes < -rl->band_bytes ? 0 : (double)NAN;
}
