#include "ui/state/history.h"

#include "core/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct history_entry *slot(const struct history *history, int index)
{
    int at = (history->first + index) % HISTORY_MAX;
    struct history_entry *block = history->block[at / HISTORY_BLOCK];
    return block ? &block[at % HISTORY_BLOCK] : NULL;
}

int history_push(struct history *history, const struct plan *plan, const char *label)
{
    int index = history->count ? history->now + 1 : 0;
    bool is_full = index == HISTORY_MAX;
    int at = (history->first + index) % HISTORY_MAX;
    struct history_entry **block = &history->block[at / HISTORY_BLOCK];
    if (!*block)
        *block = malloc(HISTORY_BLOCK * sizeof **block);
    if (!*block)
        return -1;
    if (is_full) {
        history->first = (history->first + 1) % HISTORY_MAX;
        index--;
    }
    history->now = index;
    history->count = index + 1;
    struct history_entry *entry = slot(history, index);
    entry->plan = *plan;
    entry->file = history->file;
    snprintf(entry->label, sizeof entry->label, "%s", label);
    return 0;
}

void history_note(struct history *history, double peak_bytes, double iteration_s)
{
    if (history->count == 0)
        return;
    slot(history, history->now)->peak_bytes = peak_bytes;
    slot(history, history->now)->iteration_s = iteration_s;
}

const struct history_entry *history_undo(struct history *history)
{
    if (history->count == 0 || history->now == 0)
        return NULL;
    return slot(history, --history->now);
}

const struct history_entry *history_redo(struct history *history)
{
    if (history->now + 1 >= history->count)
        return NULL;
    return slot(history, ++history->now);
}

const struct history_entry *history_at(const struct history *history, int index)
{
    return index >= 0 && index < history->count ? slot(history, index) : NULL;
}

void history_free(struct history *history)
{
    for (size_t i = 0; i < LENGTH(history->block); i++)
        free(history->block[i]);
    memset(history, 0, sizeof *history);
}
