#include "src/plan/offer.h"

#include "core/base.h"
#include "core/estimate/estimate.h"
#include "core/plan/param.h"
#include "core/plan/question.h"
#include "core/plan/step.h"
#include "src/plan/plan_io.h"
#include "src/plan/preset.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- kinds ------------------------------------------------------------------------------------------------------ */

static bool decides(const struct question *question, enum param key)
{
    for (int i = 0; i < question->count; i++)
        if (question->decides[i] == (int16_t)key)
            return true;
    return false;
}

/* By how it is answered, and else by what it decides. */
static enum question_kind kind_of(const struct question *question)
{
    static const struct {
        const char *how;
        enum question_kind kind;
    } rows[] = {{"--env ", QUESTION_ENVIRONMENT}, {"-- ", QUESTION_ARGUMENT}, {"--gpus ", QUESTION_GPU_COUNT},
                {"--gpu ", QUESTION_GPU},         {"--model ", QUESTION_MODEL}};
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (strncmp(question->how, rows[i].how, strlen(rows[i].how)) == 0)
            return rows[i].kind;
    bool is_file = text_ends_with(question->variable, ".json") || text_ends_with(question->variable, ".yaml");
    return decides(question, PARAM_model_vocab_size) ? QUESTION_TOKENIZER
           : strchr("<{?", question->variable[0])    ? QUESTION_PLACEHOLDER
           : is_file                                 ? QUESTION_FILE
                                                     : QUESTION_SETTING;
}

/* ---- choices ---------------------------------------------------------------------------------------------------- */

/* Some values of a key that work: powers of two of a size, all words of a list. */
static void offer_values(const struct plan *plan, enum param key, char out[QUESTION_TEXT_MAX])
{
    enum { SCANNED = 256, OFFERED = 6 };
    double values[SCANNED];
    int count = param_valid(plan, key, values, SCANNED), offered = 0;
    struct plan one = *plan;
    size_t used = 0;
    for (int i = 0; i < count && offered < OFFERED; i++) {
        char text[PARAM_TEXT_MAX];
        bool is_power = param_rows[key].type != TYPE_INT || exp2(floor(log2(values[i]))) == values[i];
        one.value[key] = values[i];
        if (!is_power || param_print(&one, key, text, sizeof text) <= 0 || used + strlen(text) + 2 > QUESTION_TEXT_MAX)
            continue;
        used += (size_t)snprintf(out + used, QUESTION_TEXT_MAX - used, "%s%s", offered++ ? " " : "", text);
    }
}

static void offer(const struct plan *plan, struct question *question)
{
    static const char *const fixed[QUESTION_KINDS] = {
        [QUESTION_GPU] = "a100-sxm-80 h100-sxm-80 h200-sxm b200-sxm",
        [QUESTION_TOKENIZER] = "32000 50304 128256 151936 262144"};
    bool is_one = question->count == 1 || (question->count == 2 && decides(question, PARAM_parallel_etp));
    question->kind = kind_of(question);
    if (question->has_words)
        return;
    question->choices[0] = '\0';
    if (fixed[question->kind])
        snprintf(question->choices, sizeof question->choices, "%s", fixed[question->kind]);
    else if (is_one && question->kind != QUESTION_MODEL)
        offer_values(plan, (enum param)question->decides[0], question->choices);
}

/* ---- effects ---------------------------------------------------------------------------------------------------- */

/* Memory of the fullest GPU with one of the choices; NAN where it is not known. */
static double bytes_with(const struct plan *plan, const struct question *question, const char *choice, size_t size,
                         struct estimate *e)
{
    struct plan one = *plan;
    char why[PARAM_WHY_MAX], *text = xstrndup(choice, size);
    enum param key = (enum param)question->decides[0];
    struct errors errors = {0};
    bool is_set = key == PARAM_hardware_gpu ? preset_apply(&one, key, text, FROM_SET, &(struct place){0}, &errors) == 0
                                            : param_parse(&one, key, text, FROM_SET, false, why) == 0;
    free(text);
    errors_free(&errors);
    if (!is_set)
        return NAN;
    estimate_plan(&one, e);
    return e->is_computed && !e->is_serving ? e->stage[e->peak_stage].device_bytes : NAN;
}

static double effect_of(const struct plan *plan, const struct question *question, struct estimate *e)
{
    const char *first = question->choices, *last = strrchr(first, ' ');
    if (!last || question->has_words)
        return NAN;
    double low = bytes_with(plan, question, first, strcspn(first, " "), e),
           high = bytes_with(plan, question, last + 1, strlen(last + 1), e);
    return fabs(high - low);
}

/* The largest effect first; what is not known comes behind, in the order in which it was met. */
static void sort_by_effect(struct questions *questions)
{
    for (int i = 1; i < questions->count; i++) {
        struct question moved = questions->item[i];
        int at = i;
        for (; at > 0 && !(questions->item[at - 1].effect_bytes >= moved.effect_bytes || isnan(moved.effect_bytes));
             at--)
            questions->item[at] = questions->item[at - 1];
        questions->item[at] = moved;
    }
}

/* Numbers of nodes become the numbers of GPUs by which the question is answered. */
static void count_gpus(const struct plan *plan, struct question *question)
{
    char nodes[QUESTION_TEXT_MAX], *rest = nodes;
    double per_node = plan->value[PARAM_hardware_gpus_per_node];
    if (question->kind != QUESTION_GPU_COUNT || question->decides[0] != PARAM_hardware_nodes || !(per_node >= 1))
        return;
    snprintf(nodes, sizeof nodes, "%s", question->choices);
    question->choices[0] = '\0';
    for (char *one; (one = strsep(&rest, " "));) {
        size_t used = strlen(question->choices);
        if (*one)
            snprintf(question->choices + used, QUESTION_TEXT_MAX - used, "%s%g", used ? " " : "", atof(one) * per_node);
    }
}

void questions_offer(const struct plan *plan, struct questions *questions)
{
    struct estimate *e = questions->count > 0 ? xmalloc(sizeof *e) : NULL;
    for (int i = 0; i < questions->count; i++) {
        offer(plan, &questions->item[i]);
        questions->item[i].effect_bytes = effect_of(plan, &questions->item[i], e);
        count_gpus(plan, &questions->item[i]);
    }
    sort_by_effect(questions);
    free(e);
}

void questions_finish(const struct plan *plan, const char *left_hardware, struct questions *questions)
{
    if (left_hardware)
        plan_ask_model(plan, left_hardware, questions);
    if (left_hardware)
        plan_ask_hardware(plan, left_hardware, questions);
    questions_settle(questions, plan);
    questions_offer(plan, questions);
}
