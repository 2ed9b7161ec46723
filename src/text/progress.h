/* src/text/progress.h - how far long work is, on a line of the terminal that is cleared at its end. */
#ifndef SHARDTOP_SRC_TEXT_PROGRESS_H
#define SHARDTOP_SRC_TEXT_PROGRESS_H

#include <stddef.h>

/** Says "DONE WHAT" on standard error when that is a terminal and half a second has passed since the first call. */
void progress_say(size_t done, const char *what);

/** Clears the line; the next work begins anew. */
void progress_end(void);

#endif
