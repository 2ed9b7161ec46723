#include "src/lib/shardtop.h"

#include "src/cli/verbs/batch.h"
#include "src/cli/verbs/list.h"
#include "src/cli/docs/schema.h"
#include "src/text/errors.h"
#include "src/text/json_out.h"
#include "src/text/process.h"
#include "src/text/text.h"
#include "src/text/version.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The last answer that a thread got, which stays until its next call. */
struct thread_answer {
    struct thread_answer *next;
    pthread_t thread;
    char *text; /* NULL: there was no memory for it */
};

struct shardtop {
    locale_t plain; /* numbers have points, whatever the caller's locale says */
    struct batch *batch;
    struct buffer answer; /* of a list or a schema */
    pthread_mutex_t lock; /* of all calls */
    struct thread_answer *answers;
};

static const char no_memory[] =
    "{\"id\": null, \"error\": {\"rule\": \"out_of_memory\", \"message\": \"memory has run out; ask for less\"}}";

/* The calling thread's place for answers; NULL without memory. */
static struct thread_answer *place_of_thread(struct shardtop *shardtop)
{
    struct thread_answer *own = shardtop->answers;
    while (own && !pthread_equal(own->thread, pthread_self()))
        own = own->next;
    if (!own && (own = calloc(1, sizeof *own))) {
        *own = (struct thread_answer){.next = shardtop->answers, .thread = pthread_self()};
        shardtop->answers = own;
    }
    return own;
}

/* Copies an answer for the calling thread. */
static const char *hand_over(struct shardtop *shardtop, const char *answer)
{
    struct thread_answer *own = place_of_thread(shardtop);
    if (!own)
        return no_memory;
    free(own->text);
    own->text = strdup(answer);
    return own->text ? own->text : no_memory;
}

/* A call: what is asked, and the answer, which belongs to the handle. */
struct call {
    struct shardtop *shardtop;
    const char *text, *answer;
};

/* Work in the caller's thread, or in one of its own. */
struct job {
    void (*work)(void *context);
    void *context;
    locale_t plain; /* 0: the thread's */
    bool is_done;   /* memory sufficed */
};

static void *do_job(void *context)
{
    struct job *job = context;
    locale_t callers = uselocale(job->plain);
    job->is_done = memory_try(job->work, job->context);
    uselocale(callers);
    return NULL;
}

/* Does work, on a stack of its own where the caller's is small; false where memory runs out. */
static bool do_work(void (*work)(void *context), void *context, locale_t plain)
{
    struct job job = {work, context, plain, false};
    pthread_t thread;
    if (process_has_stack())
        do_job(&job);
    else if (process_thread(&thread, do_job, &job))
        pthread_join(thread, NULL);
    return job.is_done;
}

/* Does a call's work under the handle's lock and hands its answer over; NULL for none. Memory that runs out is one. */
static const char *run(struct call *call, void (*work)(void *call))
{
    struct shardtop *shardtop = call->shardtop;
    pthread_mutex_lock(&shardtop->lock);
    const char *answer = do_work(work, call, shardtop->plain) ? call->answer : no_memory;
    const char *own = answer ? hand_over(shardtop, answer) : NULL;
    pthread_mutex_unlock(&shardtop->lock);
    return own;
}

static const char *answer(struct shardtop *shardtop, void (*work)(void *call), const char *text)
{
    return shardtop ? run(&(struct call){shardtop, text, NULL}, work) : no_memory;
}

static void open_handle(void *handle)
{
    struct shardtop *shardtop = xcalloc(1, sizeof *shardtop);
    buffer_add(&shardtop->answer, "", 0);
    shardtop->batch = batch_open(NULL);
    shardtop->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!shardtop->plain)
        memory_out();
    pthread_mutex_init(&shardtop->lock, NULL);
    *(struct shardtop **)handle = shardtop;
}

struct shardtop *shardtop_open(void)
{
    struct shardtop *shardtop = NULL;
    return do_work(open_handle, &shardtop, (locale_t)0) ? shardtop : NULL;
}

static void ask(void *context)
{
    struct call *call = context;
    call->answer = batch_answer(call->shardtop->batch, call->text, strlen(call->text));
}

const char *shardtop_ask(struct shardtop *shardtop, const char *request)
{
    return answer(shardtop, ask, request ? request : "");
}

/* A question in numbers, and its answer. */
struct question {
    struct call call;
    struct batch_numbers asked;
    double *out;
};

static void answer_numbers(void *context)
{
    struct question *question = context;
    question->call.answer = batch_answer_numbers(question->call.shardtop->batch, &question->asked, question->out);
}

int shardtop_numbers(struct shardtop *shardtop, const char *base, const char *const keys[], const double values[],
                     size_t count, const char *const want[], double out[], size_t wanted)
{
    struct question question = {{shardtop, NULL, NULL}, {base, keys, values, count, want, wanted}, out};
    for (size_t i = 0; i < wanted; i++)
        out[i] = NAN;
    return shardtop && !run(&question.call, answer_numbers) ? 0 : -1;
}

const char *shardtop_error(struct shardtop *shardtop)
{
    if (!shardtop)
        return no_memory;
    pthread_mutex_lock(&shardtop->lock);
    const struct thread_answer *own = shardtop->answers;
    while (own && !pthread_equal(own->thread, pthread_self()))
        own = own->next;
    pthread_mutex_unlock(&shardtop->lock);
    return !own ? "" : own->text ? own->text : no_memory;
}

/* Takes the answer that was appended, or why there is none. */
static void take(struct call *call, int result, struct errors *errors)
{
    struct buffer *out = &call->shardtop->answer;
    struct json json = {.out = out};
    if (result != 0) {
        out->size = 0;
        json_open(&json, NULL, '{');
        json_null(&json, "id");
        json_open(&json, "error", '{');
        json_text(&json, "rule", "unknown_name");
        json_text(&json, "message", errors->count ? errors->line[0] : "");
        json_close(&json, '}');
        json_close(&json, '}');
    }
    errors_free(errors);
    call->answer = out->text;
}

static void list(void *context)
{
    struct call *call = context;
    struct errors errors = {0};
    call->shardtop->answer.size = 0;
    take(call, list_write(&call->shardtop->answer, call->text, true, &errors), &errors);
}

const char *shardtop_list(struct shardtop *shardtop, const char *what)
{
    return answer(shardtop, list, what ? what : "");
}

static void schema(void *context)
{
    struct call *call = context;
    struct errors errors = {0};
    call->shardtop->answer.size = 0;
    take(call, schema_write(&call->shardtop->answer, call->text, &errors), &errors);
}

const char *shardtop_schema(struct shardtop *shardtop, const char *command)
{
    return answer(shardtop, schema, command);
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
        free(it->text);
        free(it);
    }
    pthread_mutex_destroy(&shardtop->lock);
    batch_close(shardtop->batch);
    freelocale(shardtop->plain);
    buffer_free(&shardtop->answer);
    free(shardtop);
}
