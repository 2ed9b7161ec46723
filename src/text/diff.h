/* src/text/diff.h - what changed between two texts, as a unified diff. */
#ifndef SHARDTOP_SRC_TEXT_DIFF_H
#define SHARDTOP_SRC_TEXT_DIFF_H

struct buffer;

/**
 * Appends the unified diff (three lines around each change) that turns the text `before` of file `name` into `after`;
 * nothing where they are equal. The fewest lines change (Myers 1986, "An O(ND) Difference Algorithm and Its
 * Variations", section 2); beyond a thousand of them all between the first and the last change are replaced.
 */
void diff_unified(struct buffer *out, const char *name, const char *before, const char *after);

#endif
