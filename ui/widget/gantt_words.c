#include "ui/widget/gantt_words.h"

#include "core/estimate/stage_time.h"
#include "core/show/figure.h"

#include <stdarg.h>
#include <stdio.h>

struct words {
    const struct gantt *gantt;
    const struct estimate *estimate;
    char *out;
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct words *words, const char *format, ...)
{
    va_list arguments;
    size_t room = GANTT_WORDS_MAX - words->used;
    va_start(arguments, format);
    int length = vsnprintf(words->out + words->used, room, format, arguments);
    va_end(arguments);
    words->used += (size_t)length < room ? (size_t)length : room - 1;
}

/* "backward 3", "forward 3 of chunk 1" */
static void add_pass(struct words *words, const struct sim_event *event)
{
    add(words, "%s %d", gantt_pass_words[event->pass], gantt_micro_batch(words->gantt, event));
    if (words->estimate->schedule.chunks > 1)
        add(words, " of chunk %d", event->chunk);
}

/* "waits 490 ms for backward 0 on stage 1, " */
static void add_wait(struct words *words, int stage, int i)
{
    int other, needs = gantt_needs(words->gantt, words->estimate, stage, i, &other);
    double wait_s = gantt_wait_s(words->gantt, stage, i);
    if (wait_s == 0)
        return;
    add(words, "waits %s", figure(FIGURE_SECONDS, wait_s).text);
    if (needs != GANTT_NONE) {
        add(words, " for ");
        add_pass(words, gantt_event(words->gantt, other, needs));
        add(words, " on stage %d", other);
    }
    add(words, ", ");
}

static int number_of(const struct gantt *g, int stage, int i)
{
    int all;
    return gantt_number(g, stage, i, &all);
}

/* The first event of the stage with this number or a higher one. */
static int event_from(const struct gantt *g, int stage, int number)
{
    int i = 0;
    while (i < gantt_count(g, stage) && number_of(g, stage, i) < number)
        i++;
    return i;
}

/* "stage 0: pass 1 of 512 starts at 0 s: ", or why there is none. */
static void add_start(struct words *words, int stage, int first, int begin, int end)
{
    int all = 0;
    const struct gantt *g = words->gantt;
    if (gantt_count(g, stage) > 0)
        gantt_number(g, stage, 0, &all);
    if (begin < end)
        add(words, "stage %d: pass %d of %d starts at %s: ", stage, number_of(g, stage, begin), all,
            figure(FIGURE_SECONDS, gantt_real_s(g, gantt_event(g, stage, begin)->start_s)).text);
    else
        add(words, first > all ? "stage %d has %d passes; " : "stage %d: these of %d passes are left out; ", stage,
            all);
}

void gantt_words(const struct gantt *g, const struct estimate *e, int stage, int first, int last,
                 char out[GANTT_WORDS_MAX])
{
    struct words words = {g, e, out, 0};
    struct stage_time time;
    int begin = event_from(g, stage, first), end = event_from(g, stage, last + 1);
    out[0] = '\0';
    add_start(&words, stage, first, begin, end);
    for (int i = begin; i < end; i++) {
        int left_out = i > begin ? number_of(g, stage, i) - number_of(g, stage, i - 1) - 1 : 0;
        if (left_out > 0)
            add(&words, "%d left out, ", left_out);
        else if (i > begin)
            add_wait(&words, stage, i);
        add_pass(&words, gantt_event(g, stage, i));
        add(&words, "%s", i + 1 < end ? ", " : "; ");
    }
    stage_time_of(e, stage, &time);
    add(&words, "waits %s in the iteration", figure(FIGURE_SECONDS, time.bubble_s).text);
}
