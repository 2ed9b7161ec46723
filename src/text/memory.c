#include "src/text/memory.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS_MIN = 256, SPREAD = 4 /* slots for each thing that is held */ };

/* What is held, with what releases it. */
struct held {
    const void *what;
    void (*release)(void *what);
};

/* Work that is being done, and the table of what it holds: open addressing, its size a power of two. */
struct work {
    jmp_buf end;
    struct work *outer;
    struct held *slot;
    size_t slots, used; /* used: those that were taken once */
};

static _Thread_local struct work *current;
static const char gone; /* marks a slot whose content was dropped */

/* ---- the table -------------------------------------------------------------------------------------------------- */

/* The slot of a thing, or the one that it would be put into. */
static struct held *find(const struct work *work, const void *what)
{
    size_t at = (size_t)((uintptr_t)what >> 4) * 0x9e3779b97f4a7c15u >> 16;
    for (;; at++) {
        struct held *slot = &work->slot[at & (work->slots - 1)];
        if (slot->what == what || !slot->what)
            return slot;
    }
}

static void put(struct work *work, const void *what, void (*release)(void *what))
{
    struct held *slot = find(work, what);
    work->used += !slot->what;
    *slot = (struct held){what, release};
}

/* Makes room for one more; false when there is none. */
static bool reserve(struct work *work)
{
    if (SPREAD * (work->used + 1) <= work->slots)
        return true;
    struct work old = *work;
    size_t live = 0;
    for (size_t i = 0; i < old.slots; i++)
        live += old.slot[i].what && old.slot[i].what != &gone;
    work->slots = SLOTS_MIN;
    while (work->slots < 2 * SPREAD * (live + 1))
        work->slots *= 2;
    work->slot = calloc(work->slots, sizeof *work->slot);
    if (!work->slot) {
        *work = old;
        return false;
    }
    work->used = 0;
    for (size_t i = 0; i < old.slots; i++)
        if (old.slot[i].what && old.slot[i].what != &gone)
            put(work, old.slot[i].what, old.slot[i].release);
    free(old.slot);
    return true;
}

void memory_hold(void *what, void (*release)(void *what))
{
    if (!current || !what)
        return;
    if (!reserve(current)) {
        release(what);
        memory_out();
    }
    put(current, what, release);
}

/* Takes a thing out; whether it was held. */
static bool take_out(const void *what)
{
    struct held *slot = current && current->slots ? find(current, what) : NULL;
    if (!slot || !slot->what)
        return false;
    slot->what = &gone;
    return true;
}

void memory_drop(const void *what)
{
    take_out(what);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

void memory_free(void *memory)
{
    if (memory)
        take_out(memory);
    free(memory);
}

void memory_moved(uintptr_t old, void *memory)
{
    if (current && (!old || take_out((const void *)old)))
        memory_hold(memory, free);
}

/* ---- work ------------------------------------------------------------------------------------------------------- */

void memory_out(void)
{
    struct work *work = current;
    if (!work) {
        fputs("shardtop: out of memory\n", stderr);
        exit(3);
    }
    current = NULL; /* what is released holds nothing any more */
    for (size_t i = 0; i < work->slots; i++)
        if (work->slot[i].what && work->slot[i].what != &gone)
            work->slot[i].release((void *)(uintptr_t)work->slot[i].what);
    longjmp(work->end, 1);
}

/* Comes back a second time when memory has run out. */
static bool begin(struct work *own, void (*work)(void *context), void *context)
{
    if (setjmp(own->end) != 0)
        return false;
    current = own;
    work(context);
    return true;
}

bool memory_try(void (*work)(void *context), void *context)
{
    struct work own = {.outer = current};
    bool is_done = begin(&own, work, context);
    current = own.outer;
    free(own.slot);
    return is_done;
}
