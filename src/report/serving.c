/* src/report/serving.c - what serving a model needs, how fast it answers and what that costs. */
#include "core/base.h"
#include "core/estimate/load.h"
#include "core/plan/param.h"
#include "core/show/components.h"
#include "src/report/quantity.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void print_component(struct page *page, const struct estimate *e, const struct component *row)
{
    char why[200];
    double bytes = e->is_computed ? serving_figure(row, &e->serving) : NAN;
    const char *needs = row->kind == COMPONENT_ROOM ? "hardware.usable_gib" : NULL;
    page_pad(page, row->label, QUANTITY_COLUMNS);
    if (isnan(bytes) && e->is_computed && !isnan(serving_component(row, &e->serving)))
        buffer_printf(page->out, "%16s: no serve.engine given\n", "n/a");
    else if (isnan(bytes))
        buffer_printf(page->out, "%16s: %s\n", "n/a", report_why_unknown(e, needs, why, sizeof why));
    else
        buffer_printf(page->out, "%16s\n", cell_bytes(bytes).text);
}

const char *report_serving_why(const struct estimate *e, char out[SERVING_TEXT])
{
    const struct serving *s = &e->serving;
    out[0] = '\0';
    switch (serving_why(s)) {
    case SERVING_NO_SHARE:
        snprintf(out, SERVING_TEXT, "serve.memory_share %g asks for %s, more than is free; use at most %g", s->share,
                 cell_bytes(s->room_bytes).text, floor((1 - s->context_gib * GIB / s->total_bytes) * 100) / 100);
        break;
    case SERVING_NO_MEMORY:
        snprintf(out, SERVING_TEXT, "%s of cache are asked for and %s are left; lower serve.kv_cache_memory_bytes or "
                 "serve.num_gpu_blocks",
                 cell_bytes(s->cache_bytes).text,
                 cell_bytes(fmax(0, s->total_bytes - s->context_gib * GIB - s->taken_bytes)).text);
        break;
    case SERVING_NO_CACHE:
        snprintf(out, SERVING_TEXT,
                 "weights, profiling run and buffers leave nothing of %s for the cache; use more GPUs, a smaller type, "
                 "or a lower serve.max_num_seqs",
                 cell_bytes(s->room_bytes).text);
        break;
    case SERVING_TOO_LONG:
        snprintf(out, SERVING_TEXT,
                 "%s of cache hold %s tokens, less than a request of %s; set serve.max_model_len to at most %.0f",
                 cell_bytes(s->cache_bytes).text, cell_count(s->kv_tokens).text, cell_count(s->longest).text,
                 s->longest_that_starts);
        break;
    case SERVING_NO_GRAPHS:
        snprintf(out, SERVING_TEXT,
                 "CUDA graphs need %s and serve.memory_share leaves %s; lower it, or set serve.enforce_eager",
                 cell_bytes(s->graphs_bytes).text, cell_bytes(s->left_out_bytes).text);
        break;
    case SERVING_UNKNOWN:
        snprintf(out, SERVING_TEXT, "%s",
                 s->has_engine > 0 ? "too close to tell: within the error of the estimate"
                                         : "no serve.engine given; use vllm, sglang or trtllm");
        break;
    default: break;
    }
    return out;
}

/* "vllm 0.19 starts: 33.4 GiB of cache hold 218,608 tokens, 6.67 requests of 32,768". */
static void print_start(struct page *page, const struct estimate *e)
{
    const struct serving *s = &e->serving;
    char name[PARAM_TEXT_MAX], version[PARAM_TEXT_MAX], why[SERVING_TEXT];
    if (!(s->has_engine > 0) || isnan(s->max_concurrency))
        return;
    param_print(&e->plan, PARAM_serve_engine, name, sizeof name);
    param_print(&e->plan, PARAM_serve_engine_version, version, sizeof version);
    report_serving_why(e, why);
    if (*why)
        page_prose(page, 0, "%s %s %s: %s.", name, version,
                   serving_why(s) == SERVING_UNKNOWN ? "may not start" : "does not start", why);
    else
        page_prose(page, 0, "%s %s starts: %s of cache hold %s tokens, %s requests of %s.", name, version,
                   cell_bytes(s->cache_bytes).text, cell_count(s->kv_tokens).text,
                   cell_fixed(s->max_concurrency, 2).text, cell_count(s->longest).text);
}

/* What drafts are worth, from as often accepted as in measured runs down to never. */
static void print_drafts(struct page *page, const struct serving *s)
{
    if (s->has_engine > 0 && s->drafted > 0)
        page_prose(page, 0, "Drafting %s a step yields %s tokens of a sequence: %s a token, %s if none were accepted.",
                   cell_counted(s->drafted, "token").text, cell_fixed(s->accepted, 2).text,
                   cell_seconds(s->batch_token_s).text, cell_seconds(s->undrafted_token_s).text);
}

static void print_load(struct page *page, const char *what, double gpus, const struct load *load)
{
    page_prose(page, 0, "%s: %s under way on a replica, %s a GPU, first token %s (99 %% within %s to %s), each further "
               "%s, %s tokens/s.",
               what, cell_counted(load->batch, "request").text, cell_fixed(load->batch / gpus, 1).text,
               cell_seconds(load->first_s).text,
               cell_seconds(load->first_low_s).text, cell_seconds(load->first_high_s).text,
               cell_seconds(load->per_token_s).text, cell_count(load->tokens_per_s).text);
}

/* What limits of latency allow, and what a rate of requests means. */
static void print_loads(struct page *page, const struct estimate *e)
{
    const struct plan *plan = &e->plan;
    struct load load;
    if (!(e->serving.has_engine > 0))
        return;
    if (KEY_OF(plan, serve, max_first_token_ms) > 0 || KEY_OF(plan, serve, max_per_token_ms) > 0) {
        load_within_limits(e, &load);
        if (load.batch >= 1)
            print_load(page, "Within the limits", e->symbols.t * e->symbols.p, &load);
        else
            page_prose(page, 0, "Not even one request is within the limits.");
    }
    load_at_rate(e, &load);
    if (isfinite(load.batch))
        print_load(page, "At this rate of requests", e->symbols.t * e->symbols.p, &load);
    else if (KEY_OF(plan, serve, request_rate) > 0)
        page_prose(page, 0, "The server cannot keep up with this rate of requests.");
}

/* Where four of five measured runs lie. */
static void print_ranges(struct page *page, const struct serving *s)
{
    if (!(s->has_engine > 0) || !isfinite(s->tokens_per_s))
        return;
    page_prose(page, 0, "Four of five runs lie within %s to %s of the first token, %s to %s of each further one, %s "
               "to %s tokens/s, and a cache of %s to %s tokens%s.",
               cell_seconds(s->first_least_s).text, cell_seconds(s->first_most_s).text,
               cell_seconds(s->per_token_least_s).text, cell_seconds(s->per_token_most_s).text,
               cell_count(s->tokens_least_per_s).text, cell_count(s->tokens_most_per_s).text,
               cell_count(s->kv_tokens_least).text, cell_count(s->kv_tokens_most).text,
               s->slower == 1 || s->other_bytes == 0 ? "; shardtop calibrate narrows this with logs of your own" : "");
}

void report_serving(struct page *page, const struct estimates *all)
{
    const struct estimate *e = all->item[0];
    page_heading(page, "Serving");
    if (!e->is_serving) {
        page_prose(page, 0, "n/a: this plan trains; set workload inference");
        return;
    }
    page_prose(page, 0, "%s of %s tokens, %s tokens generated for each, on %s of %s.",
               cell_counted(e->serving.batch, "prompt").text, cell_count(e->serving.prompt).text,
               cell_count(e->serving.generate).text, cell_counted(e->symbols.d, "replica").text,
               cell_counted(e->symbols.t * e->symbols.p, "GPU").text);
    print_start(page, e);
    print_drafts(page, &e->serving);
    print_loads(page, e);
    for (int i = 0; i < serving_components.count; i++)
        print_component(page, e, &serving_components.row[i]);
    print_quantities(page, e, &serving_quantities);
    report_spent(page, e);
    print_ranges(page, &e->serving);
}
