/* src/text/memory.h - work that ends by itself when memory runs out, instead of ending the program. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/**
 * Does work. Returns false when memory ran out in it: what the work had allocated with the functions of text.h and
 * still held is freed, what it held otherwise (memory_hold()) is released. What was there before stays, grown or not:
 * the owner of a buffer must not depend on its content. Threads do not share it; work inside of work ends alone.
 */
bool memory_try(void (*work)(void *context), void *context);

/** Has `release(what)` called when memory runs out, until memory_drop(). Outside of memory_try() nothing happens. */
void memory_hold(void *what, void (*release)(void *what));

/** Lets go of what was held, or of memory of text.h that is to outlive the work. */
void memory_drop(const void *what);

/** Ends the work that memory has run out in; without any, the program with exit status 3. */
void memory_out(void) __attribute__((noreturn));

/** free(), which text.h has every source call by that name: the work does not hold the memory any more. */
void memory_free(void *memory);

/** Takes note of memory that was reallocated from `old` or, with 0, allocated; it is held if the old one was. */
void memory_moved(uintptr_t old, void *memory);
