/* src/text/pager.h - a text that is longer than the terminal goes through a pager. */
#ifndef SHARDTOP_SRC_TEXT_PAGER_H
#define SHARDTOP_SRC_TEXT_PAGER_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Shows a text through $PAGER, `less` where that is not set, with LESS=FRX where that is not. False, with nothing
 * shown, where standard output is no terminal, the text has no more lines than that, or there is no pager.
 */
bool pager_shows(const char *text, size_t size);

#endif
