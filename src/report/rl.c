/* src/report/rl.c - reinforcement learning: phases of an iteration, their memory and time. */
#include "core/estimate/estimate.h"
#include "src/report/format.h"
#include "src/report/text.h"
#include "src/text/text.h"

#include <math.h>

void report_rl_fit(const struct estimate *e, struct buffer *out)
{
    buffer_printf(out, "the largest phase, %s, needs %s of %s on the fullest GPU, give or take %s",
                  rl_phase(&e->rl, rl_largest(&e->rl)).name, cell_bytes(e->rl.peak_bytes).text,
                  cell_bytes(e->rl.total_bytes).text, cell_bytes(e->rl.band_bytes).text);
    bool holds_weights = e->rl.largest_share * e->rl.total_bytes > e->rl.served_weights_bytes; /* else no share does */
    if (e->rl.is_colocated > 0 && e->rl.largest_share < 1 && holds_weights)
        buffer_printf(out, "; gpu_memory_utilization at most %.2f", floor(e->rl.largest_share * 100) / 100);
}

void report_rl(struct page *page, const struct estimate *e)
{
    buffer_printf(page->out, "one iteration of reinforcement learning takes about %s:\n",
                  cell_seconds(e->rl.iteration_s).text);
    for (int i = 0; i < RL_PHASE_COUNT; i++) {
        struct rl_row row = rl_phase(&e->rl, (enum rl_phase)i);
        page_pad(page, "", 2);
        page_pad(page, row.name, 20);
        buffer_printf(page->out, "%12s  %s\n", cell_bytes(row.bytes).text,
                      isnan(row.seconds) ? "" : cell_seconds(row.seconds).text);
    }
}
