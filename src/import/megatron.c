#include "src/import/megatron.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "src/import/arguments.h"
#include "src/import/branch.h"
#include "src/import/entry.h"
#include "src/import/sibling_files.h"
#include "src/import/import.h"
#include "src/import/megatron_flags.h"
#include "src/import/server.h"
#include "src/import/table.h"
#include "src/import/unknown.h"
#include "src/shell/shell.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- collecting flags ------------------------------------------------------------------------------------------ */

static bool is_flag(const char *text)
{
    return text[0] == '-' && (text[1] == '-' ? text[2] != '\0' : isalpha((unsigned char)text[1]));
}

static bool is_long_flag(const char *text)
{
    return strncmp(text, "--", 2) == 0 && isalpha((unsigned char)text[2]);
}

/* A key is listed once. */
static void unused_add(struct megatron *im, const struct shell_word *w, const char *why)
{
    char *name = xstrndup(w->text, strcspn(w->text, "="));
    for (char *p = name; *p; p++)
        if (*p == '_')
            *p = '-';
    bool is_listed = keyvals_last(&im->out->unused, name);
    if (!is_listed)
        keyvals_add(&im->out->unused, name, why, w->line);
    if (!is_listed && strcmp(why, IMPORT_NO_EFFECT) != 0 && strcmp(why, IMPORT_NOT_KNOWN) != 0)
        errors_warn(im->errors, im->file, w->line, name, "%s", why);
    free(name);
}

/* Takes one word as (part of) a value of the flag. */
static void seen_take(struct seen *s, const struct shell_word *w, const char *text)
{
    char *joined = s->value[0] ? xasprintf("%s %s", s->value, text) : xstrdup(text);
    free(s->value);
    s->value = joined;
    s->is_unknown |= w->is_unknown;
    s->is_uncertain |= w->is_uncertain;
    if (w->why && !s->why)
        s->why = shell_reason_copy(w->why);
}

static void seen_begin(struct seen *s, const struct shell_word *w)
{
    free(s->value);
    shell_reason_free(s->why);
    *s = (struct seen){.is_given = true, .is_uncertain = w->is_uncertain, .line = w->line};
    s->value = xstrdup("");
    s->why = w->is_uncertain ? shell_reason_copy(w->why) : NULL;
}

/* True if the word at `i` can be a value: not a flag, though a negative number is none. */
static bool is_value(const struct megatron *im, size_t i)
{
    return i < im->count && !is_flag(im->word[i].text);
}

/* How many words behind the flag at `at` are its value. */
static size_t value_count(const struct megatron *im, size_t at, int arity)
{
    size_t n = 0;
    if (strchr(im->word[at].text, '='))
        return 0;
    while (is_value(im, at + 1 + n) && (arity == MEGATRON_SEVERAL || n < (size_t)arity))
        n++;
    return n;
}

static void refuse(struct megatron *im, const struct shell_word *w, const char *name, const char *what)
{
    errors_add(im->errors, im->file, w->line, name,
               "starts a model with %s, which is not supported; give a decoder-only transformer", what);
}

/* Refuses a flag of other models; 0 and None are defaults that a run prints. */
static void refuse_flag(struct megatron *im, const struct shell_word *w, const struct flag_row *row)
{
    const char *value = im->seen[row - flag_row].value;
    if (strcmp(value, "0") != 0 && strcmp(value, "0.0") != 0 && strcmp(value, "None") != 0)
        refuse(im, w, row->name, row->value);
}

/* Refuses a program that trains models of another kind, and notes one that trains hybrids. */
static void take_program(struct megatron *im, const struct shell_word *w)
{
    static const char *const others[][2] = {{"pretrain_bert.py", "an encoder"}, {"pretrain_ict.py", "an encoder"},
                                            {"pretrain_t5.py", "an encoder and a decoder"},
                                            {"pretrain_retro.py", "a retriever"}};
    const char *slash = strrchr(w->text, '/'), *name = slash ? slash + 1 : w->text;
    for (size_t i = 0; i < LENGTH(others); i++)
        if (strcmp(name, others[i][0]) == 0)
            refuse(im, w, name, others[i][1]);
    im->is_hybrid |= strcmp(name, "pretrain_mamba.py") == 0 || strcmp(name, "pretrain_hybrid.py") == 0;
}

static void take_flag(struct megatron *im, const struct flag_row *row)
{
    const struct shell_word *w = &im->word[im->at];
    struct seen *s = &im->seen[row - flag_row];
    const char *equals = strchr(w->text, '=');
    size_t n = value_count(im, im->at, row->arity);
    seen_begin(s, w);
    if (equals)
        seen_take(s, w, equals + 1);
    for (size_t i = 1; i <= n; i++)
        seen_take(s, &im->word[im->at + i], im->word[im->at + i].text);
    if (row->kind == FLAG_UNMODELLED && !(n == 1 && strcmp(im->word[im->at + 1].text, "0") == 0)) {
        unused_add(im, w, row->value ? row->value : IMPORT_NOT_MODELLED);
        if (!row->value)
            unknown_keep(im->out, row->name, s->value, w->line);
    }
    if (row->kind == FLAG_OTHER_MODEL)
        refuse_flag(im, w, row);
    if (row->arity == 1 && n == 0 && !equals) {
        s->is_given = false;
        note_unreadable(im, s, "needs a value after it");
    }
    im->at += 1 + n;
}

/* Passes over a word that is no flag of the table; returns whether it is Megatron's at all. */
static bool take_other(struct megatron *im)
{
    const struct shell_word *w = &im->word[im->at];
    int arity = 0;
    bool is_known = flag_is_other(w->text, &arity);
    if (is_known)
        unused_add(im, w, IMPORT_NO_EFFECT);
    im->at += 1 + (is_known ? value_count(im, im->at, arity) : 0);
    return is_known;
}

static const struct flag_row *row_at(const struct megatron *im)
{
    const char *word = im->word[im->at].text;
    bool is_each = im->launch == LAUNCH_MPI && strcmp(word, "-N") == 0; /* Open MPI and aprun: ranks of a node */
    const struct flag_row *row = flag_find(is_each ? "-npernode" : word);
    bool is_letter = row && row->name[1] != '-'; /* may mean anything to other commands */
    return row && !(row->is_launcher && (im->is_script || (is_letter && im->launch == LAUNCH_NONE))) ? row : NULL;
}

static void release_seen(struct megatron *im)
{
    for (size_t i = 0; i < FLAG_ROWS; i++) {
        free(im->seen[i].value);
        shell_reason_free(im->seen[i].why);
    }
}

/* Fills in the flags that rules read together with others, as the plan that is changed has them. */
static void add_context(struct megatron *im)
{
    static const struct {
        const char *flag;
        enum param key;
        const char *when; /* the value at which a switch is given; NULL: the flag takes any value */
    } rows[] = {
        {"--num-layers", PARAM_model_num_layers, NULL},
        {"--num-experts", PARAM_model_num_experts, NULL},
        {"--seq-length", PARAM_train_seq_length, NULL},
        {"--micro-batch-size", PARAM_train_micro_batch_size, NULL},
        {"--global-batch-size", PARAM_train_global_batch_size, NULL},
        {"--tensor-model-parallel-size", PARAM_parallel_tp, NULL},
        {"--pipeline-model-parallel-size", PARAM_parallel_pp, NULL},
        {"--context-parallel-size", PARAM_parallel_cp, NULL},
        {"--group-query-attention", PARAM_plan_workload, ""},
        {"--swiglu", PARAM_model_gated_mlp, "true"},
        {"--optimizer-cpu-offload", PARAM_train_offload_optimizer, NULL},
        {"--cross-entropy-loss-fusion", PARAM_train_cross_entropy, "te_fused"},
        {"--cross-entropy-loss-fusion", PARAM_train_cross_entropy, "native_fused"},
        {"--fp8-recipe", PARAM_framework_fp8_recipe, "mxfp8"},
    };
    char value[PARAM_TEXT_MAX];
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct seen *s = &im->seen[flag_find(rows[i].flag) - flag_row];
        int size = param_print(im->out->base, rows[i].key, value, sizeof value);
        bool is_off = size <= 0 || strcmp(value, "0") == 0;
        bool is_it = !rows[i].when ? !is_off : !*rows[i].when || strcmp(value, rows[i].when) == 0;
        if (!s->is_given && is_it)
            *s = (struct seen){.is_given = true, .is_context = true, .value = xstrdup(value)};
    }
}

static void finish(struct megatron *im)
{
    if (im->out->is_change)
        add_context(im);
    apply_rules(im);
    release_seen(im);
}

/* ---- argument vectors ------------------------------------------------------------------------------------------ */

int megatron_words(const struct shell_word *word, size_t count, const char *file, struct import *out, int *rest,
                   struct errors *errors)
{
    struct megatron *im = xmalloc(sizeof *im);
    int left = 0;
    *im = (struct megatron){.file = file, .errors = errors, .out = out, .word = word, .count = count,
                            .is_script = true};
    while (im->at < im->count) {
        size_t at = im->at;
        const struct flag_row *row = row_at(im);
        if (row)
            take_flag(im, row);
        else if (!take_other(im) && !text_ends_with(word[at].text, ".py"))
            rest[left++] = (int)at;
    }
    finish(im);
    free(im);
    return left;
}

int megatron_arguments(int argc, char **argv, struct import *out, int *rest, struct errors *errors)
{
    struct shell_word *word = xmalloc(((size_t)argc + 1) * sizeof *word);
    for (int i = 0; i < argc; i++)
        word[i] = (struct shell_word){.text = argv[i]};
    int left = megatron_words(word, (size_t)argc, NULL, out, rest, errors);
    free(word);
    return left;
}

/* ---- scripts ------------------------------------------------------------------------------------------------- */

/* Flags by which a training command is told from others. */
static const char *const telling[] = {
    "--num-layers",       "--hidden-size",        "--num-attention-heads",        "--seq-length",
    "--micro-batch-size", "--global-batch-size",  "--tensor-model-parallel-size", "--pipeline-model-parallel-size",
    "--ffn-hidden-size",  "--encoder-num-layers", "--max-position-embeddings",    "--use-distributed-optimizer",
};

enum { TELLING = LENGTH(telling), TELLING_MIN = 2, COMMAND_DEPTH = 16 };

static size_t command_telling(const struct shell_command *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < TELLING; k++)
            n += flag_is(c->word[i].text, telling[k]);
    return n;
}

/* What starts one process for each GPU, as it is called. */
static bool is_launcher(const char *word)
{
    static const char *const name[] = {"torchrun", "torch.distributed.launch", "torch.distributed.run"};
    for (size_t i = 0; i < LENGTH(name); i++)
        if (text_ends_with(word, name[i]))
            return true;
    return false;
}

/* The word that is started: the first Python file, or a module that is no launcher; NULL for none. */
static const char *program_of(const struct shell_command *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const char *word = c->word[i].text, *before = i > 0 ? c->word[i - 1].text : "";
        bool is_module = strcmp(before, "-m") == 0 || strcmp(before, "--module") == 0;
        if (text_ends_with(word, ".py") || (is_module && !is_launcher(word)))
            return word;
    }
    return NULL;
}

/* What a command does, told by its program; a command without one only has flags. */
static enum entry_kind entry_of(const struct shell_command *c)
{
    const char *program = program_of(c);
    return program ? entry_kind_of(program) : ENTRY_TRAINS;
}

/* Commands that only show or write text pass no flags to a training. */
static bool passes_flags(const struct shell_command *c)
{
    static const char *const shown[] = {"echo", "printf", "cat", "export", "log", "print"};
    for (size_t i = 0; i < LENGTH(shown); i++)
        if (c->count > 0 && strcmp(c->word[0].text, shown[i]) == 0)
            return false;
    return command_telling(c) >= TELLING_MIN;
}

/* True for a command that trains, or whose program is unknown. */
static bool is_training(const struct shell_command *c)
{
    return passes_flags(c) && entry_of(c) <= ENTRY_TRAINS;
}

/* The first command that passes a model's flags to a program that does not train; NULL for none. */
static const struct shell_command *find_other(const struct shell_script *script)
{
    const struct shell_command *found = NULL;
    for (size_t i = 0; i < script->count; i++)
        if (passes_flags(&script->command[i]) && (!found || entry_of(found) != ENTRY_SERVES))
            found = entry_of(&script->command[i]) == ENTRY_SERVES || !found ? &script->command[i] : found;
    return found;
}

/* What the word starts, `before` where nothing that is known. */
static enum launch_kind launch_of(const char *word, enum launch_kind before)
{
    static const struct {
        const char *name;
        enum launch_kind kind;
    } row[] = {{"srun", LAUNCH_SCHEDULER},   {"sbatch", LAUNCH_SCHEDULER}, {"salloc", LAUNCH_SCHEDULER},
               {"mpirun", LAUNCH_MPI},
               {"mpiexec", LAUNCH_MPI},      {"orterun", LAUNCH_MPI},      {"prun", LAUNCH_MPI},
               {"aprun", LAUNCH_MPI}};
    const char *slash = strrchr(word, '/'), *name = slash ? slash + 1 : word;
    for (size_t i = 0; i < LENGTH(row); i++)
        if (strcmp(name, row[i].name) == 0)
            return row[i].kind;
    return before;
}

/* `-N8` as a flag and its value; false for any other word. */
static bool take_attached(struct megatron *im)
{
    const struct shell_word *w = &im->word[im->at];
    bool is_it = im->launch == LAUNCH_SCHEDULER && !im->is_script && w->text[0] == '-' && w->text[1] &&
                 strchr("NnG", w->text[1]) && isdigit((unsigned char)w->text[2]);
    if (!is_it)
        return false;
    char flag[3] = {'-', w->text[1], '\0'};
    struct seen *s = &im->seen[flag_find(flag) - flag_row];
    seen_begin(s, w);
    seen_take(s, w, w->text + 2);
    im->at++;
    return true;
}

static bool is_script_name(const struct shell_word *w)
{
    return text_ends_with(w->text, ".py");
}

/* Remarks once on each kind of words that may hold flags and are not known. */
static void note_hidden_words(struct megatron *im, const struct shell_word *w)
{
    if (!w->is_unknown || *w->text || w == im->word)
        return;
    for (const struct shell_word *other = im->word; other < w; other++)
        if (other->is_unknown && shell_reason_equal(other->why, w->why))
            return;
    char *why = shell_reason_text(w->why), *source = w->why ? shell_reason_source(w->why) : xstrdup("a word");
    errors_note(im->errors, im->file, w->line, NULL, "a part of the training command %s; its flags are not read", why);
    import_hide(im->out, source);
    free(source);
    free(why);
}

/* A flag that no table has, with its value: most flags have one. */
static void take_unknown(struct megatron *im, const struct shell_word *w)
{
    const char *equals = strchr(w->text, '=');
    size_t n = value_count(im, im->at - 1, 1);
    char *name = xstrndup(w->text, strcspn(w->text, "="));
    im->unknown_flags++;
    unused_add(im, w, IMPORT_NOT_KNOWN);
    const char *value = equals ? equals + 1 : n > 0 ? im->word[im->at].text : "";
    if (!unknown_keep(im->out, name, value, w->line) && !tree_is_harmless(name))
        unknown_refuse(im->out, "megatron", NULL, &(struct keyval){name, (char *)value, w->line});
    im->at += n;
    free(name);
}

/* Takes one word of a command, and what belongs to it. */
static void take_word(struct megatron *im)
{
    const struct shell_word *w = &im->word[im->at];
    im->launch = im->is_script ? im->launch : launch_of(w->text, im->launch);
    const struct flag_row *row = row_at(im);
    im->has_launcher |= is_launcher(w->text);
    if (take_attached(im))
        return;
    if (row) {
        take_flag(im, row);
        return;
    }
    if (take_other(im))
        return;
    if (is_script_name(w)) {
        if (w->is_uncertain) /* another branch starts another program */
            keyvals_add(&im->out->unread, "framework.name", w->text, w->line);
        else
            take_program(im, w);
        im->program = w->text;
        im->is_script = true;
    } else if (is_long_flag(w->text) && im->is_script) {
        take_unknown(im, w);
    } else if (im->is_script) {
        note_hidden_words(im, w);
    }
}

/* Takes the words of a command; those of the commands around it (srun ... bash -c) come first. */
static void take_command(struct megatron *im, const struct shell_script *script, const struct shell_command *c,
                         int depth)
{
    if (c->parent > 0 && depth < COMMAND_DEPTH)
        take_command(im, script, &script->command[c->parent - 1], depth + 1);
    bool has_script = false;
    for (size_t i = 0; i < c->count; i++)
        has_script |= is_script_name(&c->word[i]);
    im->is_alone = depth == 0 && c->parent == 0 && c->count > 0 && strncmp(c->word[0].text, "python", 6) == 0;
    im->word = c->word;
    im->count = c->count;
    im->is_script = !has_script && depth == 0;
    for (im->at = 0; im->at < im->count;) {
        if (depth > 0 && im->at + 1 < im->count && strcmp(im->word[im->at].text, "-c") == 0)
            break;
        take_word(im);
    }
}

/* What the scheduler is told, for what no command says. */
static void take_directives(struct megatron *im, const struct keyvals *directives)
{
    im->launch = LAUNCH_SCHEDULER;
    im->is_script = false;
    im->is_alone &= directives->count == 0;
    for (size_t i = 0; i < directives->count; i++) {
        const struct keyval *it = &directives->item[i];
        const struct flag_row *row = flag_find(it->key);
        struct shell_word word[2] = {{.text = it->key, .line = it->line}, {.text = it->value, .line = it->line}};
        im->word = word;
        im->count = 2;
        im->at = 0;
        if (row && row->is_launcher && *it->value && !is_known_value(&im->seen[row - flag_row]))
            take_flag(im, row);
    }
}

/* Remarks on flags that begin a command of their own, and asks for what they would decide. */
static void note_orphans(struct megatron *im, const struct shell_script *script)
{
    for (size_t i = 0; i < script->count; i++) {
        const struct shell_command *c = &script->command[i];
        const struct flag_row *row = c->count > 0 && is_long_flag(c->word[0].text) ? flag_find(c->word[0].text) : NULL;
        if (!row)
            continue;
        errors_note(im->errors, im->file, c->line, row->name,
                    "belongs to no command, because a comment or a missing backslash ends the line above; it is not "
                    "passed");
        if (row->key)
            import_ask(im->out, row->key, &(struct asked){row->name, "", im->file, c->line, "--set KEY=VALUE", false});
    }
}

bool megatron_is_same(const struct shell_command *a, const struct shell_command *b)
{
    bool is_same = a->line == b->line && a->count == b->count;
    for (size_t i = 0; i < a->count && is_same; i++)
        is_same = strcmp(a->word[i].text, b->word[i].text) == 0;
    return is_same;
}

/* The keys of a flag that commands of two branches do not share are open. */
static void doubt_flag(void *context, const char *flag, int line)
{
    struct megatron *im = context;
    const struct flag_row *row = flag_find(flag);
    if (row && row->key)
        keyvals_add(&im->out->unread, row->key, "in another branch", line);
    else if (!row)
        unknown_keep(im->out, flag, "", line);
}

/*
 * The command to take: the one that the caller chose, else the first that runs for certain, else the first; NULL if
 * there is none.
 */
static const struct shell_command *find_training(struct megatron *im, const struct shell_script *script,
                                                 struct server_choice *choice)
{
    const struct shell_command *found = NULL, *last = NULL, *chosen = NULL;
    size_t wanted = im->out->options ? (size_t)im->out->options->command : 0;
    for (size_t i = 0; i < script->count; i++) {
        const struct shell_command *c = &script->command[i];
        if (!is_training(c))
            continue;
        if (!last || !megatron_is_same(last, c))
            server_count(choice, c->line);
        chosen = choice->all == wanted && !chosen ? c : chosen;
        if (!found || (found->is_uncertain && !c->is_uncertain))
            found = c;
        last = c;
    }
    if (found)
        server_choose(script, choice, im->file, im->out, im->errors);
    if (found && found->is_uncertain && !chosen) {
        errors_note(im->errors, im->file, found->line, NULL,
                    "whether this command runs depends on a condition that is not known");
        branch_differs(script, found, doubt_flag, im);
    }
    return chosen ? chosen : found;
}

/* Without a command, a file that only sets variables: those that hold flags, in the order they were set. */
static bool take_variables(struct megatron *im, const struct shell_script *script)
{
    static const char *const rest[][2] = { /* what such a file leaves out */
        {"parallel.tp", "1"}, {"train.micro_batch_size", "1"}, {"parallel.zero_stage", "0"}};
    struct buffer names = {0};
    for (size_t i = 0; i < script->variables; i++) {
        const struct shell_command *v = &script->variable[i];
        if (command_telling(v) == 0)
            continue;
        buffer_printf(&names, names.size ? ", $%s" : "$%s", v->word[0].text);
        im->word = v->word + 1;
        im->count = v->count - 1;
        im->is_script = true;
        for (im->at = 0; im->at < im->count;)
            take_word(im);
    }
    bool is_found = names.size > 0;
    if (is_found)
        errors_note(im->errors, im->file, 0, NULL, "no command runs training; the flags are those of %s", names.text);
    for (size_t i = 0; i < LENGTH(rest) && is_found; i++)
        import_ask(im->out, rest[i][0],
                   &(struct asked){"the command", rest[i][1], im->file, 0, "the script that starts it", false});
    buffer_free(&names);
    return is_found;
}

/* Asks whether a program trains that the name does not tell of. */
static void ask_workload(struct megatron *im, const struct shell_command *c)
{
    if (entry_of(c) == ENTRY_UNKNOWN)
        import_ask(im->out, param_rows[PARAM_plan_workload].dotted,
                   &(struct asked){program_of(c), "train", im->file, c->line, "--set workload=train", false});
}

/* Takes a command that does not train: one that generates text is estimated as that, others are refused. */
static bool take_other_command(struct megatron *im, const struct shell_script *script, const struct shell_command *c)
{
    if (entry_of(c) == ENTRY_SERVES) {
        keyvals_add(&im->out->settings, param_rows[PARAM_plan_workload].dotted, "inference", c->line);
        take_command(im, script, c, 0);
        return true;
    }
    errors_add(im->errors, im->file, c->line, NULL, "%.80s %s; it does not train; give a training script",
               program_of(c), entry_does[entry_of(c)]);
    return false;
}

static bool take_script(struct megatron *im, const struct shell_script *script)
{
    struct server_choice choice = {0};
    const struct shell_command *c = find_training(im, script, &choice), *other = c ? NULL : find_other(script);
    im->serves = server_read_wanted(script, &choice, im->file, im->out, im->errors);
    if (im->serves)
        return true;
    note_orphans(im, script);
    if (other)
        return take_other_command(im, script, other);
    if (!c)
        return take_variables(im, script);
    ask_workload(im, c);
    take_command(im, script, c, 0);
    return true;
}

/* The variables that a script may read: the caller's, then the scheduler's. */
struct variables {
    const struct import *import;
    const struct keyvals *arguments; /* by name */
    struct keyvals scheduler;
    char *folder; /* of the script, NULL where it is not known */
};

static const char *look_up(const void *context, const char *name)
{
    const struct variables *variables = context;
    if (isdigit((unsigned char)*name))
        return arguments_given(variables->import, variables->arguments, name);
    const char *given = import_variable(variables->import, name);
    const struct keyval *set = given ? NULL : keyvals_last(&variables->scheduler, name);
    return set ? set->value : given;
}

static char *read_sourced(const void *context, const char *path, size_t *size)
{
    const struct variables *variables = context;
    return beside_open(variables->import->options, path, size);
}

/* The folder of the script's file in fresh memory. */
static char *folder_of(const struct import *import)
{
    const char *path = import->options ? import->options->path : NULL, *slash = path ? strrchr(path, '/') : NULL;
    return !path ? NULL : slash ? xstrndup(path, (size_t)(slash - path) + (slash == path)) : xstrdup(".");
}

static struct shell_options shell_options_of(const struct variables *variables)
{
    struct shell_options options = {.lookup = look_up, .context = variables};
    const struct import *import = variables->import;
    if (import->options) {
        options.folder = variables->folder;
        options.read = read_sourced;
        bool is_named = arguments_are_named(import, variables->arguments);
        options.argument = is_named ? NULL : import->options->argument;
        options.arguments = is_named ? 0 : import->options->arguments;
    }
    return options;
}

int megatron_open(const char *text, size_t size, const char *name, struct import *out, struct megatron_script *script,
                  struct errors *errors)
{
    struct variables variables = {.import = out, .folder = folder_of(out), .arguments = &script->arguments};
    *script = (struct megatron_script){.script = xmalloc(sizeof *script->script)};
    arguments_name(text, size, &script->arguments);
    arguments_check(out, &script->arguments, name, errors);
    launch_directives(text, size, &script->directives);
    launch_variables(&script->directives, &variables.scheduler);
    const struct shell_options options = shell_options_of(&variables);
    int result = shell_read(text, size, name, &options, script->script, errors);
    out->written = &script->script->file;
    keyvals_free(&variables.scheduler);
    free(variables.folder);
    return result;
}

void megatron_close(struct megatron_script *script, struct import *out)
{
    out->written = NULL;
    shell_free(script->script);
    free(script->script);
    keyvals_free(&script->directives);
    keyvals_free(&script->arguments);
}

void megatron_hardware(const struct megatron_script *script, size_t index, size_t words, const char *name,
                       struct import *out, struct errors *errors)
{
    struct megatron *im = xmalloc(sizeof *im);
    struct import scratch = {0}; /* for what is none of the launcher's */
    const struct shell_command *command = &script->script->command[index];
    *im = (struct megatron){.file = name, .errors = errors, .out = &scratch};
    if (command->parent > 0)
        take_command(im, script->script, &script->script->command[command->parent - 1], 1);
    im->word = command->word;
    im->count = words;
    im->is_script = false;
    for (im->at = 0; im->at < im->count;)
        take_word(im);
    take_directives(im, &script->directives);
    im->out = out;
    rule_hardware(im);
    launch_fabric(script->script, out);
    release_seen(im);
    import_free(&scratch);
    free(im);
}

int megatron_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors)
{
    struct megatron_script script;
    struct megatron *im = xmalloc(sizeof *im);
    size_t faults = errors->faults;
    *im = (struct megatron){
        .file = name, .errors = errors, .out = out, .names_model = true, .arguments = &script.arguments};
    int result = megatron_open(text, size, name, out, &script, errors);
    if (result == 0 && take_script(im, script.script)) {
        if (!im->serves) {
            take_directives(im, &script.directives);
            launch_fabric(script.script, out);
            finish(im);
        }
        arguments_note(out, &script.arguments, name, false, errors);
    } else if (result == 0 && errors->faults == faults) {
        errors_add(errors, name, 0, NULL,
                   "no command in it passes Megatron's flags (--num-layers, --hidden-size, ...); give the script "
                   "that starts the training");
        result = -1;
    }
    megatron_close(&script, out);
    free(im);
    return errors->faults > faults ? -1 : result;
}

/* True if the text has this flag, in either spelling, as a word. */
static bool text_has_flag(const char *text, size_t size, const char *flag)
{
    const char *p = text, *end = text + size;
    size_t n = strlen(flag);
    while ((p = memchr(p, '-', (size_t)(end - p))) && (size_t)(end - p) > n) {
        size_t k = 0;
        while (k < n && (p[k] == flag[k] || (p[k] == '_' && flag[k] == '-')))
            k++;
        if (k == n && !isalnum((unsigned char)p[n]) && p[n] != '-' && p[n] != '_')
            return true;
        p++;
    }
    return false;
}

bool megatron_recognise(const char *text, size_t size)
{
    size_t n = 0, start = 0;
    while (start < size && isspace((unsigned char)text[start]))
        start++;
    if (start < size && text[start] == '{')
        return false; /* JSON */
    for (size_t i = 0; i < TELLING; i++)
        n += text_has_flag(text, size, telling[i]);
    return n >= TELLING_MIN;
}
