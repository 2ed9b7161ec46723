/* What words stand for: "the largest trained over the stages" is made of that stage's trained. */
#include "core/base.h"
#include "core/estimate/stage_time.h"
#include "core/explain/formula.h"
#include "core/plan/param.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A word is letters, digits and underscores, in a key's name also points. */
static size_t word_length(const char *p)
{
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '_' || (p[n] == '.' && islower((unsigned char)p[n + 1])))
        n++;
    return n;
}

static const char *next_word(const char *p)
{
    p += word_length(p);
    while (*p && word_length(p) == 0)
        p++;
    return p;
}

/* ---- what has a name -------------------------------------------------------------------------------------------- */

static void add_key(const struct estimate *e, enum param id, struct explanation *out)
{
    const struct param_row *row = &param_rows[id];
    struct explain_input input = {.label = row->help, .unit = row->unit, .value = e->plan.value[id], .is_key = true};
    snprintf(input.name, sizeof input.name, "%s", row->key);
    snprintf(input.path, sizeof input.path, "%s", row->dotted);
    formula_input(out, &input);
}

/* A figure by its path, as in "time.iteration_s". */
static void add_figure(const struct estimate *e, const char *path, struct explanation *out)
{
    struct explanation x;
    if (strcmp(path, out->path) == 0 || explain_value(e, path, &x) != 0)
        return;
    struct explain_input input = {.label = x.label, .unit = x.unit, .value = x.value};
    snprintf(input.name, sizeof input.name, "%.39s", strrchr(path, '.') + 1);
    snprintf(input.path, sizeof input.path, "%s", path);
    formula_input(out, &input);
}

/* Keys and figures by name, as in "from parallel.order", and the keys that decide what is "from the split". */
static void add_named(const struct estimate *e, const char *words, struct explanation *out)
{
    static const enum param split[] = {PARAM_model_num_layers, PARAM_parallel_pp, PARAM_parallel_vpp,
                                       PARAM_parallel_pipeline_layout};
    for (const char *p = words; *p; p = next_word(p)) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)word_length(p), p);
        int id = strchr(name, '.') ? param_find(name) : -1;
        if (id >= 0)
            add_key(e, (enum param)id, out);
        else if (strchr(name, '.'))
            add_figure(e, name, out);
    }
    for (size_t i = 0; strstr(words, "from the split") && i < LENGTH(split); i++)
        add_key(e, split[i], out);
}

/* ---- figures of stages ------------------------------------------------------------------------------------------ */

/* The term of a stage that a word names, and its value there; NULL for another word. */
static const struct term *term_of(const struct estimate *e, const char *word, int stage, double *value)
{
    size_t n = word_length(word);
    const struct term *term = term_find(stage_terms, stage_term_count, word, n);
    if (term && strcmp(term->name, "stage") != 0) {
        *value = term_value(term, &e->stage[stage]);
        return term;
    }
    term = term_find(pass_terms, pass_term_count, word, n);
    *value = term ? term_value(term, &e->pass[stage]) : (double)NAN;
    return term;
}

static void add_term(const struct estimate *e, const char *word, int stage, struct explanation *out)
{
    struct explain_input input = {.value = NAN};
    const struct term *term = term_of(e, word, stage, &input.value);
    if (!term || input.value == 0)
        return;
    input.label = term->label;
    input.unit = term->unit;
    snprintf(input.name, sizeof input.name, "%s of stage %d", term->name, stage);
    snprintf(input.path, sizeof input.path, "memory.stages.%d.%s", stage, term->name);
    formula_input(out, &input);
}

/* The stage that has most of what a word names. */
static int largest_stage(const struct estimate *e, const char *word)
{
    double most = -INFINITY, value;
    int found = 0;
    for (int i = 0; i < e->stages; i++)
        if (term_of(e, word, i, &value) && value > most) {
            most = value;
            found = i;
        }
    return found;
}

/* "the mean of X over the stages": the X of each stage's iteration. */
static void add_means(const struct estimate *e, const char *word, struct explanation *out)
{
    const struct term *term = term_find(stage_time_terms, stage_time_term_count, word, word_length(word));
    for (int i = 0; i < e->stages && term; i++) {
        struct stage_time time;
        stage_time_of(e, i, &time);
        struct explain_input input = {.label = term->label, .unit = term->unit, .value = term_value(term, &time)};
        snprintf(input.name, sizeof input.name, "%s of stage %d", term->name, i);
        snprintf(input.path, sizeof input.path, "time.stages.%d.%s", i, term->name);
        if (input.value != 0)
            formula_input(out, &input);
    }
}

/* "the largest X over the stages", "the sum of X over the stages". */
static void add_over_stages(const struct estimate *e, const char *words, struct explanation *out)
{
    double value;
    const char *word = words;
    while (*word && !term_of(e, word, 0, &value))
        word = next_word(word);
    bool is_largest = strncmp(words, "the largest ", strlen("the largest ")) == 0;
    for (int i = 0; i < e->stages && *word; i++)
        if (!is_largest || i == largest_stage(e, word))
            add_term(e, word, i, out);
}

/* "the X and Y of the slowest stage"; with DualPipe those of its mirror image too. */
static void add_of_slowest(const struct estimate *e, const char *words, struct explanation *out)
{
    int pair[] = {e->binding_stage, e->stages - 1 - e->binding_stage};
    int count = KEY_OF(&e->plan, parallel, schedule) == SCHEDULE_DUALPIPE && pair[0] != pair[1] ? 2 : 1;
    for (int i = 0; i < count; i++)
        for (const char *p = words; *p && *p != ';'; p = next_word(p))
            add_term(e, p, pair[i], out);
}

/* ---- rows of traffic -------------------------------------------------------------------------------------------- */

/* Whether a row is of a dimension named before "rows", as in "the tp rows", "the dp, edp and embedding rows". */
static bool is_named(const char *words, enum comm_id id)
{
    const char *name = comm_dim_names[comm_rows[id].dim], *rows = strstr(words, " rows");
    for (const char *p = words; p < rows; p = next_word(p))
        if (word_length(p) == strlen(name) && strncmp(p, name, strlen(name)) == 0)
            return true;
    return false;
}

static double row_seconds(const struct comm *row, bool is_exposed)
{
    return is_exposed ? row->exposed_s : row->time_s;
}

/* The rows that words go over: of a stage, -1 for that with the largest sum; beside the same passes as a row. */
struct rows {
    const char *words;
    bool is_exposed; /* or all of the time */
    int stage;
    enum comm_id beside; /* COMM_COUNT: beside any */
};

static bool is_among(const struct rows *rows, const struct comm_table *comm, enum comm_id id)
{
    struct exposure own, other;
    if (!is_named(rows->words, id) || rows->beside == COMM_COUNT)
        return is_named(rows->words, id);
    timing_exposure(id, comm, &own);
    timing_exposure(rows->beside, comm, &other);
    return own.back == other.back;
}

/* The stage with the largest sum. */
static int fullest_stage(const struct estimate *e, const struct rows *rows)
{
    struct comm_table comm;
    double most = -1;
    int found = 0;
    for (int i = 0; i < e->stages; i++) {
        double sum = 0;
        estimate_comm_table(e, i, &comm);
        for (int k = 0; k < comm.count; k++)
            if (is_among(rows, &comm, comm.present[k]))
                sum += row_seconds(&comm.row[comm.present[k]], rows->is_exposed);
        found = sum > most ? i : found;
        most = fmax(most, sum);
    }
    return found;
}

static void add_rows(const struct estimate *e, const struct rows *rows, struct explanation *out)
{
    struct comm_table comm;
    int first = 0, stage = rows->stage < 0 ? fullest_stage(e, rows) : rows->stage;
    for (int i = 0; i < stage; i++, first += comm.count)
        estimate_comm_table(e, i, &comm);
    estimate_comm_table(e, stage, &comm);
    for (int k = 0; k < comm.count; k++) {
        enum comm_id id = comm.present[k];
        struct explain_input input = {
            .label = comm_rows[id].what, .unit = "s", .value = row_seconds(&comm.row[id], rows->is_exposed)};
        if (!is_among(rows, &comm, id) || input.value == 0)
            continue;
        snprintf(input.name, sizeof input.name, "%s %s", comm_dim_names[comm_rows[id].dim],
                 comm_op_names[comm_rows[id].op]);
        snprintf(input.path, sizeof input.path, "communication.%d.%s", first + k,
                 rows->is_exposed ? "exposed_s" : "time_s");
        formula_input(out, &input);
    }
}

/* What the words say, and the path of the figure: memory.stages.N, time.stages.N, or a row of communication.N. */
static struct rows rows_of(const struct estimate *e, const char *words, const char *path)
{
    static const char row[] = "communication.";
    static const char *const stages[] = {"memory.stages.", "time.stages."};
    struct rows rows = {
        .words = words, .is_exposed = strstr(words, "exposed_s") != NULL, .stage = -1, .beside = COMM_COUNT};
    if (strncmp(path, row, sizeof row - 1) == 0)
        explain_comm_row(e, atoi(path + sizeof row - 1), &rows.stage, &rows.beside);
    for (size_t i = 0; i < LENGTH(stages); i++)
        if (strncmp(path, stages[i], strlen(stages[i])) == 0)
            rows.stage = atoi(path + strlen(stages[i]));
    return rows;
}

void words_inputs(const struct estimate *e, const char *words, struct explanation *out)
{
    add_named(e, words, out);
    if (!e->is_computed || e->stages == 0)
        return;
    struct rows rows = rows_of(e, words, out->path);
    if (strstr(words, " rows of "))
        add_rows(e, &rows, out);
    else if (strncmp(words, "the mean of ", strlen("the mean of ")) == 0)
        add_means(e, words + strlen("the mean of "), out);
    else if (strstr(words, "over the stages"))
        add_over_stages(e, words, out);
    else if (strstr(words, "of the slowest stage"))
        add_of_slowest(e, words, out);
    for (int i = 0; strstr(words, "simulated event by event") && i < e->stages; i++)
        add_term(e, "micro_s", i, out);
}
