#include "src/lib/shardtop.h"

#include "src/cli/verbs/batch.h"
#include "src/cli/verbs/list.h"
#include "src/cli/docs/schema.h"
#include "src/text/errors.h"
#include "src/text/json_out.h"
#include "src/text/text.h"
#include "src/text/version.h"

#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The last answer that a thread got, which stays until its next call. */
struct thread_answer {
    struct thread_answer *next;
    pthread_t thread;
    struct buffer text;
};

struct shardtop {
    locale_t plain; /* numbers have points, whatever the caller's locale says */
    struct batch *batch;
    struct buffer answer; /* of a list or a schema */
    pthread_mutex_t lock; /* of all calls */
    struct thread_answer *answers;
};

/* Copies an answer for the calling thread and unlocks the handle. */
static const char *hand_over(struct shardtop *shardtop, const char *answer)
{
    struct thread_answer *own = shardtop->answers;
    while (own && !pthread_equal(own->thread, pthread_self()))
        own = own->next;
    if (!own) {
        own = xmalloc(sizeof *own);
        *own = (struct thread_answer){.next = shardtop->answers, .thread = pthread_self()};
        shardtop->answers = own;
    }
    own->text.size = 0;
    buffer_puts(&own->text, answer);
    pthread_mutex_unlock(&shardtop->lock);
    return own->text.text;
}

struct shardtop *shardtop_open(void)
{
    struct shardtop *shardtop = xmalloc(sizeof *shardtop);
    *shardtop = (struct shardtop){.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), .batch = batch_open(NULL)};
    pthread_mutex_init(&shardtop->lock, NULL);
    return shardtop;
}

const char *shardtop_ask(struct shardtop *shardtop, const char *request)
{
    pthread_mutex_lock(&shardtop->lock);
    locale_t callers = uselocale(shardtop->plain);
    const char *answer = batch_answer(shardtop->batch, request, strlen(request));
    uselocale(callers);
    return hand_over(shardtop, answer);
}

int shardtop_numbers(struct shardtop *shardtop, const char *base, const char *const keys[], const double values[],
                     size_t count, const char *const want[], double out[], size_t wanted)
{
    const struct batch_numbers asked = {base, keys, values, count, want, wanted};
    pthread_mutex_lock(&shardtop->lock);
    locale_t callers = uselocale(shardtop->plain);
    const char *why = batch_answer_numbers(shardtop->batch, &asked, out);
    uselocale(callers);
    if (why)
        hand_over(shardtop, why);
    else
        pthread_mutex_unlock(&shardtop->lock);
    return why ? -1 : 0;
}

const char *shardtop_error(struct shardtop *shardtop)
{
    pthread_mutex_lock(&shardtop->lock);
    const struct thread_answer *own = shardtop->answers;
    while (own && !pthread_equal(own->thread, pthread_self()))
        own = own->next;
    pthread_mutex_unlock(&shardtop->lock);
    return own ? own->text.text : "";
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
    return hand_over(shardtop, shardtop->answer.text);
}

const char *shardtop_list(struct shardtop *shardtop, const char *what)
{
    struct errors errors = {0};
    pthread_mutex_lock(&shardtop->lock);
    locale_t callers = uselocale(shardtop->plain);
    shardtop->answer.size = 0;
    int result = list_write(&shardtop->answer, what, true, &errors);
    uselocale(callers);
    return answered(shardtop, result, &errors);
}

const char *shardtop_schema(struct shardtop *shardtop, const char *command)
{
    struct errors errors = {0};
    pthread_mutex_lock(&shardtop->lock);
    shardtop->answer.size = 0;
    return answered(shardtop, schema_write(&shardtop->answer, command, &errors), &errors);
}

const char *shardtop_version(void)
{
    return version_number;
}

void shardtop_close(struct shardtop *shardtop)
{
    if (!shardtop)
        return;
    for (struct thread_answer *it = shardtop->answers, *next; it; it = next) {
        next = it->next;
        buffer_free(&it->text);
        free(it);
    }
    pthread_mutex_destroy(&shardtop->lock);
    batch_close(shardtop->batch);
    freelocale(shardtop->plain);
    buffer_free(&shardtop->answer);
    free(shardtop);
}
