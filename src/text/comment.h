/* src/text/comment.h - figures that the author of a file measured and wrote into a comment: `# 2 * 62GiB, 5.1s/it`. */
#pragma once

#include <stdbool.h>

/** What a comment states; NAN for what it does not. */
struct comment_figures {
    double gpus, bytes, seconds; /* bytes of each GPU, seconds of an iteration */
    int line;                    /* 0: no comment states any */
};

/**
 * Finds the first comment that consists of figures alone. One with a label, such as `lora: 14GiB`, counts where the
 * label is `method`. Returns whether there is one.
 */
bool comment_read(const char *text, const char *method, struct comment_figures *out);
