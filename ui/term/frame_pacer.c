#include "ui/term/frame_pacer.h"

/* A line of 2400 baud, which is what a terminal that does not answer may stand at; and one too fast to be felt. */
static const double mute_bytes_per_ms = 0.24, fast_bytes_per_ms = 4;

bool gate_asks(const struct gate *gate)
{
    return gate->answers || gate->missed < GATE_QUESTIONS_MAX;
}

/* It did not answer, or not yet: how fast its line is cannot be known. */
static bool is_mute(const struct gate *gate)
{
    return !gate_asks(gate) || (!gate->answers && gate->unanswered > 0);
}

/* What a line as slow as any has not taken yet. */
static double owed_bytes(const struct gate *gate, double now_ms)
{
    double left = gate->owed_bytes - (now_ms - gate->sent_ms) * mute_bytes_per_ms;
    return left > 0 ? left : 0;
}

void gate_begin(struct gate *gate)
{
    gate->pieces = 0;
}

void gate_sent(struct gate *gate, int bytes, bool is_asked, double now_ms)
{
    double owed = owed_bytes(gate, now_ms) + bytes;
    bool is_missed = is_asked && gate->unanswered > 0;
    if (is_missed && ++gate->missed >= GATE_QUESTIONS_MAX)
        gate->answers = false;
    if (is_missed && gate->answers)
        gate->unanswered =
            0; /* an answer was lost; with a terminal that is not known yet, they may all be on their way */
    if (!is_asked && gate->missed < GATE_QUESTIONS_MAX)
        gate->missed = GATE_QUESTIONS_MAX;
    gate->unanswered += is_asked;
    gate->owed_bytes = owed < GATE_OWED_BYTES ? owed : GATE_OWED_BYTES;
    gate->pieces++;
    gate->sent_ms = now_ms;
    gate->sent_bytes = bytes;
}

/* What the next frame may have at the speed that is known. */
static int known_room(const struct gate *gate)
{
    double piece = gate->bytes_per_ms * GATE_PIECE_MS;
    if (gate->bytes_per_ms <= 0 || gate->bytes_per_ms >= fast_bytes_per_ms)
        return GATE_ALL;
    return piece < GATE_PIECE_LEAST ? GATE_PIECE_LEAST : (int)piece;
}

/*
 * A frame of some size tells how fast the line is, a small one how long the way is. Of two frames of about one size
 * the difference tells nothing: what is known stays.
 */
static void measure(struct gate *gate, double took_ms)
{
    double travelling_ms = took_ms - (gate->least_ms < took_ms ? gate->least_ms : 0);
    bool is_telling = gate->sent_bytes >= 100 || gate->sent_bytes * 2 >= known_room(gate);
    bool is_alike = gate->bytes_per_ms > 0 && gate->bytes_per_ms < fast_bytes_per_ms &&
                    gate->sent_bytes < 2 * gate->least_bytes;
    if (is_telling && !is_alike)
        gate->bytes_per_ms = gate->sent_bytes / (travelling_ms > 0.01 ? travelling_ms : 0.01);
    if (gate->least_ms <= 0 || took_ms < gate->least_ms) {
        gate->least_ms = took_ms > 0.01 ? took_ms : 0.01;
        gate->least_bytes = gate->sent_bytes;
    }
}

void gate_answered(struct gate *gate, double now_ms)
{
    gate->is_slow = now_ms - gate->sent_ms > GATE_SLOW_MS;
    if (gate->unanswered == 1)
        measure(gate, now_ms - gate->sent_ms);
    gate->answers = true;
    gate->missed = 0;
    gate->unanswered -= gate->unanswered > 0;
    gate->was_slow |= gate->is_slow || gate_knows_slow(gate);
}

/* How long a terminal that does not answer is given for the last frame. */
static double mute_ms(const struct gate *gate)
{
    double owed = gate->owed_bytes - (GATE_OWED_BYTES - GATE_MUTE_LEAST);
    double ms = gate->pieces > 0 ? GATE_PIECE_MS : owed > 0 ? owed / mute_bytes_per_ms : 0;
    return gate_asks(gate) && ms < GATE_UNKNOWN_MS ? GATE_UNKNOWN_MS : ms;
}

int gate_wait(const struct gate *gate, double now_ms)
{
    double limit = is_mute(gate) ? mute_ms(gate) : gate->unanswered > 0 ? GATE_KNOWN_MS : 0;
    double left = gate->sent_ms + limit - now_ms;
    return left <= 0 || limit <= 0 ? 0 : (int)left + 1;
}

bool gate_expects(const struct gate *gate, double now_ms)
{
    return gate->unanswered > 0 && now_ms - gate->sent_ms < GATE_FORGOTTEN_MS;
}

bool gate_knows_slow(const struct gate *gate)
{
    return known_room(gate) < GATE_ALL && !is_mute(gate);
}

bool gate_is_fast(const struct gate *gate)
{
    return gate->answers && !gate->was_slow;
}

bool gate_is_slow(const struct gate *gate)
{
    return gate->is_slow || known_room(gate) < GATE_ALL || is_mute(gate);
}

int gate_room(const struct gate *gate, double now_ms)
{
    enum { DOUBLED_MAX = 16 };
    int doubled = gate->pieces < DOUBLED_MAX ? gate->pieces : DOUBLED_MAX;
    if (!is_mute(gate))
        return known_room(gate);
    return gate->pieces > 0 ? GATE_OWED_BYTES / 2 << doubled : GATE_OWED_BYTES - 1 - (int)owed_bytes(gate, now_ms);
}
