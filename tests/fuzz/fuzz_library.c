/*
 * Any bytes as requests to the library, and any numbers: one JSON object for each, and the handle answers the next one
 * all the same.
 */
#include "core/plan/param.h"
#include "src/lib/shardtop.h"
#include "src/text/text.h"
#include "tests/json.h"
#include "tests/scratch.h"

#include <math.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *answer)
{
    if (!json_is_valid(answer, strlen(answer)))
        abort();
}

/* Any numbers in any keys. */
static void ask_numbers(struct shardtop *shardtop, const uint8_t *data, size_t size)
{
    enum { BYTES = 3, KEYS_MAX = 12, WANTED = 3 };
    static const char *const want[WANTED] = {"time.iteration_s", "memory.stages.0.device_bytes", "memory.probability"};
    static const char *const bases[] = {NULL, "{\"model\": \"llama3-8b\"}", "{\"model\": \"mixtral-8x7b\", \"pp\": 4}",
                                        "{\"model\": \"deepseek-v2-lite\", \"workload\": \"inference\"}"};
    const char *keys[KEYS_MAX];
    double values[KEYS_MAX], out[WANTED];
    size_t count = 0;
    for (; count < KEYS_MAX && (count + 1) * BYTES <= size; count++) {
        const uint8_t *at = data + count * BYTES;
        const struct param_row *row = &param_rows[(at[0] | at[1] << 8) % PARAM_COUNT];
        const double tries[] = {row->min, row->max, row->max + 1, at[2] / 2.0, NAN, INFINITY, -1, ldexp(1, at[2] / 4)};
        keys[count] = row->dotted;
        values[count] = at[2] < 8 ? tries[at[2]] : at[2] < 64 ? tries[7] : at[2] / 8;
    }
    const char *base = bases[size % 4];
    if (shardtop_numbers(shardtop, base, keys, values, count, want, out, WANTED) != 0 && !*shardtop_error(shardtop))
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
    if (data[0] % 8 == 2) {
        ask_numbers(shardtop, data + 1, size - 1);
        return 0;
    }
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
