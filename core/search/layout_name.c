#include "core/search/layout_name.h"

#include "core/plan/param.h"
#include "core/show/line.h"

#include <math.h>

struct name {
    const struct plan *plan;
    const struct layout_style *style;
    struct text_line line;
};

static void add_word(struct name *name, const char *word)
{
    line_add(&name->line, "%s%s", name->line.at ? " " : "", word);
}

/* "tp 4", briefly "tp4". */
static void add_key(struct name *name, const char *word, enum param key)
{
    char value[PARAM_TEXT_MAX];
    param_print(name->plan, key, value, sizeof value);
    add_word(name, word);
    line_add(&name->line, "%s%s", *word && !name->style->is_brief ? " " : "", value);
}

/* The same unless it is the usual value. */
static void add_unusual(struct name *name, const char *word, enum param key, double usual)
{
    if (name->plan->value[key] != usual && !isnan(name->plan->value[key]))
        add_key(name, word, key);
}

static void add_degrees(struct name *name)
{
    const struct plan *plan = name->plan;
    double tp = KEY_OF(plan, parallel, tp), etp = KEY_OF(plan, parallel, etp);
    add_unusual(name, "tp", PARAM_parallel_tp, 1);
    if (tp > 1 && KEY_OF(plan, parallel, sp) > 0)
        add_word(name, "sp");
    add_unusual(name, "cp", PARAM_parallel_cp, 1);
    add_unusual(name, "pp", PARAM_parallel_pp, 1);
    add_unusual(name, "vpp", PARAM_parallel_vpp, 1);
    add_unusual(name, "ep", PARAM_parallel_ep, 1);
    if (KEY_OF(plan, model, num_experts) > 0 && (tp > 1 || etp > 1))
        add_key(name, "etp", PARAM_parallel_etp);
    if (!name->style->is_brief)
        add_unusual(name, "dp", PARAM_parallel_dp, 1);
    add_key(name, "mbs", PARAM_train_micro_batch_size);
}

static void add_states(struct name *name)
{
    static const char *const brief_fsdp[] = {
        [FSDP_NONE] = "", [FSDP_SHARD_GRAD_OP] = "zero2", [FSDP_FULL] = "fsdp", [FSDP_HYBRID] = "hsdp"};
    const struct plan *plan = name->plan;
    double groups = KEY_OF(plan, train, recompute_num_layers);
    bool is_full = KEY_OF(plan, train, recompute) == RECOMPUTE_FULL;
    add_unusual(name, name->style->is_brief ? "" : "recompute", PARAM_train_recompute, RECOMPUTE_NONE);
    if (is_full && groups > 1)
        add_key(name, "by", PARAM_train_recompute_num_layers);
    add_unusual(name, "zero", PARAM_parallel_zero_stage, 0);
    if (name->style->is_brief && KEY_OF(plan, parallel, fsdp) > FSDP_NONE)
        add_word(name, brief_fsdp[(int)KEY_OF(plan, parallel, fsdp)]);
    else
        add_unusual(name, "fsdp", PARAM_parallel_fsdp, FSDP_NONE);
}

static void add_split(struct name *name)
{
    const struct plan *plan = name->plan;
    if (KEY_OF(plan, parallel, embedding_counts_as_layer) + KEY_OF(plan, parallel, loss_counts_as_layer) > 0)
        add_word(name, name->style->is_brief ? "ends" : "ends count");
    add_unusual(name, name->style->is_brief ? "last" : "last stage", PARAM_parallel_last_stage_layers, 0);
}

void layout_name(const struct plan *resolved, const struct layout_style *style, char *out, size_t size)
{
    struct name name = {resolved, style, line_in(out, size)};
    bool has_chunks = KEY_OF(resolved, parallel, vpp) > 1;
    add_degrees(&name);
    add_unusual(&name, "", PARAM_parallel_schedule, has_chunks ? SCHEDULE_INTERLEAVED : SCHEDULE_1F1B);
    add_states(&name);
    add_split(&name);
    for (int i = 0; i < style->own; i++)
        add_key(&name, param_rows[style->key[i]].key, style->key[i]);
}
