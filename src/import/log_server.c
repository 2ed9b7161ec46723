#include "src/import/log_server.h"

#include "core/base.h"
#include "src/import/import.h"
#include "src/import/server.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- figures ----------------------------------------------------------------------------------------------------- */

/* How several figures of one kind, one of each rank, make one. */
enum join { JOIN_MOST, JOIN_LEAST, JOIN_LAST };

/* A number behind a text, or before one that begins with a blank, in a line that has another; GIB without a unit. */
static const struct mark {
    const char *text, *with;
    enum served_figure figure;
    enum join join;
} marks[] = {
    {"Model loading took ", NULL, SERVED_WEIGHTS, JOIN_MOST},
    {"Loading model weights took ", NULL, SERVED_WEIGHTS, JOIN_MOST},
    {"weights memory: ", NULL, SERVED_WEIGHTS, JOIN_MOST},
    {"model weights take ", NULL, SERVED_WEIGHTS, JOIN_MOST},
    {"mem usage=", "Load weight end", SERVED_WEIGHTS, JOIN_MOST},
    {"torch peak memory increase: ", NULL, SERVED_PROFILE, JOIN_MOST},
    {"PyTorch activation peak memory takes ", NULL, SERVED_PROFILE, JOIN_MOST},
    {" GiB for weight,", NULL, SERVED_WEIGHTS, JOIN_MOST},
    {" GiB for peak activation", NULL, SERVED_PROFILE, JOIN_MOST},
    {" GiB for non-torch memory", NULL, SERVED_OUTSIDE, JOIN_MOST},
    {" GiB for CUDAGraph memory", NULL, SERVED_GRAPHS, JOIN_MOST},
    {"non_torch_memory=", NULL, SERVED_OUTSIDE, JOIN_MOST},
    {"kv_cache_size=", "Memory profiling results", SERVED_KV, JOIN_LEAST},
    {"non-torch forward increase memory: ", NULL, SERVED_OUTSIDE, JOIN_MOST},
    {"non_torch_memory takes ", NULL, SERVED_OUTSIDE, JOIN_MOST},
    {"secs, took ", "Graph capturing finished", SERVED_GRAPHS, JOIN_MOST},
    {"CUDA graph pool memory: ", NULL, SERVED_GRAPHS, JOIN_MOST},
    {"mem usage=", "graph end", SERVED_GRAPHS, JOIN_MOST},
    {"Available KV cache memory: ", NULL, SERVED_KV, JOIN_LEAST},
    {"reserved for KV Cache is ", NULL, SERVED_KV, JOIN_LEAST},
    {"[MemUsageChange] Allocated ", "paged KV cache", SERVED_KV, JOIN_LEAST},
    {"GPU KV cache size: ", NULL, SERVED_KV_TOKENS, JOIN_LEAST},
    {"#tokens: ", "KV Cache is allocated", SERVED_KV_TOKENS, JOIN_LEAST},
    {"can be stored in KV cache (", NULL, SERVED_KV_TOKENS, JOIN_LEAST},
    {"larger than the available KV cache memory (", NULL, SERVED_KV, JOIN_LEAST},
    {"max_total_num_tokens=", NULL, SERVED_KV_TOKENS, JOIN_LEAST},
    {"tokens in paged KV cache (", NULL, SERVED_KV_TOKENS, JOIN_LEAST},
    {"# GPU blocks: ", NULL, SERVED_BLOCKS, JOIN_LEAST},
    {"# CUDA blocks: ", NULL, SERVED_BLOCKS, JOIN_LEAST},
    {"# cuda blocks: ", NULL, SERVED_BLOCKS, JOIN_LEAST},
    {"tokens per request: ", "Maximum concurrency", SERVED_CONCURRENCY, JOIN_LEAST},
    {"Mean TTFT (ms):", NULL, SERVED_FIRST_MS, JOIN_LAST},
    {"Mean TPOT (ms):", NULL, SERVED_TOKEN_MS, JOIN_LAST},
    {"Output token throughput (tok/s):", NULL, SERVED_TOKENS_PER_S, JOIN_LAST},
    {"Max request concurrency:", NULL, SERVED_UNDER_WAY, JOIN_LAST},
    {"Maximum request concurrency:", NULL, SERVED_UNDER_WAY, JOIN_LAST},
};

static const char *const started[] = {"Application startup complete", "Uvicorn running on",
                                      "The server is fired up and ready to roll", "Starting vLLM API server",
                                      "init engine (profile, create kv cache, warmup model) took"};

/* Why a server did not start, as it says it itself; `why` is what messages call it. */
static const struct {
    const char *text, *why;
} failures[] = {
    {"To serve at least one request", "the cache is smaller than one request of max_model_len"},
    {"is larger than the maximum number of tokens that can be stored in KV cache",
     "the cache is smaller than one request of max_model_len"},
    {"No available memory for the cache blocks", "nothing was left for the cache"},
    {"Failed to load model - not enough GPU memory", "the weights did not fit"},
    {"out of memory occurred when warming up sampler", "the sampler's warm-up did not fit"},
    {"The memory capacity is unbalanced", "other processes hold memory of some GPUs"},
    {"is less than desired GPU memory utilization", "less memory was free than gpu_memory_utilization asks for"},
    {"Not enough memory. Please try to increase --mem-fraction-static", "nothing was left for the cache"},
    {"Capture cuda graph failed", "the CUDA graphs did not fit"},
    {"Capture CUDA graph failed", "the CUDA graphs did not fit"},
};

static const char *find(const char *line, size_t size, const char *text)
{
    return memmem(line, size, text, strlen(text));
}

/* A number with commas between thousands, and the unit behind it. NAN for none. */
static double number_at(const char *at, const char *end, bool is_bytes)
{
    char digits[40];
    size_t n = 0;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    for (; at < end && n + 1 < sizeof digits && (isdigit((unsigned char)*at) || *at == '.' || *at == ','); at++)
        if (*at != ',')
            digits[n++] = *at;
    digits[n] = '\0';
    at += at < end && *at == ' ';
    double unit = !is_bytes ? 1 : end - at >= 2 && *at == 'M' ? MIB : GIB;
    return n > 0 && isdigit((unsigned char)digits[0]) ? strtod(digits, NULL) * unit : (double)NAN;
}

/* Start of the number after a mark. */
static const char *number_of(const struct mark *mark, const char *line, const char *at)
{
    if (*mark->text != ' ')
        return at + strlen(mark->text);
    while (at > line && (isdigit((unsigned char)at[-1]) || at[-1] == '.'))
        at--;
    return at;
}

static void join(struct log_server *server, const struct mark *mark, double value)
{
    double *slot = &server->figure[mark->figure];
    bool counts = mark->join == JOIN_LAST || isnan(*slot) || (mark->join == JOIN_MOST ? value > *slot : value < *slot);
    if (isfinite(value) && value >= 0 && counts)
        *slot = value;
}

/* SGLang prints keys and values apart: "K size: 8.23 GB, V size: 8.23 GB"; "KV size: ..." where they are one. */
static void take_sizes(struct log_server *server, const char *line, size_t size)
{
    static const struct mark sum = {NULL, NULL, SERVED_KV, JOIN_LEAST};
    const char *whole = find(line, size, "KV size: "), *keys = find(line, size, "K size: "),
               *values = find(line, size, "V size: "), *end = line + size;
    if (!find(line, size, "KV Cache is allocated"))
        return;
    if (whole)
        join(server, &sum, number_at(whole + strlen("KV size: "), end, true));
    else if (keys && values)
        join(server, &sum, number_at(keys + strlen("K size: "), end, true) +
                               number_at(values + strlen("V size: "), end, true));
}

void log_server_take(struct log_server *server, const char *line, size_t size)
{
    for (size_t i = 0; i < LENGTH(marks); i++) {
        const char *at = find(line, size, marks[i].text);
        if (at && (!marks[i].with || find(line, size, marks[i].with)))
            join(server, &marks[i],
                 number_at(number_of(&marks[i], line, at), line + size, marks[i].figure <= SERVED_KV));
    }
    take_sizes(server, line, size);
    for (size_t i = 0; i < LENGTH(failures); i++)
        if (find(line, size, failures[i].text)) {
            server->starts = 0;
            server->why = failures[i].why;
        }
    for (size_t i = 0; i < LENGTH(started) && server->starts < 0; i++)
        if (find(line, size, started[i]) && i != 3) /* printed before the engine starts, too */
            server->starts = 1;
}

struct log_server log_server_new(void)
{
    struct log_server server = {.starts = -1};
    for (int i = 0; i < SERVED_FIGURES; i++)
        server.figure[i] = NAN;
    return server;
}

bool log_server_says_something(const struct log_server *server)
{
    bool says = server->starts >= 0;
    for (int i = 0; i < SERVED_FIGURES; i++)
        says |= isfinite(server->figure[i]);
    return says;
}

/* ---- settings ---------------------------------------------------------------------------------------------------- */

static const struct {
    const char *head;
    int engine;
    char assigns; /* between a name and its value */
    bool has_defaults; /* so names that are no flag here tell nothing */
} heads[] = {{"non-default args: {", ENGINE_VLLM, ':', false}, {"server_args=ServerArgs(", ENGINE_SGLANG, '=', false},
             {"server_args: ServerArgs(", ENGINE_SGLANG, '=', false}, {"args: Namespace(", ENGINE_VLLM, '=', true},
             {"engine with config: ", ENGINE_VLLM, '=', true}, {") with config: ", ENGINE_VLLM, '=', true}};

bool log_server_recognise(const char *text)
{
    for (size_t i = 0; i < LENGTH(heads); i++)
        if (strstr(text, heads[i].head))
            return true;
    return false;
}

/* The end of a value: a comma or the closing bracket that no quote and no inner bracket holds. */
static const char *end_of(const char *at)
{
    int depth = 0;
    char quote = '\0';
    for (; *at && *at != '\n'; at++) {
        if (quote)
            quote = *at == quote ? '\0' : quote;
        else if (*at == '\'' || *at == '"')
            quote = *at;
        else if (strchr("([{", *at))
            depth++;
        else if (strchr(")]}", *at) && depth-- == 0)
            break;
        else if (*at == ',' && depth == 0)
            break;
    }
    return at;
}

/* A text without blanks and quotes around it, in fresh memory. */
static char *bare(const char *start, const char *end)
{
    while (start < end && strchr(" '\"", *start))
        start++;
    while (end > start && strchr(" '\"", end[-1]))
        end--;
    return xstrndup(start, (size_t)(end - start));
}

/* The flag that a name stands for, NULL for one that is none among defaults: `max_seq_len` of vLLM's configuration. */
static const char *flag_of(size_t head, const char *name)
{
    char flag[64];
    if (!heads[head].has_defaults)
        return name;
    if (strcmp(name, "max_seq_len") == 0)
        return "max-model-len";
    snprintf(flag, sizeof flag, "%s", name);
    for (char *p = flag; *p; p++)
        *p = *p == '_' ? '-' : *p;
    return strlen(name) < sizeof flag && server_flag_names(heads[head].engine, flag) ? name : NULL;
}

/* The name and value at `at`, as a flag of the server. Returns the end of the value. */
static const char *read_setting(struct server_reader *reader, const char *at, size_t head)
{
    static const char torch[] = "torch."; /* before a type */
    const char *end = end_of(at), *middle = memchr(at, heads[head].assigns, (size_t)(end - at));
    char *name = bare(at, middle ? middle : end), *value = middle ? bare(middle + 1, end) : xstrdup("");
    const char *flag = flag_of(head, name);
    bool is_none = !middle || !*value || strcmp(value, "None") == 0 || strcmp(value, "[]") == 0;
    if (strcmp(value, "True") == 0 || strcmp(value, "False") == 0)
        value[0] = value[0] == 'T' ? 't' : 'f';
    if (!is_none && flag)
        server_reader_take(reader, flag, value + (strncmp(value, torch, strlen(torch)) == 0 ? strlen(torch) : 0), 0);
    free(name);
    free(value);
    return end;
}

/* Facts from other lines if no setting gives them: version, memory share and memory size. */
static void read_told(const char *text, struct import *out)
{
    static const char *const told[][2] = {
        {"LLM engine (v", "serve.engine_version"}, {"vLLM API server version ", "serve.engine_version"},
        {"vllm version ", "serve.engine_version"}, {"x gpu_memory_utilization (", "serve.memory_share"},
        {" gpu_memory_utilization=", "serve.memory_share"},
        {"Desired GPU memory utilization is (", "serve.memory_share"}, {"total_gpu_memory (", "hardware.usable_gib"},
        {"total_gpu_memory=", "hardware.usable_gib"}};
    for (size_t i = 0; i < LENGTH(told); i++) {
        const char *at = strstr(text, told[i][0]);
        size_t n = at ? strspn(at += strlen(told[i][0]), "0123456789.") : 0;
        n -= n > 0 && at[n - 1] == '.'; /* of "0.6.4.post2" */
        char *value = n >= 1 && n < 12 ? xstrndup(at, n) : NULL;
        if (value && isdigit((unsigned char)*value) && !keyvals_last(&out->settings, told[i][1]))
            keyvals_add(&out->settings, told[i][1], value, 0);
        free(value);
    }
}

int log_server_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    size_t faults = errors->faults;
    (void)size;
    for (size_t i = 0; i < LENGTH(heads); i++) {
        const char *at = strstr(text, heads[i].head);
        if (!at)
            continue;
        struct server_reader *reader = server_reader_open(heads[i].engine, name, out, errors);
        at += strlen(heads[i].head);
        while (*at && !strchr(")]}\n", *at)) {
            at = read_setting(reader, at, i);
            at += *at == ',';
        }
        server_reader_close(reader);
        read_told(text, out);
        return errors->faults > faults ? -1 : 0;
    }
    errors_add(errors, name, 0, NULL, "has no settings of a server; give the command that started it");
    return -1;
}
