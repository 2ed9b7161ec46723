#include "src/plan/named.h"

#include "core/base.h"
#include "src/import/sibling_files.h"
#include "src/import/import.h"
#include "src/plan/aliases.h"
#include "src/plan/family.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NAME_BYTES = 128 };

/* One model being named. */
struct named {
    const char *typed, *file;
    int line;
    struct plan *plan;
    struct import *import;
    struct errors *errors;
};

static const struct {
    const char *word, *why;
} uncounted[] = {
#define UNCOUNTED(word, why) {word, why},
#define BESIDE(word)
#define LADDER(billions, preset)
#include "src/plan/named.def"
#undef UNCOUNTED
#undef BESIDE
};
static const char *const besides[] = {
#define UNCOUNTED(word, why)
#define BESIDE(word) word,
#include "src/plan/named.def"
#undef BESIDE
#undef LADDER
};
static const struct {
    double billions;
    const char *preset;
} ladder[] = {
#define BESIDE(word)
#define LADDER(billions, preset) {billions, preset},
#include "src/plan/named.def"
};

/* ---- what a name tells ------------------------------------------------------------------------------------------ */

static const char *last_part(const char *typed)
{
    const char *slash = strrchr(typed, '/');
    return slash ? slash + 1 : typed;
}

/* What the model has that is not counted; NULL for nothing known. */
static const char *find_uncounted(const char *typed)
{
    char plain[NAME_BYTES];
    size_t n = 0;
    for (const char *p = last_part(typed); *p && n < sizeof plain - 1; p++)
        if (isalnum((unsigned char)*p) || *p == '.')
            plain[n++] = (char)tolower((unsigned char)*p);
    plain[n] = '\0';
    for (size_t i = 0; i < LENGTH(uncounted); i++)
        if (strstr(plain, uncounted[i].word))
            return uncounted[i].why;
    return NULL;
}

/* Copies a name without its parts that tell of something beside the language model; false when it has none. */
static bool cut_beside(const char *typed, char out[NAME_BYTES])
{
    size_t size = 0;
    bool is_cut = false;
    for (const char *p = last_part(typed); *p;) {
        size_t n = strcspn(p, "-_"), next = n + (p[n] != '\0');
        bool is_beside = false;
        for (size_t i = 0; i < LENGTH(besides); i++)
            is_beside |= strncasecmp(p, besides[i], n) == 0 && !besides[i][n];
        is_cut |= is_beside;
        for (size_t i = 0; i < next && !is_beside && size < NAME_BYTES - 1; i++)
            out[size++] = p[i];
        p += next;
    }
    size -= size > 0 && strchr("-_", out[size - 1]);
    out[size] = '\0';
    return is_cut;
}

/* `8B`, `1_6b`, `0.5B`, `8x7B`, `270m`: billions, 0 where the part at `p` is no size; `8x` counts that often. */
static double size_at(const char *p)
{
    char *end;
    double n = strtod(p, &end);
    if (!isdigit((unsigned char)*p) || end == p)
        return 0;
    if (*end == 'x' && isdigit((unsigned char)end[1]))
        return n * size_at(end + 1);
    if (*end == '_' && isdigit((unsigned char)end[1]) && n < 10) {
        const char *digit = end + 1;
        double tenths = strtod(digit, &end);
        n += end == digit + 1 ? tenths / 10 : 0;
    }
    double unit = *end == 'b' || *end == 'B' ? 1 : *end == 'm' || *end == 'M' ? 1e-3 : 0;
    return isalnum((unsigned char)end[unit > 0]) ? 0 : n * unit;
}

/* The first size in a name, in billions of parameters; 0 for none. */
static double find_size(const char *typed)
{
    const char *name = last_part(typed);
    for (const char *p = name; *p; p++) {
        bool is_start = p == name || strchr("-_ ", p[-1]);
        double size = is_start ? size_at(p) : 0;
        if (size > 0)
            return size;
    }
    return 0;
}

static const char *nearest_preset(double billions)
{
    size_t best = 0;
    for (size_t i = 1; i < LENGTH(ladder); i++)
        if (fabs(ladder[i].billions - billions) < fabs(ladder[best].billions - billions))
            best = i;
    return ladder[best].preset;
}

/* The preset that a name means, or that of a folder of its path with a size in it; false for none. */
static bool find_preset(const char *typed, char out[NAME_BYTES])
{
    char *path = xstrdup(typed);
    const char *found = preset_meant(PRESET_MODEL, path), *part = last_part(path);
    found = found ? found : preset_meant(PRESET_MODEL, part);
    for (char *slash = strrchr(path, '/'); slash && !found; slash = strrchr(path, '/')) {
        *slash = '\0';
        found = find_size(path) > 0 ? preset_meant(PRESET_MODEL, last_part(path)) : NULL;
    }
    snprintf(out, NAME_BYTES, "%s", found ? found : "");
    free(path);
    return found != NULL;
}

/* ---- taking it -------------------------------------------------------------------------------------------------- */

static void ask_model(const struct named *it, const char *taken)
{
    static const char *const keys[] = {"model.num_layers", "model.hidden_size"};
    const struct asked asked = {it->typed, taken, it->file, it->line, "--model NAME or FILE", true};
    for (size_t i = 0; i < LENGTH(keys); i++)
        import_ask(it->import, keys[i], &asked);
}

/* config.json of a folder beside the file, or of the hub's cache. */
static bool take_file(const struct named *it)
{
    char *path = xasprintf("%s/config.json", it->typed);
    size_t size;
    struct plan other;
    struct errors errors = {0};
    char *text = beside_read(it->import, path, &size);
    plan_clear(&other);
    bool is_read = text && plan_read(&other, text, size, path, NULL, &errors) == 0;
    if (is_read)
        plan_take_model(it->plan, &other, FROM_FILE);
    else if (!preset_meant(PRESET_MODEL, it->typed) && strchr(it->typed, '/') && plan_is_model_file(it->typed))
        is_read = plan_load_model(it->plan, it->typed, FROM_FILE, &errors) == 0;
    errors_free(&errors);
    free(text);
    free(path);
    return is_read;
}

/* Assumes a value for a key that the name leaves open; the verdict says so. */
static void doubt(const struct named *it, enum param key, const char *value, const char *how)
{
    char why[PARAM_WHY_MAX];
    if (it->plan->from[key] >= FROM_ASSUMED)
        return;
    import_ask(it->import, param_rows[key].dotted, &(struct asked){it->typed, value, it->file, it->line, how, true});
    param_parse(it->plan, key, value, FROM_ASSUMED, false, why);
}

/* A model with a tower for images may be trained on them; a server's own figures count them. */
static void doubt_images(const struct named *it)
{
    const struct keyval *workload = keyvals_last(&it->import->settings, "workload");
    bool is_served = (workload && strcmp(workload->value, "inference") == 0) ||
                     keyvals_last(&it->import->settings, "serve.engine");
    if (!is_served && !keyvals_last(&it->import->settings, "train.vision_tokens"))
        doubt(it, PARAM_train_vision_tokens, "0", "--set train.vision_tokens=N");
}

/* Weights that the name calls quantized, below adapters of which nobody says so. */
static void doubt_weights(const struct named *it)
{
    static const char *const words[] = {"awq", "gptq", "aqlm", "4bit", "int4", "hqq", "w4a16"};
    const struct keyval *method = keyvals_last(&it->import->settings, "train.peft");
    bool is_lora = method && strcmp(method->value, "lora") == 0;
    for (size_t i = 0; i < LENGTH(words) && is_lora; i++)
        if (strcasestr(it->typed, words[i]) && !keyvals_last(&it->import->settings, "train.quant_dtype"))
            doubt(it, PARAM_train_quant_dtype, "nf4", "--set quant_dtype=nf4");
}

static int take_preset(const struct named *it, const char *preset)
{
    const struct place place = {it->file, it->line, "model"};
    if (strcmp(preset, it->typed) != 0)
        errors_note(it->errors, it->file, it->line, "model", "'%.60s' is read as %s", it->typed, preset);
    int result = preset_apply(it->plan, PARAM_model_name, preset, FROM_FILE, &place, it->errors);
    if (strcasestr(it->typed, "moe") && !(it->plan->value[PARAM_model_num_experts] > 1))
        doubt(it, PARAM_model_num_experts, "0", "--model FILE");
    if (it->plan->value[PARAM_model_vision_num_layers] > 0)
        doubt_images(it);
    doubt_weights(it);
    return result;
}

/* The shape of a model of about that size, every key of it assumed. */
static int assume_shape(const struct named *it, double billions)
{
    const struct place place = {it->file, it->line, "model"};
    const char *preset = nearest_preset(billions);
    if (preset_apply(it->plan, PARAM_model_name, preset, FROM_ASSUMED, &place, it->errors) != 0)
        return -1;
    for (int i = 0; i < PARAM_COUNT; i++)
        if (param_rows[i].group_id == GROUP_model && !param_blank(it->plan, (enum param)i))
            it->plan->from[i] = FROM_ASSUMED;
    errors_note(it->errors, it->file, it->line, "model",
                "unknown model '%.60s': assuming the shape of %s because of the size in its name; "
                "give its config.json with --model",
                it->typed, preset);
    ask_model(it, preset);
    return 0;
}

/* Takes what is known of the name alone. */
static int take_name(const struct named *it)
{
    char rest[NAME_BYTES];
    bool is_cut = cut_beside(it->typed, rest);
    const char *why = find_uncounted(it->typed), *preset = is_cut ? preset_meant(PRESET_MODEL, rest) : NULL;
    preset = preset || why ? preset : family_preset(is_cut ? rest : it->typed);
    double billions = find_size(it->typed);
    if (why) {
        errors_warn(it->errors, it->file, it->line, "model",
                    "'%.60s' is of no shape that is known here, having %s; give its config.json with --model",
                    it->typed, why);
        return 0;
    }
    if (is_cut)
        errors_warn(it->errors, it->file, it->line, "model",
                    "'%.60s' has parts besides the language model that are not counted: memory and "
                    "time are lower bounds",
                    it->typed);
    if (is_cut)
        doubt_images(it);
    if (preset || billions > 0)
        return preset ? take_preset(it, preset) : assume_shape(it, billions);
    errors_note(it->errors, it->file, it->line, "model",
                "'%.60s' is not a known model; give its config.json with --model", it->typed);
    ask_model(it, "");
    return 0;
}

static int take_model(const struct named *it)
{
    char preset[NAME_BYTES];
    if (take_file(it))
        return 0;
    return find_preset(it->typed, preset) ? take_preset(it, preset) : take_name(it);
}

int named_model(struct plan *plan, struct import *import, const char *name, struct errors *errors)
{
    int result = 0;
    size_t kept = 0;
    for (size_t i = 0; i < import->settings.count; i++) {
        struct keyval *kv = &import->settings.item[i];
        if (strcmp(kv->key, "model") != 0) {
            import->settings.item[kept++] = *kv;
            continue;
        }
        if (take_model(&(struct named){kv->value, name, kv->line, plan, import, errors}) != 0)
            result = -1;
        free(kv->key);
        free(kv->value);
    }
    import->settings.count = kept;
    return result;
}
