#include "src/lib/shardtop.h"

#include "src/cli/batch.h"
#include "src/cli/list.h"
#include "src/cli/schema.h"
#include "src/text/errors.h"
#include "src/text/json_out.h"
#include "src/text/text.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

struct shardtop {
    locale_t plain; /* numbers have points, whatever the caller's locale says */
    struct batch *batch;
    struct buffer answer; /* of a list or a schema */
};

struct shardtop *shardtop_open(void)
{
    struct shardtop *shardtop = xmalloc(sizeof *shardtop);
    *shardtop = (struct shardtop){.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), .batch = batch_open(NULL)};
    return shardtop;
}

const char *shardtop_ask(struct shardtop *shardtop, const char *request)
{
    locale_t callers = uselocale(shardtop->plain);
    const char *answer = batch_answer(shardtop->batch, request, strlen(request));
    uselocale(callers);
    return answer;
}

/* The answer that was appended, or why there is none. */
static const char *answered(struct shardtop *shardtop, int result, struct errors *errors)
{
    struct json json = {.out = &shardtop->answer};
    if (result != 0) {
        shardtop->answer.size = 0;
        json_open(&json, NULL, '{');
        json_null(&json, "id");
        json_open(&json, "error", '{');
        json_text(&json, "rule", "unknown_name");
        json_text(&json, "message", errors->count ? errors->line[0] : "");
        json_close(&json, '}');
        json_close(&json, '}');
    }
    errors_free(errors);
    return shardtop->answer.text;
}

const char *shardtop_list(struct shardtop *shardtop, const char *what)
{
    struct errors errors = {0};
    locale_t callers = uselocale(shardtop->plain);
    shardtop->answer.size = 0;
    int result = list_write(&shardtop->answer, what, true, &errors);
    uselocale(callers);
    return answered(shardtop, result, &errors);
}

const char *shardtop_schema(struct shardtop *shardtop, const char *command)
{
    struct errors errors = {0};
    shardtop->answer.size = 0;
    return answered(shardtop, schema_write(&shardtop->answer, command, &errors), &errors);
}

const char *shardtop_version(void)
{
    return SHARDTOP_VERSION;
}

void shardtop_close(struct shardtop *shardtop)
{
    if (!shardtop)
        return;
    batch_close(shardtop->batch);
    freelocale(shardtop->plain);
    buffer_free(&shardtop->answer);
    free(shardtop);
}
