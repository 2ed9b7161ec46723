/* ui/gate.h - when the next frame may be sent: after each one the terminal is asked for its status, and its answer says
 * that the frame has arrived, however slow the line is; pure. */
#ifndef SHARDTOP_UI_GATE_H
#define SHARDTOP_UI_GATE_H

#include <stdbool.h>

enum {
    GATE_UNKNOWN_MS = 200,   /* patience with a terminal that has not answered yet */
    GATE_KNOWN_MS = 3000,    /* with one that has */
    GATE_QUESTIONS_MAX = 3,  /* unanswered ones, after which no more are asked */
    GATE_SLOW_MS = 150,
    GATE_FORGOTTEN_MS = 10000, /* an answer that is later than this does not come any more */
};

/** What is known of the terminal; zero-initialise. Times are milliseconds of a steady clock. */
struct gate {
    int unanswered; /* questions without an answer */
    int missed;     /* of them, those that were waited for in vain since the last answer */
    bool answers;   /* it has answered */
    double asked_ms; /* when it was asked last */
    bool is_slow;    /* the last answer took longer than GATE_SLOW_MS */
};

/** True while it makes sense to ask after a frame. */
bool gate_asks(const struct gate *gate);

/** A question went out with a frame. */
void gate_asked(struct gate *gate, double now_ms);

/** An answer came in, late or not. */
void gate_answered(struct gate *gate, double now_ms);

/** Milliseconds until the next frame may be sent though no answer comes; 0: now. */
int gate_wait(const struct gate *gate, double now_ms);

/** True while an answer may still come in. */
bool gate_expects(const struct gate *gate, double now_ms);

#endif
