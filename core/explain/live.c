#include "core/explain/live.h"

#include "core/base.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which operators bind tighter; a piece in brackets binds tightest. */
enum rank { RANK_CHOICE, RANK_OR, RANK_AND, RANK_COMPARE, RANK_SUM, RANK_PRODUCT, RANK_SIGN, RANK_ATOM };

enum { DEPTH_MAX = 24 };

/* A part of the formula: its value, and how it is printed. */
struct piece {
    double value;
    enum rank rank;
    bool is_name;
    uint32_t counted; /* inputs that it hangs on, by bit: factors of 1 as well */
    char names[LIVE_TEXT_MAX], values[LIVE_TEXT_MAX];
};

_Static_assert((int)EXPLAIN_INPUTS_MAX <= 32, "a bit for each input");

struct reader {
    const char *at;
    const struct explanation *of;
    int depth;
    bool is_decimal, fails;
};

/* ---- values ------------------------------------------------------------------------------------------------------ */

void live_value(double value, const char *unit, bool is_decimal, char *out, size_t size)
{
    static const struct {
        const char *unit;
        double factor, decimal;
        const char *name, *decimal_name;
    } scales[] = {{"bytes", 1024 * GIB, 1e12, "TiB", "TB"}, {"bytes", GIB, 1e9, "GiB", "GB"},
                  {"bytes", MIB, 1e6, "MiB", "MB"}, {"bytes", 1024, 1e3, "KiB", "KB"},
                  {"s", 1, 1, "s", "s"}, {"s", 1e-3, 1e-3, "ms", "ms"}, {"s", 1e-6, 1e-6, "us", "us"}};
    static const char *const suffixes[] = {"", "", "M", "B", "T", "P", "E"};
    bool is_scaled = strcmp(unit, "bytes") == 0 || strcmp(unit, "s") == 0;
    double size_of = fabs(value);
    for (size_t i = 0; i < LENGTH(scales); i++) {
        double factor = is_decimal ? scales[i].decimal : scales[i].factor;
        if (strcmp(unit, scales[i].unit) == 0 && size_of >= factor) {
            snprintf(out, size, "%.4g %s", value / factor, is_decimal ? scales[i].decimal_name : scales[i].name);
            return;
        }
    }
    if (isnan(value)) {
        snprintf(out, size, "unknown");
        return;
    }
    if (strcmp(unit, "share") == 0) {
        snprintf(out, size, "%.4g %%", 100 * value);
        return;
    }
    int thousands = is_scaled || size_of < 1e6 ? 0 : (int)fmin(floor(log10(size_of) / 3), LENGTH(suffixes) - 1);
    double shown = value / pow(1e3, thousands);
    bool is_whole = fabs(shown) >= 1e4 || (value == floor(value) && size_of < 1e6);
    snprintf(out, size, is_whole ? "%.0f%s%s%s" : "%.4g%s%s%s", shown, suffixes[thousands], *unit ? " " : "", unit);
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

static void set(struct reader *r, struct piece *out, double value, enum rank rank, const char *names,
                const char *values)
{
    struct piece made = {.value = value, .rank = rank};
    r->fails |= strlen(names) >= LIVE_TEXT_MAX || strlen(values) >= LIVE_TEXT_MAX;
    snprintf(made.names, LIVE_TEXT_MAX, "%s", names);
    snprintf(made.values, LIVE_TEXT_MAX, "%s", values);
    *out = made;
}

static void set_number(struct reader *r, struct piece *out, double value)
{
    char text[64];
    if (fabs(value) >= 1e6)
        live_value(value, "", false, text, sizeof text);
    else
        snprintf(text, sizeof text, "%.6g", value);
    set(r, out, value, RANK_ATOM, text, text);
}

/* Two pieces with an operator between them, in brackets where they bind less than `rank`. */
static void join(struct reader *r, struct piece *left, const struct piece *right, const char *sign, enum rank rank,
                 double value)
{
    char names[2 * LIVE_TEXT_MAX + 16], values[2 * LIVE_TEXT_MAX + 16];
    bool has_left = left->rank < rank, has_right = right->rank < rank || (right->rank == rank && strchr("-/", sign[1]));
    snprintf(names, sizeof names, "%s%s%s%s%s%s%s", has_left ? "(" : "", left->names, has_left ? ")" : "", sign,
             has_right ? "(" : "", right->names, has_right ? ")" : "");
    snprintf(values, sizeof values, "%s%s%s%s%s%s%s", has_left ? "(" : "", left->values, has_left ? ")" : "", sign,
             has_right ? "(" : "", right->values, has_right ? ")" : "");
    uint32_t counted = left->counted | right->counted;
    set(r, left, value, rank, names, values);
    left->counted = counted;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static void read_choice(struct reader *r, struct piece *out);

static bool take(struct reader *r, const char *sign)
{
    r->at += strspn(r->at, " ");
    size_t n = strlen(sign);
    if (strncmp(r->at, sign, n) != 0)
        return false;
    r->at += n;
    return true;
}

static void expect(struct reader *r, const char *sign)
{
    r->fails |= !take(r, sign);
}

/* The input that a name stands for. */
static void read_input(struct reader *r, const char *name, struct piece *out)
{
    char value[64];
    if (strcmp(name, "NAN") == 0) {
        set_number(r, out, NAN);
        return;
    }
    for (int i = 0; i < r->of->inputs; i++) {
        const struct explain_input *in = &r->of->input[i];
        if (strcmp(in->name, name) != 0 && strcmp(in->path, name) != 0)
            continue;
        live_value(in->value, in->unit ? in->unit : "", r->is_decimal, value, sizeof value);
        set(r, out, in->value, RANK_ATOM, in->name, value);
        out->is_name = true;
        out->counted = (uint32_t)1 << i;
        return;
    }
    r->fails = true;
    set_number(r, out, NAN);
}

/*
 * min and max are what wins, what asks whether a value is known is 1 or 0; other functions of one argument keep their
 * name.
 */
static void read_call(struct reader *r, const char *name, struct piece *out)
{
    static const struct {
        const char *name;
        double (*of)(double);
    } functions[] = {{"ceil", ceil}, {"floor", floor}, {"sqrt", sqrt}, {"round", round}, {"fabs", fabs}, {"exp", exp},
                   {"held", held}};
    bool is_known = strcmp(name, "isfinite") == 0, is_unknown = strcmp(name, "isnan") == 0;
    bool is_min = strcmp(name, "min") == 0, is_max = strcmp(name, "max") == 0;
    read_choice(r, out);
    while ((is_min || is_max) && take(r, ",")) {
        struct piece other;
        read_choice(r, &other);
        if (is_min ? other.value < out->value : other.value > out->value)
            *out = other;
    }
    expect(r, ")");
    if (is_min || is_max)
        return;
    if (is_known || is_unknown) {
        set_number(r, out, is_known == isfinite(out->value));
        return;
    }
    for (size_t i = 0; i < LENGTH(functions); i++)
        if (strcmp(functions[i].name, name) == 0) {
            char names[LIVE_TEXT_MAX + 80], values[LIVE_TEXT_MAX + 80];
            snprintf(names, sizeof names, "%s(%s)", name, out->names);
            snprintf(values, sizeof values, "%s(%s)", name, out->values);
            uint32_t counted = out->counted;
            if (functions[i].of(out->value) != out->value)
                set(r, out, functions[i].of(out->value), RANK_ATOM, names, values);
            out->counted = counted;
            return;
        }
    r->fails = true;
}

static void read_atom(struct reader *r, struct piece *out)
{
    char name[64];
    r->at += strspn(r->at, " ");
    size_t n = strspn(r->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.");
    if (isdigit((unsigned char)*r->at) || (*r->at == '.' && isdigit((unsigned char)r->at[1]))) {
        char *end;
        set_number(r, out, strtod(r->at, &end));
        r->at = end;
        return;
    }
    if (take(r, "(")) {
        read_choice(r, out);
        expect(r, ")");
        return;
    }
    if (n == 0 || n >= sizeof name) {
        r->fails = true;
        set_number(r, out, NAN);
        return;
    }
    snprintf(name, sizeof name, "%.*s", (int)n, r->at);
    r->at += n;
    if (take(r, "("))
        read_call(r, name, out);
    else
        read_input(r, name, out);
}

static void read_sign(struct reader *r, struct piece *out)
{
    if (take(r, "-")) {
        struct piece zero;
        read_sign(r, out);
        set_number(r, &zero, 0);
        double value = -out->value;
        join(r, &zero, out, " - ", RANK_SUM, value);
        *out = zero;
    } else if (r->at[strspn(r->at, " ")] == '!' && r->at[strspn(r->at, " ") + 1] != '=') {
        take(r, "!");
        read_sign(r, out);
        set_number(r, out, !(out->value != 0));
    } else {
        read_atom(r, out);
    }
}

/*
 * True for a factor that only turns the unit that stands before it into its base: 80 GiB x GiB, 450 GB/s x 1e9, FLOP/s
 * / 1e12.
 */
static bool is_conversion(const struct reader *r, const struct piece *left, const struct piece *right, bool is_times)
{
    const char *unit = r->of->unit ? r->of->unit : "";
    bool is_per_tera = !is_times && right->value == 1e12;
    static const struct {
        double factor;
        const char *unit;
    } rows[] = {{GIB, " GiB"}, {MIB, " MiB"}, {1e9, " GB/s"}, {1e12, " TFLOP/s"}, {1e-6, " us"},
                {1.0 / 100, " %"}};
    double factor = is_times ? right->value : 1 / right->value;
    size_t n = strlen(left->values);
    for (size_t i = 0; i < LENGTH(rows); i++) {
        size_t length = strlen(rows[i].unit);
        if (factor == rows[i].factor && n > length && strcmp(left->values + n - length, rows[i].unit) == 0)
            return true;
    }
    return is_per_tera && (strstr(left->values, " FLOP") || strcmp(unit, "TFLOP/s") == 0);
}

/* Of two factors the one that is not 1 stays. */
static void take_other(struct piece *one, const struct piece *other)
{
    uint32_t counted = one->counted;
    *one = *other;
    one->counted |= counted;
}

/* A factor of 1 goes, one of 0 takes the product with it. */
static void read_product(struct reader *r, struct piece *out)
{
    read_sign(r, out);
    for (bool is_times; (is_times = take(r, "*")) || take(r, "/");) {
        struct piece right;
        read_sign(r, &right);
        double value = is_times ? out->value * right.value : out->value / right.value;
        bool is_converted = is_conversion(r, out, &right, is_times);
        out->value = is_converted ? value : out->value;
        out->is_name &= !is_converted;
        if (is_converted)
            continue;
        if (value == 0)
            set_number(r, out, 0);
        else if (right.value == 1)
            out->counted |= right.counted;
        else if (is_times && out->value == 1)
            take_other(out, &right);
        else
            join(r, out, &right, is_times ? " x " : " / ", RANK_PRODUCT, value);
    }
}

static void read_sum(struct reader *r, struct piece *out)
{
    read_product(r, out);
    for (bool is_plus; (is_plus = take(r, "+")) || take(r, "-");) {
        struct piece right;
        read_product(r, &right);
        double value = is_plus ? out->value + right.value : out->value - right.value;
        if (right.value == 0)
            continue;
        if (is_plus && out->value == 0)
            *out = right;
        else
            join(r, out, &right, is_plus ? " + " : " - ", RANK_SUM, value);
    }
}

/* Comparisons are 1 or 0, whatever stands in them. */
static void read_compare(struct reader *r, struct piece *out)
{
    static const char *const signs[] = {"==", "!=", "<=", ">=", "<", ">"};
    read_sum(r, out);
    for (size_t i = 0; i < LENGTH(signs); i++) {
        struct piece right;
        if (!take(r, signs[i]))
            continue;
        read_sum(r, &right);
        double a = out->value, b = right.value;
        bool holds[] = {a == b, a != b, a <= b, a >= b, a < b, a > b};
        uint32_t counted = out->counted | right.counted;
        set_number(r, out, holds[i]);
        out->counted = counted;
        return;
    }
}

static void read_and(struct reader *r, struct piece *out)
{
    read_compare(r, out);
    while (take(r, "&&")) {
        struct piece right;
        read_compare(r, &right);
        set_number(r, out, out->value != 0 && right.value != 0);
    }
}

static void read_or(struct reader *r, struct piece *out)
{
    read_and(r, out);
    while (take(r, "||")) {
        struct piece right;
        read_and(r, &right);
        set_number(r, out, out->value != 0 || right.value != 0);
    }
}

/* Of a choice the branch that is taken remains. */
static void read_choice(struct reader *r, struct piece *out)
{
    struct piece yes, no;
    if (++r->depth > DEPTH_MAX) {
        r->fails = true;
        set_number(r, out, NAN);
        return;
    }
    read_or(r, out);
    if (!r->fails && take(r, "?")) {
        bool is_yes = out->value != 0;
        read_choice(r, &yes);
        expect(r, ":");
        read_choice(r, &no);
        *out = is_yes ? yes : no;
    }
    r->depth--;
}

int live_write(const struct explanation *explanation, bool is_decimal, struct live *out)
{
    struct reader r = {.at = explanation->formula, .of = explanation, .is_decimal = is_decimal};
    struct piece all;
    char value[64];
    *out = (struct live){.value = NAN};
    read_choice(&r, &all);
    r.at += strspn(r.at, " ");
    double least = fmax(fabs(explanation->value), 1e-30) * 1e-9;
    if (r.fails || *r.at || !(fabs(all.value - explanation->value) <= least))
        return -1;
    live_value(explanation->value, explanation->unit ? explanation->unit : "", is_decimal, value, sizeof value);
    out->value = all.value;
    out->is_single = all.is_name;
    out->counted = all.counted;
    snprintf(out->names, sizeof out->names, "%s", all.names);
    bool is_value = all.is_name || strcmp(all.values, value) == 0;
    snprintf(out->values, sizeof out->values, is_value ? "%.400s" : "%.400s = %s", all.values, value);
    return 0;
}

bool live_has(const struct live *live, const struct explain_input *input)
{
    size_t n = strlen(input->name);
    for (const char *p = live->names; (p = strstr(p, input->name)); p++) {
        bool begins = p == live->names || !(isalnum((unsigned char)p[-1]) || strchr("_.", p[-1]));
        if (begins && !isalnum((unsigned char)p[n]) && p[n] != '_')
            return true;
    }
    return false;
}
