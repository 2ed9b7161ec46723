/* The loop: wait for the terminal, read keys, act, draw once when nothing more is waiting. */
#include "ui/ui.h"

#include "ui/command/action.h"
#include "ui/state/advisor.h"
#include "ui/state/result.h"
#include "ui/term/frame_pacer.h"
#include "ui/term/paint_order.h"
#include "ui/overlay/overlay.h"
#include "ui/pane/pane.h"
#include "ui/term/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * ESCAPE: a lone Esc is told from a sequence; ANSWER: or from the terminal's answer, in pieces, where one is due;
 * STRING: the rest of such an answer; HURRY: keys that follow faster get a light frame; QUIET: slow lines; DRAIN: an
 * answer is awaited before leaving.
 */
enum {
    ESCAPE_MS = 25, ANSWER_MS = 300, STRING_MS = 3000, HURRY_MS = 110, QUIET_MS = 50, DRAIN_MS = 100, GONE_STATUS = 129
};

/* What the loop keeps beside the state. */
struct loop {
    struct ui *ui;
    struct canvas canvas;
    struct input input;
    struct gate gate;
    double last_key_ms;
    double asked_ms; /* when the terminal was asked for its background; 0: it has said its status after that */
    unsigned sync_count;
    int escape_ms;
    bool is_dirty;
    bool is_slow_said; /* that the line is */
    bool is_tested, is_timed; /* the sync key is answered: when all has settled, or with the frame that keys led to */
    bool is_steady;           /* what a test looks at does not depend on how fast its terminal is read */
    bool is_light; /* nothing happened since a light frame was drawn */
    bool is_staged; /* the light frame is followed by the rest as soon as no key waits */
    bool is_owed;   /* its first bytes were sent, and the rest is due when they have arrived */
    bool is_pasting; /* the last key was pasted */
    enum verdict verdict; /* of the last frame: another one is shown with all that it says */
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- drawing ---------------------------------------------------------------------------------------------------- */

/*
 * Sends about so many bytes of the screen as it is now; what is left waits for the answer to them, or of the frame that
 * answers a key at once for the next.
 */
static void draw_part(struct loop *loop, int bytes, bool by_looks)
{
    ui_update(loop->ui);
    ui_draw(loop->ui, &loop->canvas);
    struct rect first[ORDER_MAX] = {0};
    if (bytes < GATE_ALL)
        order_parts(loop->ui, &loop->canvas, first);
    struct term_sent sent = term_show(&loop->canvas, first, bytes, by_looks);
    if (sent.bytes > 0)
        gate_sent(&loop->gate, sent.bytes, gate_asks(&loop->gate) && term_ask(), now_ms());
    loop->is_light = loop->ui->is_hurried && sent.is_whole;
    loop->is_dirty = loop->ui->is_hurried || !sent.is_whole;
}

static void draw(struct loop *loop)
{
    int room = gate_room(&loop->gate, now_ms());
    enum verdict verdict = result_verdict_text(loop->ui->shown).verdict;
    bool is_large = layout_shape(loop->canvas.width, loop->canvas.height).views >= VIEWS_BROAD;
    int hot = term_hot_bytes(is_large, verdict != loop->verdict);
    loop->verdict = verdict;
    bool is_hot = loop->ui->is_hurried && loop->is_staged && room > hot;
    draw_part(loop, is_hot ? hot : room, is_hot || room == GATE_ALL);
    loop->is_owed = is_hot && loop->is_dirty;
    loop->ui->is_hurried &= !is_hot; /* the rest comes in one frame */
}

static void check_size(struct loop *loop)
{
    int width, height;
    term_size(&width, &height);
    if (width == loop->canvas.width && height == loop->canvas.height)
        return;
    canvas_resize(&loop->canvas, width, height);
    ui_resize(loop->ui, loop->canvas.width, loop->canvas.height);
    term_forget();
    gate_begin(&loop->gate);
    loop->ui->is_hurried = false;
    loop->is_dirty = true;
}

static void answer_sync(struct loop *loop)
{
    char mark[32];
    check_size(loop);
    loop->ui->is_hurried = false;
    ui_update(loop->ui);
    if (loop->is_timed)
        advisor_settle(loop->ui);
    else
        advisor_finish(loop->ui); /* a screen that is looked at has settled */
    draw_part(loop, GATE_ALL, true);
    int n = snprintf(mark, sizeof mark, "\033]5151;%u\033\\", loop->sync_count++);
    term_write(mark, (size_t)n);
}

/* ---- requests that keys leave behind ---------------------------------------------------------------------------- */

/* Whether the terminal may be about to answer something. */
static bool expects(const struct loop *loop, double now)
{
    return gate_expects(&loop->gate, now) || (loop->asked_ms > 0 && now - loop->asked_ms < GATE_FORGOTTEN_MS);
}

/* Takes a status, which answers the question for the background where that was asked first; false for a key. */
static bool take_answer(struct loop *loop, int key)
{
    double now = now_ms();
    bool is_asked = loop->asked_ms > 0 && now - loop->asked_ms < GATE_FORGOTTEN_MS;
    if (key != KEY_STATUS)
        return false;
    loop->asked_ms = 0;
    if (!is_asked)
        gate_answered(&loop->gate, now);
    return true;
}

/* An answer that is due must not reach the shell. */
static void drain(struct loop *loop)
{
    struct event event;
    double until = now_ms() + DRAIN_MS;
    for (double now; (now = now_ms()) < until && expects(loop, now);) {
        unsigned char byte;
        if (term_wait((int)(until - now) + 1) != TERM_INPUT || term_read(&byte, 1) == 0)
            return;
        for (bool is_key = input_byte(&loop->input, byte, &event); is_key; is_key = input_next(&loop->input, &event))
            take_answer(loop, event.key);
    }
}

/* Asks for the terminal's background where the theme depends on it. */
static void follow_ground(struct loop *loop)
{
    if (term_follow_ground(theme_follows(ui_theme_choice(loop->ui))))
        loop->asked_ms = now_ms();
}

static void suspend(struct loop *loop)
{
    ui_autosave(loop->ui);
    drain(loop);
    term_suspend();
    follow_ground(loop);
    check_size(loop);
    loop->is_dirty = true;
    loop->is_light = false;
}

static void serve_requests(struct loop *loop)
{
    struct ui *ui = loop->ui;
    unsigned request = ui->request;
    ui->request = 0;
    if (request & REQUEST_THEME) {
        term_theme(&ui->theme);
        follow_ground(loop);
    }
    if (request & REQUEST_GROUND) {
        term_follow_ground(false);
        follow_ground(loop);
    }
    if (request & REQUEST_MOUSE)
        term_mouse(ui->has_mouse);
    if (request & REQUEST_COPY)
        term_copy(ui->copy, strlen(ui->copy));
    if (request & REQUEST_REDRAW) {
        check_size(loop);
        term_forget();
    }
    if (request & REQUEST_SUSPEND)
        suspend(loop);
    if ((request & REQUEST_SYNC) && loop->is_tested)
        answer_sync(loop);
}

/* ---- input ------------------------------------------------------------------------------------------------------ */

static void apply(struct loop *loop, const struct event *event)
{
    if (loop->is_dirty && !(event->is_pasted && loop->is_pasting))
        ui_update(loop->ui); /* geometry and hints that the key may depend on; of a paste, its first key */
    loop->is_pasting = event->is_pasted;
    loop->is_dirty = true;
    loop->is_light = false;
    gate_begin(&loop->gate);
    loop->ui->clock_ms = now_ms();
    ui_event(loop->ui, event);
    serve_requests(loop);
}

/* Nobody types a number of three characters at once: it was pasted, into a terminal that does not say so. */
static bool is_number(const unsigned char *bytes, int count)
{
    int i = 0;
    while (i < count && bytes[i] && strchr("0123456789.,_%kMGTBe", bytes[i]))
        i++;
    bool is_all = i == count || (i == count - 1 && (bytes[i] == '\r' || bytes[i] == '\n'));
    return i >= 3 && bytes[0] >= '0' && bytes[0] <= '9' && is_all;
}

/* Takes one byte, of a text or of keys; returns true when it completed a key or two. */
static bool take_byte(struct loop *loop, unsigned char byte, bool is_text)
{
    struct event event;
    bool has_key = false;
    for (bool is_key = input_byte(&loop->input, byte, &event); is_key; is_key = input_next(&loop->input, &event)) {
        event.is_pasted |= is_text;
        if (take_answer(loop, event.key))
            continue;
        apply(loop, &event);
        has_key |= event.key < KEY_STATUS || event.key > KEY_REPORT; /* answers of the terminal are not keys */
    }
    return has_key;
}

/*
 * What a slow line changes, said once. A fast one gets gaps between bars as soon as it is known; where it
 * turns out slow, they stay until something else is shown in their place.
 */
static void watch_line(struct loop *loop)
{
    bool could_gap = loop->ui->can_gap;
    loop->ui->is_line_slow = gate_is_slow(&loop->gate);
    loop->ui->can_gap = gate_is_fast(&loop->gate) && term_has_palette();
    loop->is_dirty |= loop->ui->can_gap && !could_gap;
    if (!gate_knows_slow(&loop->gate) || loop->is_slow_said || loop->ui->message[0] || loop->ui->mode != MODE_BROWSE)
        return;
    loop->is_slow_said = loop->is_dirty = true;
    ui_say(loop->ui, ROLE_MUTED, "slow line: less is drawn while keys arrive");
}

/* Reads everything that is there; returns false when the line dropped. */
static bool read_input(struct loop *loop)
{
    unsigned char bytes[4096];
    int n = term_read(bytes, sizeof bytes);
    double now = now_ms();
    bool has_key = false,
         is_text = loop->ui->mode == MODE_BROWSE && !input_is_open(&loop->input) && is_number(bytes, n);
    for (int i = 0; i < n && !loop->ui->is_done; i++)
        has_key |= take_byte(loop, bytes[i], is_text);
    if (!loop->is_steady)
        watch_line(loop);
    if (has_key) {
        bool is_fast = now - loop->last_key_ms < HURRY_MS || loop->ui->is_line_slow;
        loop->is_staged = !is_fast && !loop->is_steady;
        bool can_wait = loop->ui->mode == MODE_BROWSE || loop->ui->mode == MODE_GOAL;
        loop->ui->is_hurried = (is_fast || loop->is_staged) && can_wait && loop->is_dirty;
        loop->last_key_ms = now;
    }
    return n > 0;
}

static void flush_input(struct loop *loop)
{
    struct event event;
    if (input_flush(&loop->input, &event))
        apply(loop, &event);
}

/* How long to wait: an unfinished sequence, the last frame to arrive, a light one to be completed, or for ever. */
static int patience(const struct loop *loop)
{
    double now = now_ms();
    int gate = gate_wait(&loop->gate, now);
    if (input_is_open(&loop->input)) {
        bool is_begun = input_is_sequence(&loop->input) || expects(loop, now);
        int least = input_is_string(&loop->input) ? STRING_MS : is_begun ? ANSWER_MS : 0;
        return loop->escape_ms < least ? least : loop->escape_ms;
    }
    if (loop->is_dirty && gate > 0)
        return gate;
    if (loop->is_owed || (loop->ui->is_hurried && loop->is_staged))
        return 0;
    if (loop->ui->is_hurried)
        return now - loop->last_key_ms < HURRY_MS ? (int)(HURRY_MS + loop->last_key_ms - now) + 1 : 0;
    return loop->is_dirty && loop->ui->options.slow ? QUIET_MS : -1;
}

/* One turn; returns false when the program must end at once. */
static bool turn(struct loop *loop)
{
    int wait = patience(loop);
    bool is_free = wait < 0 && advisor_is_busy(loop->ui); /* nothing to wait for but keys */
    unsigned wake = term_wait(is_free ? 0 : wait);
    if ((wake & (TERM_GONE | TERM_SIGNAL)) || term_signal()) /* that may have come while an answer was awaited */
        return false;
    if (is_free && wake == TERM_QUIET) {
        loop->is_dirty |= advisor_step(loop->ui);
        if (loop->is_dirty && gate_wait(&loop->gate, now_ms()) <= 0)
            draw(loop);
        return true;
    }
    if (wake & TERM_QUIET) {
        flush_input(loop);
        loop->ui->is_hurried &= !loop->is_staged && now_ms() - loop->last_key_ms < HURRY_MS;
        loop->is_dirty = true;
    }
    if (wake & TERM_STOP)
        suspend(loop);
    if (wake & TERM_CONTINUED) {
        term_resume();
        follow_ground(loop);
        loop->is_dirty = true;
        loop->is_light = false;
    }
    if (wake & TERM_RESIZED)
        check_size(loop);
    if ((wake & TERM_INPUT) && !read_input(loop))
        return false;
    bool waits = input_is_open(&loop->input) || (loop->ui->options.slow && !(wake & TERM_QUIET)) || term_has_input() ||
                 gate_wait(&loop->gate, now_ms()) > 0 || (loop->is_light && loop->ui->is_hurried);
    if (waits || loop->ui->is_done)
        return true;
    if (loop->is_dirty)
        draw(loop);
    if (ui_autosave(loop->ui))
        draw(loop);
    return true;
}

static void run_loop(struct loop *loop)
{
    draw(loop);
    while (!loop->ui->is_done)
        if (!turn(loop)) {
            int number = term_signal();
            loop->ui->status = number ? 128 + number : GONE_STATUS;
            loop->ui->is_autosave_due = true;
            break;
        }
    if (loop->ui->is_done && loop->ui->status == 0 && !loop->ui->goes_plain && loop->ui->host->forget)
        loop->ui->host->forget(loop->ui->host->context);
    else
        ui_autosave(loop->ui);
}

/* ---- start and end ---------------------------------------------------------------------------------------------- */

static bool start(struct loop *loop, const struct ui_host *host, const struct ui_options *options, const char *notice)
{
    struct ui_options own = *options;
    int width, height;
    term_size(&width, &height);
    own.slow |= term_is_slow();
    own.no_color |= !term_has_colors();
    loop->ui = ui_create(host, &own, width, height);
    if (!loop->ui || canvas_resize(&loop->canvas, width, height) != 0)
        return false;
    loop->ui->clock_ms = now_ms();
    if (notice[0] && !own.notice)
        ui_say(loop->ui, ROLE_WARN, "%s", notice);
    else if (own.is_new && !own.notice)
        ui_say(loop->ui, ROLE_TEXT, "New here? + and - step tp, e explains it, / finds anything, C teaches, ? helps.");
    const char *test = getenv("SHARDTOP_TEST_SYNC"), *escape = getenv("ESCDELAY");
    loop->is_tested = test && *test;
    loop->is_timed = test && strcmp(test, "frame") == 0;
    loop->is_steady = loop->is_tested && !loop->is_timed;
    loop->escape_ms = escape && atoi(escape) > 0 ? atoi(escape) : ESCAPE_MS;
    if (options->lesson)
        lesson_begin(loop->ui, options->lesson, options->step);
    else if (!options->saved)
        question_offer(loop->ui);
    messages_offer(loop->ui);
    if (options->is_empty && !options->lesson && loop->ui->mode == MODE_BROWSE)
        start_open(loop->ui);
    term_theme(&loop->ui->theme);
    follow_ground(loop);
    if (loop->ui->has_mouse)
        term_mouse(true);
    return true;
}

int ui_run(const struct ui_host *host, const struct ui_options *options)
{
    char message[UI_MESSAGE_MAX];
    const char *no_color = getenv("NO_COLOR");
    struct term_options wanted = {
        .name = options->term, .describe = options->describe, .slow = options->slow,
        .always_color = options->always_color, .no_color = options->no_color || (no_color && *no_color),
    };
    struct loop loop = {0};
    int status = 3;
    if (term_open(&wanted, message, sizeof message) != 0) {
        fprintf(stderr, "shardtop: %s\n", message);
        return 2;
    }
    if (start(&loop, host, options, message)) {
        run_loop(&loop);
        drain(&loop);
        status = loop.ui->status;
    }
    term_close();
    canvas_free(&loop.canvas);
    if (loop.ui && loop.ui->goes_plain)
        status = options->plain(loop.ui);
    ui_free(loop.ui);
    return status;
}
