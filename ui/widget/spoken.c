#include "ui/widget/spoken.h"

#include "core/base.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* What stands behind a number, with or without a blank, and what it is called. */
static const struct {
    const char *unit, *word;
} units[] = {
    {"GiB", "gibibytes"}, {"MiB", "mebibytes"}, {"KiB", "kibibytes"}, {"TiB", "tebibytes"},
    {"GB/s", "gigabytes a second"},
    {"GB", "gigabytes"}, {"TFLOP/s", "tera floating-point operations a second"}, {"tok/s", "tokens a second"},
    {"ms", "milliseconds"}, {"us", "microseconds"}, {"s", "seconds"}, {"h", "hours"}, {"d", "days"}, {"%", "percent"},
};

static const struct {
    char letter;
    const char *word;
} magnitudes[] = {{'k', "thousand"}, {'M', "million"},     {'B', "billion"},
                  {'T', "trillion"}, {'P', "quadrillion"}, {'E', "quintillion"}};

/* The text that is written, which stops at its end. */
struct speech {
    char *at, *end;
};

static void put(struct speech *to, const char *text, size_t n)
{
    size_t room = (size_t)(to->end - to->at);
    n = n < room ? n : room;
    memcpy(to->at, text, n);
    to->at += n;
}

static void put_word(struct speech *to, const char *word)
{
    put(to, " ", 1);
    put(to, word, strlen(word));
}

static bool ends_here(char c)
{
    return !isalnum((unsigned char)c) && c != '_' && c != '/';
}

/* Length of the number at `p`, 0 for none: digits with points and commas inside. */
static size_t number_length(const char *p)
{
    size_t n = 0;
    while (isdigit((unsigned char)p[n]) || (n > 0 && strchr(".,", p[n]) && p[n] && isdigit((unsigned char)p[n + 1])))
        n++;
    return n;
}

/* The magnitude and the unit behind a number; returns what was read. */
static size_t put_unit(struct speech *to, const char *p)
{
    size_t n = 0;
    for (size_t i = 0; i < LENGTH(magnitudes) && n == 0; i++)
        if (p[0] == magnitudes[i].letter && ends_here(p[1])) {
            put_word(to, magnitudes[i].word);
            n = 1;
        }
    size_t blank = p[n] == ' ';
    for (size_t i = 0; i < LENGTH(units); i++) {
        size_t length = strlen(units[i].unit);
        if (strncmp(p + n + blank, units[i].unit, length) == 0 && ends_here(p[n + blank + length])) {
            put_word(to, units[i].word);
            return n + blank + length;
        }
    }
    return n;
}

/* What stands before a number: a sign, dollars; returns what was read. */
static size_t put_sign(struct speech *to, const char *text, const char *p, bool *is_money)
{
    size_t n = 0;
    bool is_first = p == text || p[-1] == ' ';
    if (is_first && strchr("+-", *p) && (isdigit((unsigned char)p[1]) || p[1] == '$')) {
        put(to, *p == '-' ? "minus " : "plus ", *p == '-' ? 6 : 5);
        n = 1;
    }
    *is_money = p[n] == '$' && isdigit((unsigned char)p[n + 1]);
    return n + *is_money;
}

void spoken_write(const char *text, char *out, size_t size)
{
    struct speech to = {.at = out, .end = out + size - 1};
    for (const char *p = text; *p;) {
        bool is_money = false, is_inside = p > text && (isalnum((unsigned char)p[-1]) || strchr("_.:", p[-1]));
        if (strncmp(p, " -> ", 4) == 0) {
            put(&to, " to ", 4);
            p += 4;
            continue;
        }
        p += is_inside ? 0 : put_sign(&to, text, p, &is_money);
        size_t n = is_inside ? 0 : number_length(p);
        if (n == 0) {
            put(&to, p, *p != '\0');
            p += *p != '\0';
            continue;
        }
        put(&to, p, n);
        p += n;
        p += put_unit(&to, p);
        if (is_money)
            put_word(&to, "dollars");
    }
    *to.at = '\0';
}
