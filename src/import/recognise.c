/*
 * src/import/recognise.c - what a file is, told by its syntax and then by its keys.
 *
 * A condition of formats.def is a list of alternatives separated by `;`, each a list of words separated by blanks that
 * all hold: `a|b` when one of the paths is there, `!a` when it is not, `a^text`, `a$text` and `a=text` when its value
 * begins, ends or is so, `@two:a|b|c` when two of them are there, `@only:a|b` when no other key stands at the top,
 * `@plan` for the keys of a plan, `@trains` for names that speak of a batch, a model, an optimizer and a length. In a
 * path `*` stands for any one part, at the beginning for any parts; `-` and `_` are the same.
 */
#include "src/import/recognise.h"

#include "core/base.h"
#include "core/plan/nearest.h"
#include "core/plan/param.h"
#include "src/import/args.h"
#include "src/import/carrier.h"
#include "src/import/charts.h"
#include "src/import/command.h"
#include "src/import/deepspeed.h"
#include "src/import/foreign.h"
#include "src/import/hf.h"
#include "src/import/import.h"
#include "src/import/log_server.h"
#include "src/import/megatron.h"
#include "src/import/nanotron.h"
#include "src/import/python.h"
#include "src/import/server.h"
#include "src/import/slurm.h"
#include "src/import/tuning.h"
#include "src/import/words.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "src/text/tree.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static int read_deepspeed(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    return deepspeed_import(text, size, name, out->base, out, errors);
}

const struct format formats[KIND_COUNT] = {
#define FORMAT(id_, what_, reads_, holds_, instead_) {#id_, what_, reads_, holds_, instead_},
#include "src/import/formats.def"
#undef FORMAT
};

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* One comment's setting, if it is `# shardtop: KEY=VALUE` with a known key. */
static void read_comment(const char *line, size_t size, int number, struct import *out)
{
    static const char mark[] = "# shardtop: ";
    size_t head = sizeof mark - 1, name = size > head ? strcspn(line + head, "=\n") : 0;
    if (name == 0 || head + name >= size || strncmp(line, mark, head) != 0)
        return;
    char *key = xstrndup(line + head, name), *value = xstrndup(line + head + name + 1, size - head - name - 1);
    if (param_find(key) >= 0)
        keyvals_add(&out->settings, key, value, number);
    free(key);
    free(value);
}

/* Accelerators by words that only files for them have. */
static const struct device {
    const char *words, *name, *taken;
} devices[] = {{"npu npus torch_npu ascend HCCL", "Ascend NPUs", "h100-sxm-80"},
               {"hpu hpus habana gaudi", "Gaudi", "gaudi2"},
               {"neuronx neuron trainium", "Trainium", "trainium2"},
               {"tpu tpus torch_xla", "TPUs", "tpu-v5p"},
               {"torch_mlu mlu", "MLUs", "h100-sxm-80"},
               {"torch_musa musa", "MUSA GPUs", "h100-sxm-80"},
               {"xpu ipex oneccl", "Intel GPUs", "h100-sxm-80"}};

/* True where a line has one of several words, between anything but letters. */
static bool line_has(const char *line, size_t size, const char *words)
{
    for (const char *word = words; *word; word += strcspn(word, " "), word += *word == ' ') {
        size_t n = strcspn(word, " ");
        for (size_t i = 0; i + n <= size; i++)
            if (strncasecmp(line + i, word, n) == 0 && !(i > 0 && isalpha((unsigned char)line[i - 1])) &&
                !(i + n < size && isalpha((unsigned char)line[i + n])))
                return true;
    }
    return false;
}

/* True for `tpu_use_cluster: false`, `tpu_env: []` and the like: what speaks of a device is off. */
static bool is_off(const char *line, size_t size)
{
    static const char *const values[] = {": false", ": False", ": []", ": null", ": 0", "=false", "=False"};
    while (size > 0 && isspace((unsigned char)line[size - 1]))
        size--;
    for (size_t i = 0; i < LENGTH(values); i++)
        if (size > strlen(values[i]) && strncmp(line + size - strlen(values[i]), values[i], strlen(values[i])) == 0)
            return true;
    return false;
}

/* Asks for the device of a file whose words speak of one that is no GPU by default. */
static void ask_device(const char *line, size_t size, int number, const char *name, struct import *out)
{
    size_t blank = strspn(line, " \t");
    enum { LONGEST = 2000 }; /* a picture of a notebook has any letters */
    bool is_comment = line[blank] == '#' && strncmp(line + blank, "#SBATCH", 7) != 0;
    bool is_said = keyvals_last(&out->settings, "hardware.gpu") || question_about(&out->questions, PARAM_hardware_gpu);
    if (is_comment || is_said || size > LONGEST || is_off(line, size))
        return;
    for (size_t i = 0; i < LENGTH(devices); i++)
        if (line_has(line, size, devices[i].words)) {
            import_ask(out, "hardware.gpu",
                       &(struct asked){devices[i].name, devices[i].taken, name, number, "--gpu NAME", false});
            return;
        }
}

int recognise_read(enum plan_kind kind, const char *text, size_t size, const char *name, struct import *out,
                   struct errors *errors)
{
    int result = formats[kind].read(text, size, name, out, errors), number = 1;
    if (result == 0 && out->is_on_cpu) {
        errors_add(errors, name, 0, NULL, "serves on a CPU, which is not modelled; give a server that has GPUs");
        return -1;
    }
    for (const char *line = text; result == 0 && line; number++) {
        const char *end = strchr(line, '\n');
        size_t length = end ? (size_t)(end - line) : strlen(line);
        read_comment(line, length, number, out);
        ask_device(line, length, number, name, out);
        line = end ? end + 1 : NULL;
    }
    return result;
}

/* ---- paths ------------------------------------------------------------------------------------------------------ */

/* Length of one part of a path. */
static size_t part_size(const char *path, const char *end)
{
    const char *dot = memchr(path, '.', (size_t)(end - path));
    return (size_t)((dot ? dot : end) - path);
}

static bool is_same_part(const char *a, size_t a_size, const char *b, size_t b_size)
{
    if (b_size == 1 && *b == '*')
        return true;
    if (a_size != b_size)
        return false;
    for (size_t i = 0; i < a_size; i++)
        if ((a[i] == '-' ? '_' : a[i]) != (b[i] == '-' ? '_' : b[i]))
            return false;
    return true;
}

/* True when `path` is the pattern or lies below it. */
static bool is_at(const char *path, const char *pattern, const char *end)
{
    const char *path_end = path + strlen(path);
    while (pattern < end) {
        size_t n = part_size(path, path_end), want = part_size(pattern, end);
        if (path >= path_end || !is_same_part(path, n, pattern, want))
            return false;
        path += n + (path + n < path_end);
        pattern += want + (pattern + want < end);
    }
    return true;
}

/* The same, or anywhere in the path for a pattern that begins with `*.`. */
static bool is_on(const char *path, const char *pattern, const char *end)
{
    bool is_anywhere = end - pattern > 2 && strncmp(pattern, "*.", 2) == 0;
    if (!is_anywhere)
        return is_at(path, pattern, end);
    for (const char *p = path; p; p = strchr(p, '.'), p = p ? p + 1 : NULL)
        if (is_at(p, pattern + 2, end))
            return true;
    return false;
}

static const struct tree_value *find(const struct tree *tree, const char *pattern, const char *end)
{
    for (size_t i = 0; i < tree->count; i++)
        if (is_on(tree->item[i].path, pattern, end))
            return &tree->item[i];
    return NULL;
}

/* ---- words of a condition --------------------------------------------------------------------------------------- */

/* One path, perhaps with its value, or the beginning or the end of that. */
static bool holds_path(const struct tree *tree, const char *p, const char *end)
{
    const char *mark = p;
    while (mark < end && !strchr("^$=", *mark))
        mark++;
    const struct tree_value *value = find(tree, p, mark);
    if (!value || mark == end)
        return value;
    size_t n = (size_t)(end - mark - 1), size = strlen(value->text);
    if (n > size || (*mark == '=' && n < size))
        return false;
    return memcmp(*mark == '^' ? value->text : value->text + size - n, mark + 1, n) == 0;
}

static int count_paths(const struct tree *tree, const char *p, const char *end)
{
    int count = 0;
    while (p < end) {
        const char *bar = memchr(p, '|', (size_t)(end - p)), *stop = bar ? bar : end;
        count += holds_path(tree, p, stop);
        p = stop + (stop < end);
    }
    return count;
}

/* True when no key at the top is outside the list. */
static bool holds_only(const struct tree *tree, const char *p, const char *end)
{
    for (size_t i = 0; i < tree->count; i++) {
        const char *path = tree->item[i].path;
        bool is_listed = false;
        for (const char *at = p; at < end && !is_listed;) {
            const char *bar = memchr(at, '|', (size_t)(end - at)), *stop = bar ? bar : end;
            is_listed = is_at(path, at, stop);
            at = stop + (stop < end);
        }
        if (!is_listed)
            return false;
    }
    return tree->count > 0;
}

/* What a plan has beside its keys. */
static bool is_left_open(const char *name)
{
    return strcmp(name, RECOGNISE_ASSUMED) == 0 || strcmp(name, RECOGNISE_UNCERTAIN) == 0 ||
           strcmp(name, RECOGNISE_DEFAULTS) == 0;
}

/* A key at the top that a plan has: a group, a key or its last part. */
static bool is_plan_key(const char *name)
{
    if (is_left_open(name))
        return true;
    for (int i = 0; i < GROUP_plan; i++)
        if (strcmp(name, param_group_names[i]) == 0)
            return true;
    for (int i = 0; i < PARAM_COUNT; i++)
        if (strcmp(name, param_rows[i].key) == 0)
            return true;
    return param_find(name) >= 0;
}

/* Keys of other programs below groups that have the names of ours. */
static const char foreign[] =
    "model.tensor_model_parallel_size|model.pipeline_model_parallel_size|model.context_parallel_size|"
    "model.sequence_parallel|model.seq_length|model.d_model|model.n_layers|train.train_iters|train.eval_iters|"
    "train.micro_batch_size_per_gpu";

static bool holds_plan(const struct tree *tree)
{
    enum { FEW = 4 }; /* so few may all be misspelt */
    size_t known = 0, whole = 0;
    for (size_t i = 0; i < tree->count; i++) {
        char *top = xstrndup(tree->item[i].path, strcspn(tree->item[i].path, "."));
        known += is_plan_key(top);
        whole += is_left_open(top) || is_plan_key(tree->item[i].path);
        free(top);
    }
    return known == tree->count && (2 * whole >= known || known < FEW) &&
           count_paths(tree, foreign, foreign + strlen(foreign)) == 0;
}

/* True when names speak of a batch and of two of an optimizer, a model and a length, as every training's do. */
static bool holds_training(const struct tree *tree)
{
    static const char *const kinds[] = {"batch|bsz|mbs", "lr|optimizer|optim|learning",
                                        "model|layer|layers|hidden|pretrain|actor|gpt",
                                        "seq|sequence|seqlen|context|length|len|cutoff",
                                        "accumulation|accum|warmup|warm"};
    bool has[LENGTH(kinds)] = {false};
    for (size_t i = 0; i < tree->count; i++)
        for (size_t k = 0; k < LENGTH(kinds); k++)
            has[k] |= !tree->item[i].is_null && words_any(tree->item[i].path, kinds[k]);
    return has[0] && has[1] + has[2] + has[3] + has[4] >= 2;
}

static bool holds_word(const struct tree *tree, const char *p, const char *end)
{
    static const char two[] = "@two:", only[] = "@only:", plan[] = "@plan", trains[] = "@trains";
    if (*p == '!')
        return count_paths(tree, p + 1, end) == 0;
    if (strncmp(p, two, strlen(two)) == 0)
        return count_paths(tree, p + strlen(two), end) >= 2;
    if (strncmp(p, only, strlen(only)) == 0)
        return holds_only(tree, p + strlen(only), end);
    if (strncmp(p, plan, strlen(plan)) == 0)
        return holds_plan(tree);
    if (strncmp(p, trains, strlen(trains)) == 0)
        return holds_training(tree);
    return count_paths(tree, p, end) > 0;
}

bool recognise_holds(const struct tree *tree, const char *condition)
{
    bool holds = *condition != '\0';
    for (const char *p = condition; *p;) {
        const char *end = p + strcspn(p, " ;");
        holds = holds && holds_word(tree, p, end);
        if (*end == ';' && holds)
            return true;
        holds |= *end == ';';
        p = end + (*end != '\0');
    }
    return holds;
}

/* ---- syntax ----------------------------------------------------------------------------------------------------- */

/* The first character that is neither blank nor in a comment. */
static const char *skip_comments(const char *p)
{
    for (;;) {
        p += strspn(p, " \t\r\n");
        if (*p != '#')
            return p;
        p += strcspn(p, "\n");
    }
}

/* True when the text begins with one of the words, and something else behind it. */
static bool begins(const char *p, const char *const *words)
{
    for (; *words; words++) {
        size_t n = strlen(*words);
        if (strncmp(p, *words, n) == 0 && !isalnum((unsigned char)p[n]) && !strchr("_.:-", p[n] ? p[n] : ' '))
            return true;
    }
    return false;
}

/* The first line that says something is one of a shell: a test, an assignment, a command that sets something. */
static bool is_like_shell(const char *p)
{
    static const char *const words[] = {"export", "source", ".", "cd", "if", "for", "while", "case", "function",
                                        "declare", "bash", "sh", "python", "python3", "accelerate", "deepspeed", "set",
                                        "module", "torchrun", "srun", "mpirun", "coverage", "uv", "echo", "mkdir",
                                        "pip", "pip3", "docker", "ray", "nohup", "wandb", "nvidia-smi", "ulimit", "rm",
                                        "cp", "sleep", "wget", "curl", "git", "sudo", "conda", "sbatch", "read",
                                        "xtuner", "vllm", "sglang", "trtllm-serve", "trtllm-bench", "cat", "podman",
                                        "kubectl", "xpk", "tee", "apt-get", "until", "eval", NULL};
    size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    bool is_assignment = n > 0 && !isdigit((unsigned char)*p) && (p[n] == '=' || strncmp(p + n, "+=", 2) == 0);
    const char *body = n > 0 && strncmp(p + n, "()", 2) == 0 ? p + n + 2 + strspn(p + n + 2, " \t\r\n") : "";
    bool is_function = *body == '{';
    return is_assignment || is_function || strncmp(p, "[ ", 2) == 0 || strncmp(p, "[[ ", 3) == 0 ||
           strncmp(p, "((", 2) == 0 || begins(p, words) || begins(p, command_own_names);
}

/* Two lines of the first ones are as only Python has them. */
static bool is_python(const char *text)
{
    static const char *const words[] = {"import", "from", "def", "class", "@", "parallel = dict", "async def", NULL};
    int lines = 0, found = 0;
    if (strncmp(text, "#!", 2) == 0)
        return memmem(text, strcspn(text, "\n"), "python", strlen("python")) != NULL;
    for (const char *p = text; *p && lines < 400; p += strcspn(p, "\n"), p += *p == '\n', lines++) {
        bool is_from = strncmp(p, "from ", 5) == 0;
        found +=
            is_from ? memmem(p, strcspn(p, "\n"), " import", strlen(" import")) != NULL : *p == '@' || begins(p, words);
        found += memmem(p, strcspn(p, "\n"), " = dict(", strlen(" = dict(")) != NULL;
    }
    return found >= 2;
}

/* True when the first line that says something is `key:`, `key: value`, `---` or a YAML directive. */
static bool is_like_yaml(const char *p)
{
    if (strncmp(p, "---", 3) == 0 || strncmp(p, "%YAML", 5) == 0 || *p == '"' || *p == '{')
        return true;
    size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    return n > 0 && p[n] == ':' && (p[n + 1] == '\0' || isspace((unsigned char)p[n + 1]));
}

/* ---- mappings --------------------------------------------------------------------------------------------------- */

/*
 * True when all but a few paths are a plan's by any name, perhaps below a group that is misspelt, or the only one is
 * close to that: its own faults then say more.
 */
static bool is_near_plan(const struct tree *tree)
{
    size_t known = 0;
    char names[NEAREST_TEXT_MAX];
    for (size_t i = 0; i < tree->count; i++) {
        const char *dot = strrchr(tree->item[i].path, '.'), *last = dot ? dot + 1 : tree->item[i].path;
        known += is_plan_key(last) || param_find_alias(last) >= 0;
    }
    if (tree->count != 1)
        return 2 * known >= tree->count && tree->count - known < 3;
    struct nearest nearest = {.typed = tree->item[0].path};
    param_nearest(&nearest);
    return known > 0 || nearest_list(&nearest, names) > 0;
}

static enum plan_kind kind_of_keys(const struct tree *tree, enum tree_format format)
{
    bool is_json = format == TREE_JSON;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (tree->count > 0 && recognise_holds(tree, formats[kind].holds))
            return kind == KIND_YAML && is_json ? KIND_JSON : (enum plan_kind)kind;
    return !is_near_plan(tree) ? KIND_MAPPING : is_json ? KIND_JSON : KIND_YAML;
}

/* Drops values by number, such as those of each step of a run: they decide nothing, and may be thousands. */
static void drop_numbered(struct tree *tree)
{
    size_t kept = 0;
    for (size_t i = 0; i < tree->count; i++) {
        const char *dot = strrchr(tree->item[i].path, '.'), *last = dot ? dot + 1 : tree->item[i].path;
        if (kept > 0 && last[strspn(last, "0123456789")] == '\0') {
            free(tree->item[i].path);
            free(tree->item[i].text);
        } else {
            tree->item[kept++] = tree->item[i];
        }
    }
    tree->count = kept;
}

/* What a mapping is; KIND_UNKNOWN for what is none. */
static enum plan_kind kind_of_mapping(const char *text, size_t size, bool is_braced)
{
    struct tree tree;
    struct errors errors = {0};
    enum tree_format format = tree_format(text, size);
    enum plan_kind kind = KIND_UNKNOWN;
    if (tree_read(text, size, "", format, TREE_LENIENT, &tree, &errors) == 0) {
        drop_numbered(&tree);
        kind = kind_of_keys(&tree, format);
    }
    if (is_braced && (kind == KIND_YAML || kind == KIND_UNKNOWN) &&
        strchr("\"}", text[1 + strspn(text + 1, " \t\r\n")]))
        kind = KIND_JSON; /* its faults say what is wrong */
    tree_free(&tree);
    errors_free(&errors);
    return kind;
}

/* ---- whole texts ------------------------------------------------------------------------------------------------ */

/* Files that may be too large to be read as keys, by what stands near their beginning. */
static enum plan_kind kind_of_head(const char *text, size_t size)
{
    enum { HEAD = 2048 };
    static const struct {
        const char *mark;
        enum plan_kind kind;
    } rows[] = {{"\"added_tokens\"", KIND_TOKENIZER}, {"\"weight_map\"", KIND_WEIGHTS}, {"\"cell_type\"", KIND_PYTHON},
                {"\"nbformat\"", KIND_PYTHON}};
    for (size_t i = 0; i < LENGTH(rows); i++)
        if (memmem(text, size < HEAD ? size : HEAD, rows[i].mark, strlen(rows[i].mark)))
            return rows[i].kind;
    return KIND_UNKNOWN;
}

/* True for a script of ms-swift or Megatron-Bridge, which take Megatron's flags under their own rules. */
static bool is_own(const char *text, size_t size)
{
    static const char *const verbs[] = {"megatron sft", "megatron pt", "megatron rlhf", "megatron export",
                                        "--model_recipe_name"};
    for (size_t i = 0; i < LENGTH(verbs); i++)
        if (memmem(text, size, verbs[i], strlen(verbs[i])))
            return true;
    return false;
}

static enum plan_kind kind_of_script(const char *text, size_t size)
{
    if (is_own(text, size))
        return KIND_SCRIPT;
    return megatron_recognise(text, size) ? KIND_MEGATRON : KIND_SCRIPT;
}

/* Whether a server is started somewhere: behind a prompt, `nsys profile`, an alias of `docker run`. */
static bool has_server(const char *text)
{
    static const char *const words[] = {"vllm serve ", "vllm.entrypoints.", "sglang.launch_server ", "trtllm-serve "};
    bool has = false;
    for (size_t i = 0; i < LENGTH(words); i++)
        has |= strstr(text, words[i]) != NULL;
    return has;
}

enum plan_kind plan_recognise(const char *text, size_t size)
{
    static const char bom[] = "\xef\xbb\xbf";
    size_t skip = strncmp(text, bom, strlen(bom)) == 0 ? strlen(bom) : 0;
    skip += strspn(text + skip, " \t\r\n");
    text += skip;
    size -= skip;
    const char *first = skip_comments(text);
    if (!*first)
        return KIND_EMPTY;
    enum plan_kind kind = *text == '{' ? kind_of_head(text, size) : KIND_UNKNOWN;
    if (kind != KIND_UNKNOWN)
        return kind;
    if (slurm_recognise(text))
        return KIND_SLURM_NODES;
    if (log_server_recognise(text))
        return KIND_SERVER_LOG;
    if (is_python(text))
        return KIND_PYTHON;
    if (strncmp(text, "#!", 2) == 0 || is_like_shell(first))
        return kind_of_script(text, size);
    if (args_is_dump(text, size))
        return KIND_ARGUMENTS;
    kind = kind_of_mapping(text, size, *text == '{');
    if (kind != KIND_UNKNOWN)
        return kind;
    if (tree_format(text, size) == TREE_JSON && *text == '[')
        return KIND_LIST;
    if (is_like_yaml(first))
        return KIND_YAML;
    return megatron_recognise(text, size) ? kind_of_script(text, size) : has_server(text) ? KIND_SCRIPT : KIND_UNKNOWN;
}

/* ---- what is not read ------------------------------------------------------------------------------------------- */

/* `a, b, c, ...`: the keys at the top. */
static void put_keys(struct buffer *out, const char *text, size_t size)
{
    enum { SHOWN = 5 };
    struct tree tree;
    struct errors errors = {0};
    size_t last = 0, shown = 0;
    tree_read(text, size, "", tree_format(text, size), TREE_LENIENT, &tree, &errors);
    for (size_t i = 0; i < tree.count && shown <= SHOWN; i++) {
        size_t n = strcspn(tree.item[i].path, ".");
        if (n == 0 || (i > 0 && strncmp(tree.item[i].path, tree.item[last].path, n) == 0 &&
                       strcspn(tree.item[last].path, ".") == n))
            continue;
        last = i;
        if (shown++ < SHOWN)
            buffer_printf(out, "%s%.*s", shown > 1 ? ", " : "", (int)(n < 40 ? n : 40), tree.item[i].path);
        else
            buffer_puts(out, ", ...");
    }
    tree_free(&tree);
    errors_free(&errors);
}

void recognise_refuse(enum plan_kind kind, const char *text, size_t size, const char *name, struct errors *errors)
{
    struct buffer keys = {0};
    if (kind == KIND_EMPTY) {
        errors_add(errors, name, 0, NULL, "is empty; write at least `model: NAME`");
    } else if (kind == KIND_UNKNOWN) {
        errors_add(errors, name, 0, NULL, "format not recognised; see `shardtop list formats`");
    } else if (kind == KIND_MAPPING) {
        put_keys(&keys, text, size);
        errors_add(errors, name, 0, NULL,
                   "is a mapping with the keys %s; no format that is known has them; give the script that starts the "
                   "run, or a plan (`shardtop list keys`)",
                   keys.text);
    } else {
        errors_add(errors, name, 0, NULL, "looks like %s; %s", formats[kind].what, formats[kind].instead);
    }
    buffer_free(&keys);
}

enum plan_kind plan_recognise_head(int fd)
{
    enum { HEAD = 1 << 16 };
    char *head = xmalloc(HEAD);
    ssize_t n = pread(fd, head, HEAD - 1, 0);
    head[n > 0 ? n : 0] = '\0';
    enum plan_kind kind = n > 0 ? plan_recognise(head, (size_t)n) : KIND_UNKNOWN;
    free(head);
    return kind;
}
