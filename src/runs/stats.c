#include "src/runs/stats.h"

#include "src/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lets the number at `root` of a heap of `count` sink to its place. */
static void sink(double value[], int root, int count)
{
    double moved = value[root];
    for (;;) {
        int child = 2 * root + 1;
        if (child >= count)
            break;
        child += child + 1 < count && value[child + 1] > value[child];
        if (value[child] <= moved)
            break;
        value[root] = value[child];
        root = child;
    }
    value[root] = moved;
}

/* Ascending, in place. */
static void sort(double value[], int count)
{
    for (int i = count / 2 - 1; i >= 0; i--)
        sink(value, i, count);
    for (int last = count - 1; last > 0; last--) {
        double largest = value[0];
        value[0] = value[last];
        value[last] = largest;
        sink(value, 0, last);
    }
}

/* Halves what is kept: every second one stays, and of those to come as many. */
static void thin_out(struct error_tally *tally)
{
    for (int i = 0; i < tally->count / 2; i++)
        tally->kept[i] = tally->kept[2 * i];
    tally->count /= 2;
    tally->step *= 2;
}

static void keep(struct error_tally *tally, double size)
{
    int before = tally->rows - tally->missed - 1;
    tally->step = tally->step ? tally->step : 1;
    if (tally->count == STATS_KEPT_MAX)
        thin_out(tally);
    if (before % tally->step != 0)
        return;
    if (tally->count == tally->capacity) {
        tally->capacity = tally->capacity ? 2 * tally->capacity : 16;
        tally->kept = xrealloc(tally->kept, (size_t)tally->capacity * sizeof *tally->kept);
    }
    tally->kept[tally->count++] = size;
}

bool stats_add(struct error_tally *tally, double error)
{
    double size = fabs(error);
    tally->rows++;
    if (isnan(error)) {
        tally->missed++;
        return false;
    }
    bool is_worst = tally->rows - tally->missed == 1 || size > fabs(tally->worst);
    tally->worst = is_worst ? error : tally->worst;
    tally->sum += error;
    tally->sum_abs += size;
    keep(tally, size);
    return is_worst;
}

void stats_sum(const struct error_tally *tally, struct error_stats *out)
{
    int known = tally->rows - tally->missed, n = tally->count;
    *out = (struct error_stats){tally->rows, tally->missed, NAN, NAN, NAN, NAN, NAN};
    if (known == 0)
        return;
    double *sorted = xmalloc((size_t)n * sizeof *sorted);
    memcpy(sorted, tally->kept, (size_t)n * sizeof *sorted);
    sort(sorted, n);
    out->mean = tally->sum / known;
    out->mean_abs = tally->sum_abs / known;
    out->median_abs = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    out->p90 = sorted[9 * (n - 1) / 10];
    out->worst = tally->worst;
    free(sorted);
}

void stats_free(struct error_tally *tally)
{
    free(tally->kept);
    *tally = (struct error_tally){0};
}

static int sign_of(double value)
{
    return (value > 0) - (value < 0);
}

void stats_order(const double measured[], const double estimated[], int count, double gap, struct order_stats *out)
{
    *out = (struct order_stats){0, 0, 0, NAN, NAN, -1, -1};
    for (int i = 0; i < count; i++) {
        if (isnan(measured[i]) || isnan(estimated[i]))
            continue;
        out->rows++;
        if (out->best < 0 || measured[i] < measured[out->best])
            out->best = i;
        if (out->chosen < 0 || estimated[i] < estimated[out->chosen])
            out->chosen = i;
        for (int j = 0; j < i; j++) {
            double larger = fmax(measured[i], measured[j]), smaller = fmin(measured[i], measured[j]);
            if (isnan(measured[j]) || isnan(estimated[j]) || larger <= smaller * (1 + gap))
                continue;
            out->pairs++;
            out->agreement += sign_of(measured[i] - measured[j]) * sign_of(estimated[i] - estimated[j]);
        }
    }
    if (out->pairs > 0)
        out->tau = out->agreement / out->pairs;
    if (out->rows > 0)
        out->regret = measured[out->chosen] / measured[out->best] - 1;
}
