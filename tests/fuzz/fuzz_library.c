/* Any bytes as requests to the library: one JSON object for each, and the handle answers the next one all the same. */
#include "src/lib/shardtop.h"
#include "src/text/text.h"
#include "tests/json.h"
#include "tests/scratch.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *answer)
{
    if (!json_is_valid(answer, strlen(answer)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct shardtop *shardtop;
    if (size < 1)
        return 0;
    scratch_begin();
    if (!shardtop)
        shardtop = shardtop_open();
    char *text = xstrndup((const char *)data + 1, size - 1);
    for (char *rest = NULL, *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        check(data[0] % 8 == 0   ? shardtop_list(shardtop, line)
              : data[0] % 8 == 1 ? shardtop_schema(shardtop, line)
                                 : shardtop_ask(shardtop, line));
    free(text);
    if (data[0] == 255) {
        shardtop_close(shardtop);
        shardtop = NULL;
    }
    return 0;
}
