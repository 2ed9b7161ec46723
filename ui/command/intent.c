#include "ui/command/intent.h"

#include "core/base.h"
#include "core/plan/match.h"
#include "core/plan/nearest.h"
#include "core/plan/param.h"
#include "ui/state/state.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- the data ---------------------------------------------------------------------------------------------------- */

static const struct {
    const char *kind, *item, *phrases;
} intents[] = {
#define STOP(words)
#define SAME(word, others)
#define INTENT(KIND, item, phrases) {#KIND, item, phrases},
#include "ui/command/intent.def"
#undef STOP
#undef INTENT
};

static const char stop_words[] =
#define STOP(words) " " words " "
#define INTENT(KIND, item, phrases)
#include "ui/command/intent.def"
    ;
#undef SAME

static const struct {
    const char *word, *others;
} synonyms[] = {
#undef STOP
#define STOP(words)
#define SAME(word, others) {word, " " others " "},
#include "ui/command/intent.def"
#undef STOP
#undef SAME
#undef INTENT
};

/* ---- words ------------------------------------------------------------------------------------------------------- */

static const double stop_weight = 0.12; /* of a word that says little, beside 1 */

/* Whether a list with blanks around each word has this one. */
static bool lists(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at++)
        if (at > list && at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

/* "out of memory" is one word, oom. */
static bool ends_idiom(struct intent_words *words, const char *typed)
{
    static const char *const before[] = {"out", "of"};
    int n = words->count - 2;
    if (n < 0 || strcmp(typed, "memory") != 0 || strcmp(words->word[n], before[0]) != 0 ||
        strcmp(words->word[n + 1], before[1]) != 0)
        return false;
    words->sum -= words->weight[n] + words->weight[n + 1];
    words->count = n;
    return true;
}

static void add_word(struct intent_words *words, const char *typed)
{
    if (ends_idiom(words, typed))
        typed = "oom";
    if (words->count == INTENT_WORDS_MAX)
        return;
    const char *meant = typed;
    for (size_t i = 0; i < LENGTH(synonyms); i++)
        if (lists(synonyms[i].others, typed))
            meant = synonyms[i].word;
    double weight = lists(stop_words, typed) ? stop_weight : 1;
    int at = words->count++;
    words->weight[at] = weight;
    words->is_said[at] = meant == typed;
    words->sum += weight;
    snprintf(words->word[at], INTENT_WORD_MAX, "%s", meant);
}

/* The next word of a text in small letters: letters and digits, points before digits; true while there is one. */
static bool next_word(const char **at, const char *end, char out[INTENT_WORD_MAX])
{
    size_t n = 0;
    while (*at < end && !isalnum((unsigned char)**at) && **at != '<')
        ++*at;
    for (; *at < end && (isalnum((unsigned char)**at) || strchr("<>_", **at) || (n > 0 && **at == '\'') ||
                         (**at == '.' && *at + 1 < end && isdigit((unsigned char)(*at)[1])));
         ++*at)
        if (n + 1 < INTENT_WORD_MAX && **at != '\'')
            out[n++] = (char)tolower((unsigned char)**at);
    out[n] = '\0';
    return n > 0;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

enum { TYPED_MAX = 24 };

/* A request as it was typed. */
struct typed_words {
    int count;
    char word[TYPED_MAX][INTENT_WORD_MAX];
};

/* A unit, what its figure is called, and by what it is multiplied. */
static const struct unit {
    const char *words; /* blanks around each */
    size_t slot;
    double factor;
    const char *name;
} units[] = {
#define SLOT(member) offsetof(struct inquiry, member)
    {" days day d ", SLOT(days), 1, "<days>"},
    {" weeks week w wk ", SLOT(days), 7, "<days>"},
    {" months month mo ", SLOT(days), 30, "<days>"},
    {" hours hour h hrs ", SLOT(days), 1.0 / 24, "<days>"},
    {" tokens token tok ", SLOT(tokens), 1, "<tokens>"},
    {" users user people customers clients requests concurrent prompts sessions ", SLOT(users), 1, "<users>"},
    {" ms msec milliseconds millisecond ", SLOT(ms_per_token), 1, "<ms>"},
    {" s sec second seconds ", SLOT(first_token), 1, "<ms>"},
    {" gb gib gig gigs gigabytes g ", SLOT(gib), 1, "<gib>"},
    {" gpus gpu cards card accelerators x ", SLOT(gpus), 1, "<gpus>"},
    {" context ctx sequence seq length ", SLOT(context), 1, "<context>"},
#undef SLOT
};

static const struct unit *unit_named(const char *word)
{
    for (size_t i = 0; i < LENGTH(units) && *word; i++)
        if (lists(units[i].words, word))
            return &units[i];
    return NULL;
}

/* "1.5t" is 1.5e12, "30d" 30 with the rest "d"; false for what is no number. */
static bool read_figure(const char *word, double *value, char *scale, const char **rest)
{
    static const struct {
        char letter;
        double factor;
    } scales[] = {{'k', 1e3}, {'m', 1e6}, {'b', 1e9}, {'t', 1e12}};
    char *end;
    *scale = '\0';
    *value = strtod(word, &end);
    if (end == word || !isdigit((unsigned char)*word) || !isfinite(*value))
        return false;
    *rest = end;
    for (size_t i = 0; i < LENGTH(scales); i++)
        if (*end == scales[i].letter && (!end[1] || strncmp(end + 1, "tok", 3) == 0)) {
            *value *= scales[i].factor;
            *scale = *end;
            *rest = end + 1;
        }
    return true;
}

static void take_figure(struct inquiry *r, const struct unit *unit, double value)
{
    *(double *)((char *)r + unit->slot) = value * unit->factor;
    add_word(&r->words, unit->name);
}

/* A figure at word `i`, its unit in the same word or the next one; returns how many words that is. */
static int take_number(struct inquiry *r, const struct typed_words *typed, int i)
{
    double value;
    char scale;
    const char *rest, *next = i + 1 < typed->count ? typed->word[i + 1] : "";
    if (!read_figure(typed->word[i], &value, &scale, &rest))
        return 0;
    const struct unit *own = *rest ? unit_named(rest) : NULL, *after = !*rest ? unit_named(next) : NULL;
    if (own)
        return take_figure(r, own, value), 1;
    if (*rest)
        return 0;
    if (after)
        return take_figure(r, after, scale == 'k' && after == unit_named("context") ? value * 1.024 : value), 2;
    if (scale == 't')
        return take_figure(r, unit_named("tokens"), value), 1;
    if (scale == 'k')
        return take_figure(r, unit_named("context"), value * 1.024), 1;
    return 0;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Whether a name between dashes has this part: rtx-4090 has 4090. */
static bool has_part(const char *name, const char *part)
{
    for (const char *at = name; *at; at += strcspn(at, "-"), at += *at == '-')
        if (strcspn(at, "-") == strlen(part) && strncasecmp(at, part, strlen(part)) == 0)
            return true;
    return false;
}

/* The first preset that has a part, of the family `first` if it has one of those. */
static const char *preset_with(const struct ui *ui, enum param id, const char *part, const char *first)
{
    const char *const *names = NULL, *found = NULL;
    size_t count = ui->host->names ? ui->host->names(ui->host->context, id, &names) : 0;
    for (size_t i = 0; i < count; i++)
        if (has_part(names[i], part) && (!found || (strncmp(found, first, strlen(first)) != 0 &&
                                                    strncmp(names[i], first, strlen(first)) == 0)))
            found = names[i];
    return found;
}

/* The preset that `count` words from `i` name. */
static const char *preset_at(const struct ui *ui, enum param id, const struct typed_words *typed, int i, int count)
{
    char text[4 * INTENT_WORD_MAX] = "";
    size_t used = 0;
    for (int k = 0; k < count; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", k ? " " : "", typed->word[i + k]);
    const char *name = ui_preset(ui, id, text);
    if (name || count > 1)
        return name;
    size_t digits = strspn(text, "0123456789"), n = strlen(text);
    if (id == PARAM_hardware_gpu && (digits == n ? n >= 4 : digits == 0 && strpbrk(text, "0123456789")))
        return preset_with(ui, id, text, "");
    digits = strspn(text, "0123456789.");
    return id == PARAM_model_name && digits > 0 && digits + 1 == n && text[digits] == 'b'
               ? preset_with(ui, id, text, "llama3")
               : NULL;
}

/* A model or GPU at word `i`; returns how many words name it. */
static int take_preset(const struct ui *ui, struct inquiry *r, const struct typed_words *typed, int i)
{
    const struct {
        enum param id;
        char *to;
        const char *word;
    } kinds[] = {{PARAM_model_name, r->model, "<model>"}, {PARAM_hardware_gpu, r->gpu, "<gpu>"}};
    for (int count = 4; count > 0; count--)
        for (size_t k = 0; k < LENGTH(kinds) && i + count <= typed->count; k++) {
            const char *name = preset_at(ui, kinds[k].id, typed, i, count);
            if (!name || *kinds[k].to)
                continue;
            snprintf(kinds[k].to, INTENT_NAME_MAX, "%s", name);
            add_word(&r->words, kinds[k].word);
            return count;
        }
    return 0;
}

static int take_choice(struct inquiry *r, const char *word, enum param key, char *to, const char *name)
{
    const char *const *choices = param_rows[key].choices;
    size_t n = strlen(word);
    for (int i = 0; choices[i] && n >= 4 && !*to; i++) {
        bool is_begin = strncmp(choices[i], word, n) == 0 && strchr("-", choices[i][n]);
        if (!is_begin || strcmp(choices[i], "none") == 0)
            continue;
        snprintf(to, INTENT_NAME_MAX, "%s", choices[i]);
        add_word(&r->words, name);
        return 1;
    }
    return 0;
}

/* ---- the request ------------------------------------------------------------------------------------------------- */

static int take_word(const struct ui *ui, struct inquiry *r, const struct typed_words *typed, int i)
{
    const char *word = typed->word[i];
    int taken = take_number(r, typed, i);
    taken = taken ? taken : take_preset(ui, r, typed, i);
    taken = taken ? taken : take_choice(r, word, PARAM_train_peft, r->method, "<method>");
    if (taken)
        return taken;
    take_choice(r, word, PARAM_framework_name, r->framework, word);
    double value;
    char scale;
    const char *rest;
    if (read_figure(word, &value, &scale, &rest) && scale == 'b') /* no model has that many parameters */
        return take_figure(r, unit_named("tokens"), value), 1;
    if (read_figure(word, &value, &scale, &rest) && i + 1 < typed->count) { /* 64 h100 */
        struct inquiry next = {.words = {.count = INTENT_WORDS_MAX}};
        if (take_preset(ui, &next, typed, i + 1) && *next.gpu && value == floor(value))
            return take_figure(r, unit_named("gpus"), value), 1;
    }
    if (!(*r->framework && r->words.count && strcmp(r->words.word[r->words.count - 1], word) == 0))
        add_word(&r->words, word);
    return 1;
}

/* 8xh100 is 8 x h100. */
static const char *split_times(const char *query, char out[EDIT_MAX])
{
    size_t n = 0;
    for (const char *at = query; *at && n + 3 < EDIT_MAX; at++) {
        bool is_times = (*at == 'x' || *at == 'X') && at > query && isdigit((unsigned char)at[-1]) &&
                        isalpha((unsigned char)at[1]);
        if (is_times)
            out[n++] = ' ';
        out[n++] = *at;
        if (is_times)
            out[n++] = ' ';
    }
    out[n] = '\0';
    return out;
}

void intent_read(const struct ui *ui, const char *query, struct inquiry *out)
{
    struct typed_words typed = {0};
    char text[EDIT_MAX];
    const char *at = split_times(query, text), *end = text + strlen(text);
    size_t used = 0;
    *out = (struct inquiry){.model = ""};
#define FIGURE(name) out->name = NAN;
    INQUIRY_FIGURES(FIGURE)
#undef FIGURE
    while (typed.count < TYPED_MAX && next_word(&at, end, typed.word[typed.count]))
        typed.count++;
    for (int i = 0; i < typed.count; i++)
        if (!lists(stop_words, typed.word[i]))
            used += (size_t)snprintf(out->content + used, used < sizeof out->content ? sizeof out->content - used : 0,
                                     "%s%s", used ? " " : "", typed.word[i]);
    for (int i = 0; i < typed.count;)
        i += take_word(ui, out, &typed, i);
}

/* ---- scores ------------------------------------------------------------------------------------------------------ */

/* A word that begins alike counts nearly as much, one with a slip a little less. */
static double likeness(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (strcmp(a, b) == 0)
        return 1;
    if (n >= 4 && m > n && strncmp(a, b, n) == 0)
        return 0.9;
    return n >= 5 && m >= 5 && *a != '<' && *b != '<' && text_distance(a, b) == 1 ? 0.8 : 0;
}

/* What the words have in common, of what both have, 0 to 1; `is_said` where they are the same words. */
static double in_common(const struct intent_words *asked, const struct intent_words *phrase, bool *is_said)
{
    double common = 0;
    bool is_taken[INTENT_WORDS_MAX] = {false};
    *is_said = asked->count == phrase->count;
    for (int i = 0; i < asked->count; i++) {
        int best = -1;
        double most = 0;
        for (int k = 0; k < phrase->count; k++) {
            double alike = is_taken[k] ? 0 : likeness(asked->word[i], phrase->word[k]);
            if (alike > most) {
                most = alike;
                best = k;
            }
        }
        *is_said &= best >= 0 && most == 1 && asked->is_said[i] == phrase->is_said[best];
        if (best < 0)
            continue;
        is_taken[best] = true;
        common += most * fmin(asked->weight[i], phrase->weight[best]);
    }
    return asked->sum + phrase->sum > 0 ? 2 * common / (asked->sum + phrase->sum) : 0;
}

static bool has_word(const struct intent_words *words, const char *word)
{
    for (int i = 0; i < words->count; i++)
        if (strcmp(words->word[i], word) == 0)
            return true;
    return false;
}

static int score_phrases(const struct inquiry *inquiry, const char *phrases)
{
    int best = 0;
    for (const char *at = phrases; *at; at += *at == '|') {
        const char *end = at + strcspn(at, "|");
        struct intent_words words = {0};
        char word[INTENT_WORD_MAX];
        bool is_said;
        while (next_word(&at, end, word))
            add_word(&words, word);
        at = end;
        double share = in_common(&inquiry->words, &words, &is_said);
        int score = is_said ? INTENT_EXACT : share > 0.5 ? INTENT_LEAST + (int)(800 * (share - 0.5)) : 0;
        if (score == 0 && words.count == 1 && *words.word[0] == '<' && has_word(&inquiry->words, words.word[0]))
            score = INTENT_FIGURE;
        best = score > best ? score : best;
    }
    return best;
}

_Static_assert(LENGTH(intents) <= INTENT_HITS_MAX, "room for all");

int intent_hits(const struct inquiry *inquiry, struct intent_hit out[INTENT_HITS_MAX])
{
    int count = 0;
    for (size_t i = 0; i < LENGTH(intents); i++) {
        int score = score_phrases(inquiry, intents[i].phrases);
        if (score > 0)
            out[count++] = (struct intent_hit){intents[i].kind, intents[i].item, score};
    }
    return count;
}
