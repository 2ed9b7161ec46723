#include "ui/command/intent.h"

#include "core/base.h"
#include "core/plan/param.h"
#include "ui/state/state.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Whether a list with blanks around each word has this one. */
static bool lists(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; n > 0 && (at = strstr(at, word)); at++)
        if (at > list && at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

enum { TYPED_MAX = 24 };

/* A request as it was typed. */
struct typed_words {
    const struct lexicon *lexicon;
    int count;
    char word[TYPED_MAX][LEXICON_WORD_MAX];
};

/* A unit, what its figure is called, and by what it is multiplied. */
static const struct unit {
    const char *words; /* blanks around each */
    size_t slot; /* NO_SLOT: what no goal has a field for */
    double factor;
    const char *name;
} units[] = {
#define NO_SLOT SIZE_MAX
#define SLOT(member) offsetof(struct inquiry, member)
    {" days day d ", SLOT(days), 1, "<days>"},
    {" weeks week w wk wks ", SLOT(days), 7, "<days>"},
    {" months month mo mos ", SLOT(days), 30, "<days>"},
    {" quarters quarter ", SLOT(days), 91, "<days>"},
    {" years year yr yrs y ", SLOT(days), 365, "<days>"},
    {" hours hour h hrs ", SLOT(days), 1.0 / 24, "<days>"},
    {" tokens token tok toks tk tps ", SLOT(tokens), 1, "<tokens>"},
    {" users user people customers clients requests request req reqs rps qps concurrent parallel sessions employees ",
     SLOT(users), 1, "<users>"},
    {" ms msec milliseconds millisecond ", SLOT(ms_per_token), 1, "<ms>"},
    {" s sec second seconds ", SLOT(first_token), 1, "<ms>"},
    {" gb gib gig gigs gigabytes g ", SLOT(gib), 1, "<gib>"},
    {" gpus gpu cards card accelerators x ", SLOT(gpus), 1, "<gpus>"},
    {" context ctx sequence seq length prompt prompts ", SLOT(context), 1, "<context>"},
    {" dollars dollar usd eur euros euro bucks ", NO_SLOT, 1, "<money>"},
};

static const struct unit *unit_named(const char *word)
{
    for (size_t i = 0; i < LENGTH(units) && *word; i++)
        if (lists(units[i].words, word))
            return &units[i];
    return NULL;
}

/* A number as it was typed: `1.5t`, `1.5 trillion`, `six`, `a` before a time. */
struct spoken_number {
    double value;    /* times its scale */
    char scale;      /* k m b t, or NUL */
    const char *rest; /* of its word, as in 30d */
    int words;
};

static const struct scale {
    const char *words; /* the letter first */
    double factor;
} scales[] = {
    {" k thousand ", 1e3}, {" m million millions mio mn ", 1e6}, {" b billion billions bn mrd ", 1e9},
    {" t trillion trillions tn ", 1e12},
};

static const struct scale *scale_named(const char *word)
{
    for (size_t i = 0; i < LENGTH(scales) && *word; i++)
        if (lists(scales[i].words, word))
            return &scales[i];
    return NULL;
}

static void take_scale(struct spoken_number *out, const struct scale *scale)
{
    out->value *= scale->factor;
    out->scale = scale->words[1];
    out->rest = "";
}

/* "six" is 6, "a month" 1. */
static bool read_numeral(const struct typed_words *typed, int i, double *value)
{
    static const char *const numerals[] = {"zero", "a",     "two",   "three", "four", "five",   "six",
                                           "seven", "eight", "nine", "ten",  "eleven", "twelve"};
    const char *next = i + 1 < typed->count ? typed->word[i + 1] : "";
    const struct unit *unit = unit_named(next);
    for (size_t n = 1; n < LENGTH(numerals); n++)
        if (strcmp(numerals[n], typed->word[i]) == 0 && (n > 1 || (unit && unit->slot == SLOT(days)))) {
            *value = (double)n;
            return true;
        }
    return false;
}

/* The number at word `i`; false where there is none. */
static bool read_number(const struct typed_words *typed, int i, struct spoken_number *out)
{
    const char *word = typed->word[i], *next = i + 1 < typed->count ? typed->word[i + 1] : "";
    char *end;
    *out = (struct spoken_number){strtod(word, &end), .rest = end, .words = 1};
    if (read_numeral(typed, i, &out->value))
        out->rest = "";
    else if (end == word || !isdigit((unsigned char)*word) || !isfinite(out->value))
        return false;
    char letters[LEXICON_WORD_MAX];
    snprintf(letters, sizeof letters, "%.*s", *out->rest && strncmp(out->rest + 1, "tok", 3) == 0 ? 1 : -1, out->rest);
    const struct scale *own = scale_named(letters), *after = *out->rest ? NULL : scale_named(next);
    if (own)
        take_scale(out, own);
    if (after && (next[1] || strchr("kt", *next))) { /* "8 b" is a model's name */
        take_scale(out, after);
        out->words = 2;
    }
    return true;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

static void take_figure(struct inquiry *r, const struct typed_words *typed, const struct unit *unit, double value)
{
    if (unit->slot != NO_SLOT)
        *(double *)((char *)r + unit->slot) = value * unit->factor;
    lexicon_add(typed->lexicon, &r->words, unit->name);
}

static bool is_first_token(const char *word)
{
    return lists(" ttft first prefill ", word);
}

/* Whether the words from `i` to `end` are the time to the first token: "ttft 500 ms", "500 ms to first token". */
static bool is_of_first_token(const struct typed_words *typed, int i, int end)
{
    for (int k = i - 1; k >= 0 && !isdigit((unsigned char)*typed->word[k]); k--)
        if (is_first_token(typed->word[k]) || lists(" tpot itl decode inter ", typed->word[k]))
            return is_first_token(typed->word[k]);
    for (int k = end; k < typed->count && k < end + 2 && !isdigit((unsigned char)*typed->word[k]); k++)
        if (is_first_token(typed->word[k]))
            return true;
    return false;
}

/* How many words from `i` say "a second"; 0: none. */
static int per_second(const struct typed_words *typed, int i)
{
    int n = i < typed->count && strcmp(typed->word[i], "per") == 0;
    return i + n < typed->count && lists(" s sec second ", typed->word[i + n]) ? n + 1 : 0;
}

/* A figure with its unit, which ends before word `end`; returns the words from `i` that it took. */
static int take_measured(struct inquiry *r, const struct typed_words *typed, int i, int end, const struct unit *unit,
                         double value)
{
    enum { MOST_FOR_A_USER = 1000 }; /* tokens a second; more are those of all users */
    int rate = per_second(typed, end);
    bool is_rate = rate > 0 || lists(" tps rps qps ", typed->word[end - 1]);
    if (is_rate && unit->slot == SLOT(tokens) && value > 0 && value <= MOST_FOR_A_USER)
        take_figure(r, typed, unit_named("ms"), 1000 / value);
    else if (is_rate && (unit->slot == SLOT(tokens) || unit->slot == SLOT(users)))
        lexicon_add(typed->lexicon, &r->words, unit->slot == SLOT(users) ? "serve" : "tps");
    else if (unit->slot == SLOT(ms_per_token) && is_of_first_token(typed, i, end))
        take_figure(r, typed, unit_named("s"), value / 1000);
    else
        return take_figure(r, typed, unit, value), end - i;
    return end + rate - i;
}

/* A figure at word `i`, its unit in the same word or the next one; returns how many words that is. */
static int take_number(struct inquiry *r, const struct typed_words *typed, int i)
{
    struct spoken_number number;
    if (!read_number(typed, i, &number))
        return 0;
    int end = i + number.words;
    double value = number.value;
    const struct unit *own = unit_named(number.rest);
    const struct unit *after = !*number.rest && end < typed->count ? unit_named(typed->word[end]) : NULL;
    const struct unit *before = i > 0 ? unit_named(typed->word[i - 1]) : NULL;
    if (own)
        return take_measured(r, typed, i, end, own, value);
    if (*number.rest)
        return 0;
    if (after && after->slot == SLOT(context) && number.scale == 'k')
        value *= 1.024;
    if (after)
        return take_measured(r, typed, i, end + 1, after, value);
    if (before && before->slot == NO_SLOT) /* $2M */
        return take_figure(r, typed, before, value), end - i;
    if (number.scale == 't')
        return take_figure(r, typed, unit_named("tokens"), value), end - i;
    if (number.scale == 'k')
        return take_figure(r, typed, unit_named("context"), value * 1.024), end - i;
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

/* The first preset that has a part, of the first of these families that has one. */
static const char *preset_with(const struct ui *ui, enum param id, const char *part)
{
    static const char *const families[] = {"llama3", "llama2", "qwen2.5", "qwen3", ""};
    const char *const *names = NULL;
    size_t count = ui->host->names ? ui->host->names(ui->host->context, id, &names) : 0;
    for (size_t k = 0; k < LENGTH(families); k++)
        for (size_t i = 0; i < count; i++)
            if (strncmp(names[i], families[k], strlen(families[k])) == 0 && has_part(names[i], part))
                return names[i];
    return NULL;
}

/* The preset that `count` words from `i` name. */
static const char *preset_at(const struct ui *ui, enum param id, const struct typed_words *typed, int i, int count)
{
    char text[4 * LEXICON_WORD_MAX] = "";
    size_t used = 0;
    for (int k = 0; k < count; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", k ? " " : "", typed->word[i + k]);
    const char *name = ui_preset(ui, id, text);
    if (name || count > 1)
        return name;
    size_t digits = strspn(text, "0123456789"), n = strlen(text);
    bool is_plural = id == PARAM_hardware_gpu && n > 3 && text[n - 1] == 's' && isdigit((unsigned char)text[n - 2]);
    if (is_plural && (digits >= 4 || digits == 0)) { /* two 3090s, h100s */
        text[--n] = '\0';
        name = ui_preset(ui, id, text);
        if (name)
            return name;
    }
    if (id == PARAM_hardware_gpu && (digits == n ? n >= 4 : digits == 0 && strpbrk(text, "0123456789")))
        return preset_with(ui, id, text);
    digits = strspn(text, "0123456789.");
    return id == PARAM_model_name && digits > 0 && digits + 1 == n && text[digits] == 'b'
               ? preset_with(ui, id, text)
               : NULL;
}

/* The GPU of that family with the memory that word `i` says, of the same form if there is one: a100 40gb. */
static const char *of_size(const struct ui *ui, const char *name, const struct typed_words *typed, int i)
{
    const char *const *names = NULL, *word = i < typed->count ? typed->word[i] : "", *found = NULL;
    size_t count = ui->host->names ? ui->host->names(ui->host->context, PARAM_hardware_gpu, &names) : 0;
    size_t digits = strspn(word, "0123456789"), family = strcspn(name, "-");
    size_t form = name[family] ? strcspn(name + family + 1, "-") : 0;
    char size[LEXICON_WORD_MAX];
    snprintf(size, sizeof size, "%.*s", (int)digits, word);
    for (size_t k = 0; k < count && digits && name[family] && lists(" gb gib g ", word + digits); k++)
        if (strncmp(names[k], name, family + 1) == 0 && has_part(names[k], size) &&
            (!found || strncmp(names[k], name, family + 1 + form) == 0))
            found = names[k];
    return found;
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
            const char *sized = kinds[k].id == PARAM_hardware_gpu ? of_size(ui, name, typed, i + count) : NULL;
            snprintf(kinds[k].to, INTENT_NAME_MAX, "%s", sized ? sized : name);
            lexicon_add(typed->lexicon, &r->words, kinds[k].word);
            return count + (sized != NULL);
        }
    return 0;
}

/* A family of models at word `i`, with the size in the next word: "qwen", "qwen 7b". */
static int take_family(const struct ui *ui, struct inquiry *r, const struct typed_words *typed, int i)
{
    enum { FAMILY_LEAST = 3 };
    const char *const *names = NULL, *word = typed->word[i], *found = NULL;
    const char *size = i + 1 < typed->count ? typed->word[i + 1] : "-";
    size_t count = ui->host->names ? ui->host->names(ui->host->context, PARAM_model_name, &names) : 0;
    size_t n = strlen(word);
    bool is_family = false;
    for (size_t k = 0; k < count && n >= FAMILY_LEAST && !*r->model; k++) {
        if (strncasecmp(names[k], word, n) != 0 || isalpha((unsigned char)names[k][n]))
            continue;
        is_family = true;
        found = !found && has_part(names[k], size) ? names[k] : found;
    }
    bool is_other = !found && lexicon_find(typed->lexicon, word).form >= 0; /* step, megatron */
    if (!is_family || is_other)
        return 0;
    snprintf(r->model, INTENT_NAME_MAX, "%s", found ? found : "");
    lexicon_add(typed->lexicon, &r->words, "<model>");
    return 1 + (found != NULL);
}

static int take_choice(struct inquiry *r, const struct typed_words *typed, const char *word, enum param key, char *to,
                       const char *name)
{
    const char *const *choices = param_rows[key].choices;
    size_t n = strlen(word);
    for (int i = 0; choices[i] && n >= 4 && !*to; i++) {
        bool is_begin = strncmp(choices[i], word, n) == 0 && strchr("-", choices[i][n]);
        if (!is_begin || strcmp(choices[i], "none") == 0 || strcmp(choices[i], "other") == 0)
            continue;
        snprintf(to, INTENT_NAME_MAX, "%s", choices[i]);
        lexicon_add(typed->lexicon, &r->words, name);
        return 1;
    }
    return 0;
}

/* ---- the request ------------------------------------------------------------------------------------------------- */

static int take_word(const struct ui *ui, struct inquiry *r, const struct typed_words *typed, int i)
{
    const char *word = typed->word[i];
    size_t digits = strspn(word, "0123456789");
    bool is_cards = digits == 4 && strcmp(word + digits, "s") == 0; /* two 3090s, not seconds */
    int taken = is_cards ? 0 : take_number(r, typed, i);
    taken = taken ? taken : take_preset(ui, r, typed, i);
    taken = taken ? taken : take_family(ui, r, typed, i);
    taken = taken ? taken : take_choice(r, typed, word, PARAM_train_peft, r->method, "<method>");
    taken = taken ? taken : take_choice(r, typed, word, PARAM_framework_name, r->framework, word);
    if (taken)
        return taken;
    struct spoken_number number;
    bool is_number = read_number(typed, i, &number) && !*number.rest;
    if (is_number && number.scale == 'b') /* no model has that many parameters */
        return take_figure(r, typed, unit_named("tokens"), number.value), number.words;
    if (is_number && i + 1 < typed->count) { /* 64 h100 */
        struct inquiry next = {.words = {.count = LEXICON_WORDS_MAX}};
        if (take_preset(ui, &next, typed, i + 1) && *next.gpu && number.value == floor(number.value))
            return take_figure(r, typed, unit_named("gpus"), number.value), 1;
    }
    lexicon_add_typed(typed->lexicon, &r->words, word);
    return 1;
}

/* How many characters a whole number with separators has: 1,000 and 1'000, 15.000 and 1.000.000; 0: it is none. */
static size_t grouped(const char *at)
{
    size_t n = strspn(at, "0123456789"), digits = n, groups = 0;
    const char separator = at[n];
    bool is_round = true;
    if (n == 0 || n > 3 || !separator || !strchr(",.'", separator))
        return 0;
    while (at[n] == separator && strspn(at + n + 1, "0123456789") == 3) {
        is_round &= strncmp(at + n + 1, "000", 3) == 0;
        n += 4;
        groups++;
    }
    bool is_fraction = separator == '.' && groups == 1 && !is_round; /* 1.500 */
    bool is_scaled = groups == 1 && at[n] && strchr("bBtT", at[n]) && !isalnum((unsigned char)at[n + 1]);
    return groups == 0 || is_fraction || is_scaled || digits == 0 ? 0 : n;
}

/* The request with its numbers as C reads them: 1,5T is 1.5T, 15,000 is 15000, $2M 2M dollars; 8xh100 is 8 x h100. */
static void plain_numbers(const char *query, char out[EDIT_MAX])
{
    size_t n = 0;
    const char *end = query; /* of a number with separators */
    const char money[] = " dollars ";
    for (const char *at = query; *at && n + sizeof money < EDIT_MAX; at++) {
        if (*at == '$') {
            memcpy(out + n, money, sizeof money - 1);
            n += sizeof money - 1;
            continue;
        }
        bool is_inside = at > query && isdigit((unsigned char)at[-1]);
        bool is_times = (*at == 'x' || *at == 'X') && is_inside && isalpha((unsigned char)at[1]);
        bool is_begin = !is_inside && (at == query || !isalnum((unsigned char)at[-1]));
        if (is_begin && at >= end)
            end = at + grouped(at);
        if (at < end && !isdigit((unsigned char)*at))
            continue;
        if (is_times)
            out[n++] = ' ';
        out[n++] = *at == ',' && is_inside && isdigit((unsigned char)at[1]) ? '.' : *at;
        if (is_times)
            out[n++] = ' ';
    }
    out[n] = '\0';
}

/* A word that says something. */
static void take_said(struct inquiry *r, const struct lexicon *lexicon, const char *word)
{
    size_t used = strlen(r->content);
    int i = r->said.count++;
    snprintf(r->content + used, sizeof r->content - used, "%s%s", used ? " " : "", word);
    snprintf(r->said.word[i], LEXICON_WORD_MAX, "%s", word);
    r->weights += r->weight[i] = lexicon_find(lexicon, word).weight;
}

void intent_read(const struct ui *ui, const struct lexicon *lexicon, const char *query, struct inquiry *out)
{
    struct typed_words typed = {.lexicon = lexicon};
    char text[EDIT_MAX];
    plain_numbers(query, text);
    const char *at = text, *end = text + strlen(text);
    *out = (struct inquiry){.model = ""};
#define FIGURE(name) out->name = NAN;
    INQUIRY_FIGURES(FIGURE)
#undef FIGURE
    while (lexicon && typed.count < TYPED_MAX && lexicon_scan(&at, end, typed.word[typed.count]))
        typed.count++;
    for (int i = 0; i < typed.count; i++)
        if (!lexicon_is_stop(lexicon, typed.word[i]))
            take_said(out, lexicon, typed.word[i]);
    for (int i = 0; i < typed.count;)
        i += take_word(ui, out, &typed, i);
}

/* ---- scores ------------------------------------------------------------------------------------------------------ */

/* Match of a request with the phrases of all rows. */
struct meeting {
    struct lexicon_words asked;
    double sum, figures;                /* of the weights of its words, and of its figures and names */
    int best[LEXICON_ROWS_MAX];         /* best score of the phrases of a row */
    unsigned shared[LEXICON_ROWS_MAX];  /* a bit for each word of the request that a row has */
};

/*
 * Score of a phrase: the weight shared with the request over the weight of both. Words that only the request has count
 * less, as people add words; figures and names less again, as every goal takes them along.
 */
static int score_phrase(struct meeting *m, int row, const struct lexicon_words *phrase)
{
    static const double spare_word = 0.75, spare_figure = 0.35;
    double common = 0, said = 0, figures = 0;
    unsigned taken = 0;
    bool is_same = m->asked.count == phrase->count;
    for (int k = 0; k < phrase->count; k++) {
        int i = 0;
        while (i < m->asked.count && (taken >> i & 1 || m->asked.word[i].meaning != phrase->word[k].meaning))
            i++;
        said += phrase->word[k].weight;
        is_same &= i < m->asked.count && m->asked.word[i].form == phrase->word[k].form;
        if (i == m->asked.count)
            continue;
        taken |= 1u << i;
        m->shared[row] |= 1u << i;
        common += m->asked.word[i].likeness * phrase->word[k].weight;
        figures += m->asked.word[i].is_figure ? m->asked.word[i].weight : 0;
    }
    double spare = spare_word * (m->sum - common) - (spare_word - spare_figure) * (m->figures - figures);
    double share = common > 0 ? 2 * common / (said + common + spare) : 0;
    int score = share > 0.5 ? INTENT_LEAST + (int)(800 * (share - 0.5)) : 0;
    bool is_figure = common > 0 && phrase->count == 1 && phrase->word[0].is_figure;
    return is_same ? INTENT_EXACT : is_figure && score < INTENT_FIGURE ? INTENT_FIGURE : score;
}

/* The share of the request's words that a row has in any of its phrases: rare words count more. */
static int score_vocabulary(const struct meeting *m, int row)
{
    enum { VOCABULARY_MOST = INTENT_LEAST - 20 };
    double known = 0;
    for (int i = 0; i < m->asked.count; i++)
        known += m->shared[row] & 1u << i ? m->asked.word[i].weight * m->asked.word[i].likeness : 0;
    return known > 0.25 * m->sum ? (int)(VOCABULARY_MOST * known / m->sum) : 0;
}

int intent_hits(const struct lexicon *lexicon, const struct inquiry *inquiry, struct intent_hit out[LEXICON_ROWS_MAX])
{
    struct meeting m = {.sum = 0};
    struct lexicon_words phrase;
    int count = 0, at = 0, row;
    for (int i = 0; i < inquiry->words.count; i++) {
        struct lexicon_word word = lexicon_find(lexicon, inquiry->words.word[i]);
        m.asked.word[m.asked.count++] = word;
        m.sum += word.weight;
        m.figures += word.is_figure ? word.weight : 0;
    }
    while (lexicon && lexicon_next(lexicon, &at, &row, &phrase)) {
        int score = score_phrase(&m, row, &phrase);
        m.best[row] = score > m.best[row] ? score : m.best[row];
    }
    for (row = 0; lexicon && row < lexicon_row_count; row++) {
        int vocabulary = score_vocabulary(&m, row); /* decides between rows with equally good phrases */
        bool is_near = m.best[row] > 0 && m.best[row] < INTENT_EXACT;
        int worth = is_near ? m.best[row] + vocabulary / 10 : m.best[row] ? m.best[row] : vocabulary;
        if (worth > 0)
            out[count++] = (struct intent_hit){lexicon_rows[row].kind, lexicon_rows[row].item, worth};
    }
    return count;
}
