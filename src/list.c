#include "src/list.h"

#include "src/errors.h"
#include "src/text.h"

const char *const list_names[] = {"models", "gpus", "clusters", "plans", "frameworks", "schedules", "themes", "keys", NULL};

int list_write(struct buffer *out, const char *what, bool json, struct errors *errors)
{
    (void)out; (void)json;
    errors_add(errors, "shardtop", 0, what, "todo");
    return -1;
}
