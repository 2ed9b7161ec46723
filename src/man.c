#include "src/man.h"

#include "src/text.h"

void man_write(struct buffer *out) { buffer_puts(out, ""); }
void man_usage(struct buffer *out) { buffer_puts(out, "usage: shardtop\n"); }
