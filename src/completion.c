#include "src/completion.h"

#include "src/errors.h"

int completion_write(struct buffer *out, const char *shell, struct errors *errors)
{
    (void)out;
    errors_add(errors, "shardtop", 0, shell, "todo");
    return -1;
}
