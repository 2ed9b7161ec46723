#include "src/plan/aliases.h"

#include "core/base.h"
#include "src/text/text.h"

#include <ctype.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_MAX_BYTES = 128 };

/* A name and the preset that it means. */
struct meaning {
    const char *name, *preset;
};

#define GPU(name, preset)   {name, preset},
#define MODEL(name, preset)
static const struct meaning gpu_meanings[] = {
#include "src/plan/aliases.def"
};
#undef GPU
#undef MODEL
#define GPU(name, preset)
#define MODEL(name, preset) {name, preset},
static const struct meaning model_meanings[] = {
#include "src/plan/aliases.def"
};

/* How the names of a kind are compared. */
struct naming {
    const struct meaning *meanings;
    size_t count;
    const char *const *prefixes; /* makers and republishers, not part of the name */
};

static const char *const gpu_prefixes[] = {"nvidia", "amd", "tesla", "geforce", "instinct", NULL};
static const char *const model_prefixes[] = {"meta", "nousresearch", "unsloth", NULL};

static const struct naming namings[PRESET_KIND_COUNT] = {
    [PRESET_MODEL] = {model_meanings, LENGTH(model_meanings), model_prefixes},
    [PRESET_GPU] = {gpu_meanings, LENGTH(gpu_meanings), gpu_prefixes},
};

/* ---- one name --------------------------------------------------------------------------------------------------- */

/*
 * `name` in lower case, letters, digits and dots only, without what stands before it. Returns where it begins in `out`.
 */
static const char *plain(const struct naming *naming, const char *name, char out[NAME_MAX_BYTES])
{
    size_t n = 0;
    for (const unsigned char *p = (const unsigned char *)name; *p && n < NAME_MAX_BYTES - 1; p++)
        if (isalnum(*p) || *p == '.')
            out[n++] = (char)tolower(*p);
    out[n] = '\0';
    const char *at = out;
    for (size_t i = 0; naming->prefixes[i]; i++)
        if (strncmp(at, naming->prefixes[i], strlen(naming->prefixes[i])) == 0)
            at += strlen(naming->prefixes[i]);
    return at;
}

/* The preset whose plain name this is, or that a row says; NULL for none. */
static const char *find(enum preset_kind kind, const char *name)
{
    const struct naming *naming = &namings[kind];
    char typed[NAME_MAX_BYTES], other[NAME_MAX_BYTES];
    const char *wanted = plain(naming, name, typed), *const *names;
    size_t count = preset_names(kind, &names);
    for (size_t i = 0; i < naming->count; i++)
        if (strcmp(wanted, naming->meanings[i].name) == 0)
            return naming->meanings[i].preset;
    for (size_t i = 0; i < count; i++)
        if (strcmp(wanted, plain(naming, names[i], other)) == 0)
            return names[i];
    return NULL;
}

/* ---- what hubs put behind a model's name ------------------------------------------------------------------------ */

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* Whether a part says how a model was trained, quantised or dated, and nothing of its shape. */
static bool is_variant(const char *part)
{
    static const char *const words[] = {
        "instruct", "chat", "base", "hf", "it", "bf16", "fp16", "gptq", "awq", "int4", "int8", "fp8", "bnb", "nf4",
        "nvfp4", "gguf", "text", "deduped", "dequantized", "thinking", "preview", "sft", "dpo", "rl", "quantized", "4k",
        "8k", "32k", "128k", "1m", "aqlm", "1x16", "source", "4bits", "8bits", "fp4", "mxfp4", "mxfp8", "w8a8", "w4a16",
        "dynamic", "block", "exp", "terminus", "speciale", "autoround", "think",
    };
    for (size_t i = 0; i < LENGTH(words); i++)
        if (strcmp(part, words[i]) == 0)
            return true;
    size_t n = digits(part);
    bool is_date = !part[n] && (n == 4 || (n >= 6 && n <= 8)), is_bits = n && strcmp(part + n, "bit") == 0;
    bool is_compressed = strncmp(part, "quantized.", strlen("quantized.")) == 0;
    bool is_version = *part == 'v' && digits(part + 1) && part[1 + digits(part + 1)] == '.';
    return is_date || is_bits || is_compressed || is_version;
}

/* Takes the last part off when it is a variant. */
static bool cut_variant(char *name)
{
    char *dash = strrchr(name, '-'), *line = strrchr(name, '_');
    char *last = !dash || (line && line > dash) ? line : dash;
    if (!last || last == name)
        return false;
    bool is_second = last - name > 4 && strncmp(last - 4, "-fp4-v", 6) == 0; /* of NVIDIA's 4-bit checkpoints */
    if (!is_second && !is_variant(last + 1))
        return false;
    *last = '\0';
    return true;
}

static const char *find_model(const char *typed)
{
    const char *slash = strrchr(typed, '/');
    char name[NAME_MAX_BYTES];
    size_t n = 0;
    for (const char *p = slash ? slash + 1 : typed; *p && n < sizeof name - 1; p++) {
        bool is_dot = strncmp(p, "___", 3) == 0; /* in the folders of ModelScope's cache */
        name[n++] = is_dot ? '.' : (char)tolower((unsigned char)*p);
        p += 2 * is_dot;
    }
    name[n] = '\0';
    const char *found;
    do
        found = find(PRESET_MODEL, name);
    while (!found && cut_variant(name));
    return found;
}

/* No path: at most one slash, in the middle. */
static bool is_name(const char *typed)
{
    const char *slash = strchr(typed, '/');
    return strlen(typed) < NAME_MAX_BYTES && isalnum((unsigned char)*typed) && !strchr(typed, '\\') &&
           (!slash || !strchr(slash + 1, '/'));
}

const char *preset_meant(enum preset_kind kind, const char *typed)
{
    if (preset_known(kind, typed))
        return typed;
    if (!is_name(typed) || !namings[kind].prefixes)
        return NULL;
    return kind == PRESET_MODEL ? find_model(typed) : find(kind, typed);
}

/* ---- the cache of a hub's client -------------------------------------------------------------------------------- */

/* The folder of the cache, in fresh memory; NULL when no variable says where it would be. */
static char *hub_folder(void)
{
    const char *cache = getenv("HF_HUB_CACHE"), *own = getenv("HF_HOME"), *home = getenv("HOME");
    if (cache && *cache)
        return xstrdup(cache);
    if (own && *own)
        return xasprintf("%s/hub", own);
    return home && *home ? xasprintf("%s/.cache/huggingface/hub", home) : NULL;
}

/* The one of the files that was changed last, in fresh memory. */
static char *newest(const glob_t *files)
{
    const char *best = NULL;
    struct stat about;
    time_t when = 0;
    for (size_t i = 0; i < files->gl_pathc; i++)
        if (stat(files->gl_pathv[i], &about) == 0 && (!best || about.st_mtime > when)) {
            best = files->gl_pathv[i];
            when = about.st_mtime;
        }
    return best ? xstrdup(best) : NULL;
}

char *preset_hub_file(const char *typed)
{
    const char *slash = strchr(typed, '/');
    bool is_hub_name = is_name(typed) && slash && slash[1] && !strpbrk(typed, "*?[]{}~");
    char *folder = is_hub_name ? hub_folder() : NULL, *found = NULL;
    if (folder) {
        glob_t files = {0};
        char *pattern = xasprintf("%s/models--%.*s--%s/snapshots/*/config.json", folder, (int)(slash - typed), typed,
                                  slash + 1);
        if (glob(pattern, GLOB_NOSORT, NULL, &files) == 0)
            found = newest(&files);
        globfree(&files);
        free(pattern);
    }
    free(folder);
    return found;
}
