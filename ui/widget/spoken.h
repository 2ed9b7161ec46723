/*
 * ui/widget/spoken.h - figures in whole words, for who listens: "86.2 GiB" is "86.2 gibibytes", "58.7k" is "58.7
 * thousand".
 */
#pragma once

#include <stddef.h>

/** Copies a text with the units, magnitudes and signs of its numbers as words; what has no room is left out. */
void spoken_write(const char *text, char *out, size_t size);
