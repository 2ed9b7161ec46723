/* src/runs/stats.c - in place, without allocation: the caller brings the room. */
#include "src/runs/stats.h"

#include <math.h>

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

void stats_sort(double value[], int count)
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

/* Median of ascending numbers; the mean of the middle two when there is an even number of them. */
static double median_of(const double value[], int count)
{
    return count % 2 ? value[count / 2] : (value[count / 2 - 1] + value[count / 2]) / 2;
}

void stats_errors(const double error[], int count, double scratch[], struct error_stats *out)
{
    int n = 0;
    double sum = 0, sum_abs = 0;
    *out = (struct error_stats){count, 0, NAN, NAN, NAN, NAN, NAN, -1};
    for (int i = 0; i < count; i++) {
        if (isnan(error[i]))
            continue;
        sum += error[i];
        sum_abs += fabs(error[i]);
        scratch[n++] = fabs(error[i]);
        if (out->worst_at < 0 || fabs(error[i]) > fabs(out->worst)) {
            out->worst = error[i];
            out->worst_at = i;
        }
    }
    out->missed = count - n;
    if (n == 0)
        return;
    stats_sort(scratch, n);
    out->mean = sum / n;
    out->mean_abs = sum_abs / n;
    out->median_abs = median_of(scratch, n);
    out->p90 = scratch[9 * (n - 1) / 10];
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
