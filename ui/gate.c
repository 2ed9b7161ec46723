#include "ui/gate.h"

bool gate_asks(const struct gate *gate)
{
    return gate->answers || gate->missed < GATE_QUESTIONS_MAX;
}

void gate_asked(struct gate *gate, double now_ms)
{
    bool is_missed = gate->unanswered > 0;
    if (is_missed && ++gate->missed >= GATE_QUESTIONS_MAX)
        gate->answers = false;
    if (is_missed && gate->answers)
        gate->unanswered =
            0; /* an answer was lost; with a terminal that is not known yet, they may all be on their way */
    gate->unanswered++;
    gate->asked_ms = now_ms;
}

void gate_answered(struct gate *gate, double now_ms)
{
    gate->is_slow = now_ms - gate->asked_ms > GATE_SLOW_MS;
    gate->answers = true;
    gate->missed = 0;
    gate->unanswered -= gate->unanswered > 0;
}

int gate_wait(const struct gate *gate, double now_ms)
{
    double limit = gate->answers ? GATE_KNOWN_MS : GATE_UNKNOWN_MS, left = gate->asked_ms + limit - now_ms;
    return gate->unanswered == 0 || !gate_asks(gate) || left <= 0 ? 0 : (int)left + 1;
}

bool gate_expects(const struct gate *gate, double now_ms)
{
    return gate->unanswered > 0 && now_ms - gate->asked_ms < GATE_FORGOTTEN_MS;
}
