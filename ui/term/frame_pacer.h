/*
 * ui/term/frame_pacer.h - when the next frame may be sent, and how much of it: after each one the terminal is asked
 * for its status, and its answer says that the frame has arrived, however slow the line is; pure.
 */
#pragma once

#include <stdbool.h>

enum {
    GATE_UNKNOWN_MS = 200,   /* patience with a terminal that has not answered yet */
    GATE_KNOWN_MS = 3000,    /* with one that has */
    GATE_OWED_BYTES = 480,   /* that a line may still have to take when a key is answered, where none answers */
    GATE_MUTE_LEAST = 120,   /* bytes of a frame there */
    GATE_QUESTIONS_MAX = 3,  /* unanswered ones, after which no more are asked */
    GATE_SLOW_MS = 150,
    GATE_FORGOTTEN_MS = 10000, /* an answer that is later than this does not come any more */
    GATE_PIECE_MS = 250,       /* what a piece of a frame takes on a slow line */
    GATE_PIECE_LEAST = 24,     /* bytes of it */
    GATE_ALL = 1 << 30,        /* bytes that no frame has */
};

/** What is known of the terminal; zero-initialise. Times are milliseconds of a steady clock. */
struct gate {
    int unanswered; /* questions without an answer */
    int missed;     /* of them, those that were waited for in vain since the last answer */
    bool answers;   /* it has answered */
    bool is_slow;   /* the last answer took longer than GATE_SLOW_MS */
    bool was_slow;  /* an answer said so once */
    double sent_ms; /* when the last frame was sent, and asked about */
    int sent_bytes; /* about how much that was */
    double owed_bytes; /* after it: what a line as slow as any has not taken yet */
    int pieces;        /* sent since something new was to be shown */
    double least_ms;     /* the shortest time an answer took: the way there and back; 0: not known */
    int least_bytes;       /* of the frame that took least */
    double bytes_per_ms; /* of the line; 0: not known */
};

/** True while it makes sense to ask after a frame. */
bool gate_asks(const struct gate *gate);

/** Something new is to be shown, which is to come before what is left of the last frame: a key, another size. */
void gate_begin(struct gate *gate);

/** A frame went out, with a question or, to a terminal that cannot be asked, without. */
void gate_sent(struct gate *gate, int bytes, bool is_asked, double now_ms);

/** An answer came in, late or not. */
void gate_answered(struct gate *gate, double now_ms);

/** Milliseconds until the next frame may be sent though no answer comes; 0: now. */
int gate_wait(const struct gate *gate, double now_ms);

/** True while an answer may still come in. */
bool gate_expects(const struct gate *gate, double now_ms);

/** True when frames would pile up unless they are small and few, or may do so unseen. */
bool gate_is_slow(const struct gate *gate);

/** True when it has answered, and no answer said that the line is slow. */
bool gate_is_fast(const struct gate *gate);

/** True when answers say that the line is a slow one. */
bool gate_knows_slow(const struct gate *gate);

/**
 * How many bytes the next frame may have, so that a key is not kept waiting by it. Where nothing is answered the line
 * may be slow: a frame is small at first and larger piece by piece, for as long as nothing new is to be shown.
 */
int gate_room(const struct gate *gate, double now_ms);
