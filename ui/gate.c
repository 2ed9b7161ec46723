#include "ui/gate.h"

/* A line of 9600 baud, which is what a terminal that does not answer may stand at; and one too fast to be felt. */
static const double mute_bytes_per_ms = 0.96, fast_bytes_per_ms = 4;

bool gate_asks(const struct gate *gate)
{
    return gate->answers || gate->missed < GATE_QUESTIONS_MAX;
}

void gate_sent(struct gate *gate, int bytes, bool is_asked, double now_ms)
{
    bool is_missed = is_asked && gate->unanswered > 0;
    if (is_missed && ++gate->missed >= GATE_QUESTIONS_MAX)
        gate->answers = false;
    if (is_missed && gate->answers)
        gate->unanswered =
            0; /* an answer was lost; with a terminal that is not known yet, they may all be on their way */
    if (!is_asked && gate->missed < GATE_QUESTIONS_MAX)
        gate->missed = GATE_QUESTIONS_MAX;
    gate->unanswered += is_asked;
    gate->sent_ms = now_ms;
    gate->sent_bytes = bytes;
}

/* A frame of some size tells how fast the line is, a small one how long the way is. */
static void measure(struct gate *gate, double took_ms)
{
    double travelling_ms = took_ms - (gate->least_ms < took_ms ? gate->least_ms : 0);
    bool is_telling = gate->sent_bytes >= 100 || gate->sent_bytes * 2 >= gate_room(gate);
    if (is_telling)
        gate->bytes_per_ms = gate->sent_bytes / (travelling_ms > 0.01 ? travelling_ms : 0.01);
    if (gate->least_ms <= 0 || took_ms < gate->least_ms)
        gate->least_ms = took_ms > 0.01 ? took_ms : 0.01;
}

void gate_answered(struct gate *gate, double now_ms)
{
    gate->is_slow = now_ms - gate->sent_ms > GATE_SLOW_MS;
    if (gate->unanswered == 1)
        measure(gate, now_ms - gate->sent_ms);
    gate->answers = true;
    gate->missed = 0;
    gate->unanswered -= gate->unanswered > 0;
}

/* How long a terminal that does not answer is given for the last frame. */
static double mute_ms(const struct gate *gate)
{
    double ms = gate->sent_bytes / mute_bytes_per_ms;
    return ms < GATE_MUTE_MS ? ms : GATE_MUTE_MS;
}

int gate_wait(const struct gate *gate, double now_ms)
{
    bool is_mute = !gate_asks(gate);
    double limit = is_mute ? mute_ms(gate) : gate->answers ? GATE_KNOWN_MS : GATE_UNKNOWN_MS;
    double left = gate->sent_ms + limit - now_ms;
    return (gate->unanswered == 0 && !is_mute) || left <= 0 ? 0 : (int)left + 1;
}

bool gate_expects(const struct gate *gate, double now_ms)
{
    return gate->unanswered > 0 && now_ms - gate->sent_ms < GATE_FORGOTTEN_MS;
}

bool gate_is_slow(const struct gate *gate)
{
    return gate->is_slow || gate_room(gate) < GATE_ALL || !gate_asks(gate);
}

int gate_room(const struct gate *gate)
{
    double piece = gate->bytes_per_ms * GATE_PIECE_MS;
    if (gate->bytes_per_ms <= 0 || gate->bytes_per_ms >= fast_bytes_per_ms || !gate_asks(gate))
        return GATE_ALL;
    return piece < GATE_PIECE_LEAST ? GATE_PIECE_LEAST : (int)piece;
}
