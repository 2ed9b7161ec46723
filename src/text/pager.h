/* src/text/pager.h - shows text longer than the terminal in a pager. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/**
 * Shows a text in $PAGER (default `less`, with LESS=FRX unless LESS is set). Returns false without showing anything
 * when standard output is not a terminal, the text fits on it, or no pager is found.
 */
bool pager_shows(const char *text, size_t size);
