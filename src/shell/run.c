#include "src/shell/run.h"

#include "core/base.h"
#include "src/shell/expand.h"
#include "src/shell/state.h"
#include "src/shell/vars.h"
#include "src/shell/words.h"
#include "src/text/errors.h"
#include "src/text/text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct verdict run_list(struct shell *sh, struct reader *r);
static bool assign_arithmetic(struct shell *sh, const char *p, const char *end, int line);

/* ---- branches -------------------------------------------------------------------------------------------------- */

/* Reads a list with the frame changed for its time. */
static void run_framed(struct shell *sh, struct reader *r, struct frame frame)
{
    struct frame outer = sh->frame;
    frame.is_skipped |= outer.is_skipped;
    sh->frame = frame;
    run_list(sh, r);
    sh->frame = outer;
}

static void run_skipped(struct shell *sh, struct reader *r)
{
    run_framed(sh, r, (struct frame){.is_skipped = true});
}

/* A chain of branches of which at most one runs: how much of it is already decided. */
struct chain {
    int line;
    int asked;      /* why the condition is not known, where its variable can be given; 0: its line is told */
    bool is_closed; /* a branch was taken for certain */
    int doubt;      /* why branches from here on might not be reached */
    int construct, branch;
};

/* The frame for the branch behind a condition, and what the condition means for the branches after it. */
static struct frame chain_branch(struct shell *sh, struct chain *c, struct verdict v)
{
    struct frame frame = sh->frame;
    bool is_decided = v.truth == YES || v.truth == NO;
    if (!is_decided) {
        c->doubt = c->asked ? c->asked
                            : reason_add(sh, &(struct shell_reason){
                                                 .kind = REASON_CONDITION, .is_doubt = true, .line = c->line});
        c->construct = c->construct ? c->construct : ++sh->constructs;
    } else if (v.doubt) {
        c->doubt = reason_doubt(sh, v.doubt);
    }
    frame.is_skipped |= c->is_closed || v.truth == NO;
    frame.doubt = c->doubt ? c->doubt : frame.doubt;
    if (c->construct) {
        frame.construct = c->construct;
        frame.branch = ++c->branch;
    }
    c->is_closed |= v.truth == YES;
    return frame;
}

/* Runs a branch; the text of one that is left out for a value that nobody gave is kept. */
static void run_branch(struct shell *sh, struct reader *r, struct chain *chain, struct verdict v)
{
    const char *from = r->at;
    int line = r->line;
    bool is_live = shell_is_live(sh);
    struct frame frame = chain_branch(sh, chain, v);
    run_framed(sh, r, frame);
    if (!is_live || !frame.is_skipped || !chain->doubt)
        return;
    char *text = xstrndup(from, (size_t)(r->at - from));
    keyvals_add(&sh->out->skipped, "branch", text, line);
    free(text);
}

/* The condition at the reader; what it compares is in `sh->compared`. */
static struct verdict run_condition(struct shell *sh, struct reader *r)
{
    buffer_free(&sh->compared.words);
    sh->compared.reason = 0;
    return run_list(sh, r);
}

/* The tests of an `if` that compare one variable with words. */
struct choice {
    struct buffer words;
    int branches;
    bool has_else;
};

/* Looks at the branches behind the first one, the reader left where it is: at `then`. */
static void list_choices(struct shell *sh, struct reader r, int reason, struct choice *out)
{
    while (reader_take_word(&r, "then")) {
        run_skipped(sh, &r);
        out->has_else = reader_is_word(&r, "else");
        if (!reader_take_word(&r, "elif"))
            return;
        reader_skip_blank(&r);
        if (!reader_is_word(&r, "[") && !reader_is_word(&r, "[["))
            return;
        run_condition(sh, &r);
        if (sh->compared.reason != reason) /* what is behind is looked at when its turn comes */
            return;
        buffer_printf(&out->words, " %s", sh->compared.words.text);
        out->branches++;
    }
}

/* A doubt about a variable that is compared with words, one of which is taken, or none of them. */
static int doubt_choice(struct shell *sh, int reason, char *words, bool is_first, int line)
{
    struct shell_reason doubt = *sh->reason[reason];
    doubt.is_doubt = true;
    doubt.is_first = is_first;
    doubt.line = line;
    doubt.words = words;
    return reason_add(sh, &doubt);
}

/*
 * What becomes of a test against a word of a variable that nobody gave: of several branches, or with an argument of the
 * script, the first is taken, in doubt; else `else` is, as for a variable that is not set. `asked` gets the reason,
 * which has the words, and stays 0 where the test is none of that kind.
 */
static struct verdict assume_test(struct shell *sh, const struct reader *r, struct verdict v, int line, int *asked)
{
    int reason = sh->compared.reason;
    if (v.truth == YES || v.truth == NO || reason <= 0 || !shell_is_live(sh) ||
        strstr(sh->reason[reason]->source, "RANK"))
        return v;
    struct choice choice = {.words = sh->compared.words, .branches = 1};
    sh->compared.words = (struct buffer){0};
    list_choices(sh, *r, reason, &choice);
    bool is_first = choice.branches > 1 || !choice.has_else || isdigit((unsigned char)*sh->reason[reason]->source);
    *asked = doubt_choice(sh, reason, choice.words.text, is_first, line);
    buffer_free(&choice.words);
    if (choice.branches == 1 && !choice.has_else)
        return v;
    return (struct verdict){is_first ? YES : NO, *asked};
}

static struct verdict run_if(struct shell *sh, struct reader *r)
{
    struct chain chain = {.line = r->line};
    int line = r->line;
    do {
        struct verdict v = {NO, 0};
        chain.asked = 0;
        if (chain.is_closed)
            run_skipped(sh, r);
        else
            v = run_condition(sh, r);
        if (!chain.is_closed)
            v = assume_test(sh, r, v, chain.line, &chain.asked);
        if (!reader_expect(sh, r, "then", "if", line))
            return COMMAND_ASSUMED;
        run_branch(sh, r, &chain, v);
        chain.line = r->line;
    } while (reader_take_word(r, "elif"));
    if (reader_take_word(r, "else"))
        run_branch(sh, r, &chain, (struct verdict){YES, 0});
    reader_expect(sh, r, "fi", "if", line);
    return chain.doubt && shell_is_live(sh) ? COMMAND_ASSUMED : (struct verdict){YES, 0};
}

/*
 * The patterns of one branch of `case` against the word; MAYBE when either is not known. Plain ones go to `words`,
 * which may be NULL.
 */
static enum truth take_patterns(struct shell *sh, struct reader *r, const struct plain *subject, struct buffer *words,
                                int line)
{
    enum { LONGEST = 1024 };
    enum truth truth = NO;
    reader_skip_blank(r);
    reader_take(r, "(");
    do {
        reader_skip_blank(r);
        char *marked = expand_whole_word(sh, r);
        struct plain pattern = plain_of(marked);
        bool is_known = !subject->unknown && !pattern.unknown && strlen(pattern.text) <= LONGEST;
        if (is_known && pattern_matches(pattern.text, subject->text))
            truth = YES;
        else if (!is_known && truth == NO)
            truth = MAYBE;
        if (words && !pattern.unknown && *pattern.text && !strpbrk(pattern.text, "*?[ "))
            buffer_printf(words, "%s%s", words->size ? " " : "", pattern.text);
        free(pattern.text);
        free(marked);
        reader_skip_blank(r);
    } while (reader_take(r, "|") && !sh->is_failed);
    if (!reader_take(r, ")"))
        shell_fail(sh, line, "a pattern of `case` has no `)`; complete the script");
    return truth;
}

static bool is_branch(struct shell *sh, struct reader *r)
{
    reader_skip_lines(r);
    return r->at < r->end && !reader_is_word(r, "esac") && !sh->is_failed;
}

/* Moves past `;;`; false where no branch follows. */
static bool take_branch_end(struct reader *r)
{
    reader_skip_lines(r);
    return reader_take(r, ";;");
}

/*
 * Lists the plain words that select branches, the reader left where it is. Returns the first branch that has one, -1
 * for none.
 */
static int list_branches(struct shell *sh, struct reader r, const struct plain *subject, struct buffer *words, int line)
{
    int first = -1;
    for (int branch = 0; is_branch(sh, &r); branch++) {
        take_patterns(sh, &r, subject, words, line);
        first = first < 0 && words->size > 0 ? branch : first;
        run_skipped(sh, &r);
        if (!take_branch_end(&r))
            break;
    }
    return first;
}

/*
 * The branch of `case` that is taken for a word that the caller has not given, and the doubt about it, which names the
 * words that there are; -1 where the word is known, or comes from elsewhere.
 */
static int assume_branch(struct shell *sh, const struct reader *r, const struct plain *subject, int line, int *doubt)
{
    if (!subject->unknown || !reason_is_unset(sh, subject->unknown) || !shell_is_live(sh))
        return -1;
    struct buffer words = {0};
    int branch = list_branches(sh, *r, subject, &words, line);
    if (branch >= 0)
        *doubt = doubt_choice(sh, subject->unknown, words.text, true, line);
    buffer_free(&words);
    return branch;
}

static struct verdict run_case(struct shell *sh, struct reader *r)
{
    struct chain chain = {.line = r->line};
    int line = r->line, doubt = 0;
    reader_skip_blank(r);
    char *marked = expand_whole_word(sh, r);
    struct plain subject = plain_of(marked);
    reader_expect(sh, r, "in", "case", line);
    int assumed = assume_branch(sh, r, &subject, line, &doubt);
    for (int branch = 0; is_branch(sh, r); branch++) {
        enum truth truth = take_patterns(sh, r, &subject, NULL, line);
        struct verdict is_taken = {branch == assumed ? YES : NO, doubt};
        run_branch(sh, r, &chain, assumed < 0 ? (struct verdict){truth, subject.doubt} : is_taken);
        if (!take_branch_end(r))
            break;
    }
    reader_expect(sh, r, "esac", "case", line);
    free(subject.text);
    free(marked);
    return COMMAND_ASSUMED;
}

/* ---- loops ----------------------------------------------------------------------------------------------------- */

/* One turn of a loop body; false when the loop is to end. */
static bool run_turn(struct shell *sh, struct reader *r)
{
    run_list(sh, r);
    bool is_broken = sh->is_breaking;
    sh->is_breaking = sh->is_continuing = false;
    return !is_broken && shell_is_live(sh);
}

static void note_loop(struct shell *sh, const char *word, int line)
{
    if (shell_is_live(sh))
        errors_note(sh->errors, sh->name, line, NULL, "the body of this `%s` is left out, because how often it runs is "
                    "unknown; its settings are ignored", word);
}

/* The words after `for NAME in`. */
static void take_for_words(struct shell *sh, struct reader *r, struct words *w)
{
    for (reader_skip_blank(r); !reader_is_command_end(r) && !sh->is_failed; reader_skip_blank(r)) {
        const char *before = r->at;
        expand_word(sh, r, w);
        reader_progress(sh, r, before);
    }
}

/* Runs the body that follows `do` once for each word, and leaves the reader at `done`. */
static void run_for_body(struct shell *sh, struct reader *r, const char *name, const struct words *w)
{
    struct reader body = *r;
    bool goes_on = shell_is_live(sh);
    if (!goes_on || w->count == 0)
        run_skipped(sh, r);
    for (size_t i = 0; i < w->count && i < SHELL_LOOP_MAX && goes_on; i++) {
        struct plain word = plain_of(w->item[i]);
        struct frame outer = sh->frame;
        if (word.unknown)
            sh->frame.doubt = reason_doubt(sh, word.unknown);
        variable_assign(sh, name, &(struct words){.item = w->item + i, .count = 1}, false, false, body.line);
        *r = body;
        goes_on = run_turn(sh, r);
        sh->frame = outer;
        free(word.text);
    }
}

/* The three parts of `for ((a; b; c))` as expressions in the text. */
struct counted {
    const char *part[3], *end[3];
};

/* Moves past `((a; b; c))`; false where it has another form. */
static bool take_counted(struct shell *sh, struct reader *r, struct counted *c, int line)
{
    const char *open = r->at, *close = scan(sh, open - 1, r->end, SCAN_PAREN, line);
    int parts = 0;
    c->part[0] = open;
    for (const char *p = open; p + 1 < close && parts < 3; p++)
        if (*p == ';' && parts < 2) {
            c->end[parts++] = p;
            c->part[parts] = p + 1;
        }
    c->end[parts] = close - 1;
    reader_move(r, close);
    return parts == 2 && close > open && close[-1] == ')';
}

/*
 * Runs the body that follows `do` while the condition is known to hold; false, having read nothing, where it is not
 * known.
 */
static bool run_counted_body(struct shell *sh, struct reader *r, const struct counted *c, int line)
{
    struct reader body = *r;
    int unknown, doubt, turn = 0;
    bool goes_on = shell_is_live(sh) && assign_arithmetic(sh, c->part[0], c->end[0], line);
    for (; goes_on && turn < SHELL_COUNT_MAX; turn++) {
        int64_t holds = arithmetic(sh, c->part[1], c->end[1], line, &unknown, &doubt);
        if (unknown || doubt || !holds)
            break;
        *r = body;
        goes_on = run_turn(sh, r) && assign_arithmetic(sh, c->part[2], c->end[2], line);
    }
    bool is_known = turn > 0 || (goes_on && !unknown && !doubt);
    if (turn == 0 && is_known)
        run_skipped(sh, r);
    return is_known;
}

static struct verdict run_for(struct shell *sh, struct reader *r)
{
    int line = r->line;
    struct words w = {0};
    struct counted counted;
    bool is_counted = false;
    reader_skip_blank(r);
    size_t n = r->at < r->end && is_name_start(*r->at) ? name_size(r->at, r->end) : 0;
    char *name = xstrndup(r->at, n);
    r->at += n;
    reader_skip_lines(r);
    if (n > 0 && reader_take_word(r, "in")) {
        take_for_words(sh, r, &w);
    } else {
        is_counted = reader_take(r, "((") && take_counted(sh, r, &counted, line);
        reader_take(r, ")");
        if (!is_counted)
            note_loop(sh, "for", line); /* over the arguments of the script */
    }
    reader_skip_lines(r);
    reader_take(r, ";");
    if (reader_expect(sh, r, "do", "for", line)) {
        bool is_run = is_counted && run_counted_body(sh, r, &counted, line);
        if (is_counted && !is_run)
            note_loop(sh, "for", line);
        if (!is_run)
            run_for_body(sh, r, name, &w);
        reader_expect(sh, r, "done", "for", line);
    }
    words_free(&w);
    free(name);
    return COMMAND_ASSUMED;
}

static struct verdict run_loop(struct shell *sh, struct reader *r, const char *word, bool is_until)
{
    int line = r->line;
    struct reader start = *r;
    bool goes_on = true;
    for (int turn = 0; goes_on && !sh->is_failed; turn++) {
        *r = start;
        struct verdict v = run_list(sh, r);
        v = is_until ? verdict_not(v) : v;
        if (!reader_expect(sh, r, "do", word, line))
            break;
        bool is_decided = (v.truth == YES || v.truth == NO) && !v.doubt;
        if (!is_decided)
            note_loop(sh, word, line);
        goes_on = is_decided && v.truth == YES && turn < SHELL_LOOP_MAX && shell_is_live(sh);
        if (goes_on)
            goes_on = run_turn(sh, r);
        else
            run_skipped(sh, r);
    }
    reader_expect(sh, r, "done", word, line);
    return COMMAND_ASSUMED;
}

static struct verdict run_while(struct shell *sh, struct reader *r)
{
    return run_loop(sh, r, "while", false);
}

static struct verdict run_until(struct shell *sh, struct reader *r)
{
    return run_loop(sh, r, "until", true);
}

/* ---- (( )) and groups ------------------------------------------------------------------------------------------ */

/* Assignments in `(( ))`: `x=1`, `x+=1`, `x++` and their like; false if the text is none. */
static bool assign_arithmetic(struct shell *sh, const char *p, const char *end, int line)
{
    p += strspn(p, " \t");
    size_t n = p < end && is_name_start(*p) ? name_size(p, end) : 0;
    const char *op = p + n + strspn(p + n, " \t");
    if (n == 0 || end - op < 2)
        return false;
    bool is_plain = op[0] == '=' && op[1] != '=', is_step = strchr("+-", op[0]) && op[1] == op[0];
    bool is_update = strchr("+-*/%", op[0]) && op[1] == '=';
    if (!is_step && !is_plain && !is_update)
        return false;
    char *name = xstrndup(p, n), *right = xstrndup(op + 1 + !is_plain, (size_t)(end - op - 1 - !is_plain));
    char *text = is_plain ? xstrdup(right) : xasprintf("%s %c (%s)", name, op[0], is_step ? "1" : right);
    struct words value = {.line = line};
    expand_arithmetic(sh, text, text + strlen(text), &value);
    words_close(sh, &value);
    variable_assign(sh, name, &value, false, false, line);
    words_free(&value);
    free(text);
    free(right);
    free(name);
    return true;
}

/* `(( ... ))`; the reader stands after the first parentheses. */
static struct verdict run_arithmetic(struct shell *sh, struct reader *r)
{
    int line = r->line;
    const char *open = r->at, *close = scan(sh, open - 1, r->end, SCAN_PAREN, line);
    struct verdict v = {MAYBE, 0};
    if (shell_is_live(sh) && close > open && !assign_arithmetic(sh, open, close - 1, line)) {
        int unknown;
        int64_t value = arithmetic(sh, open, close - 1, line, &unknown, &v.doubt);
        v.truth = unknown ? MAYBE : value ? YES : NO;
    }
    reader_move(r, close);
    reader_take(r, ")");
    return v;
}

static struct verdict run_group(struct shell *sh, struct reader *r, const char *open, const char *close)
{
    int line = r->line;
    struct verdict v = run_list(sh, r);
    reader_expect(sh, r, close, open, line);
    return v;
}

static struct verdict run_brace(struct shell *sh, struct reader *r)
{
    return run_group(sh, r, "{", "}");
}

/* ---- functions ------------------------------------------------------------------------------------------------- */

/* Remembers the function whose body follows and reads past it. */
static struct verdict define_function(struct shell *sh, struct reader *r, const char *name, size_t size)
{
    int line = r->line;
    reader_skip_lines(r);
    if (r->at >= r->end)
        shell_fail(sh, line, "a function has no body; complete the script");
    if (shell_is_live(sh) && sh->functions < SHELL_VARIABLES_MAX) {
        sh->function = xrealloc(sh->function, (sh->functions + 1) * sizeof *sh->function);
        sh->function[sh->functions] = (struct function){xstrndup(name, size), *r};
        sh->function[sh->functions++].body.heredocs = 0;
    }
    struct frame outer = sh->frame;
    sh->frame.is_skipped = true;
    if (!sh->is_failed)
        run_command(sh, r);
    sh->frame = outer;
    return (struct verdict){YES, 0};
}

/* Moves past `name()`, or `name` alone if that is enough; returns the length of the name, 0 if it is not there. */
static size_t take_function_name(struct reader *r, bool is_name_enough)
{
    struct reader ahead = *r;
    while (ahead.at < r->end && (is_name_start(*ahead.at) || isdigit((unsigned char)*ahead.at) || *ahead.at == '-'))
        ahead.at++;
    size_t n = (size_t)(ahead.at - r->at);
    struct reader name_end = ahead;
    reader_skip_blank(&ahead);
    bool has_parentheses = reader_take(&ahead, "(");
    reader_skip_blank(&ahead);
    has_parentheses = has_parentheses && reader_take(&ahead, ")");
    if (n == 0 || !(has_parentheses || is_name_enough))
        return 0;
    *r = has_parentheses ? ahead : name_end;
    return n;
}

static struct verdict run_function(struct shell *sh, struct reader *r)
{
    reader_skip_blank(r);
    const char *name = r->at;
    size_t n = take_function_name(r, true);
    return define_function(sh, r, name, n);
}

/* ---- commands, pipelines, lists -------------------------------------------------------------------------------- */

static const struct {
    const char *word;
    struct verdict (*run)(struct shell *, struct reader *); /* the reader stands after the word */
} compound_row[] = {
    {"if", run_if},       {"case", run_case}, {"for", run_for},           {"while", run_while},
    {"until", run_until}, {"{", run_brace},   {"function", run_function},
};

static struct verdict run_known(struct shell *sh, struct reader *r)
{
    for (size_t i = 0; i < LENGTH(compound_row); i++)
        if (reader_take_word(r, compound_row[i].word))
            return compound_row[i].run(sh, r);
    if (reader_is_word(r, "[["))
        return test_double_bracket(sh, r);
    if (reader_take(r, "(("))
        return run_arithmetic(sh, r);
    if (reader_take(r, "("))
        return run_group(sh, r, "(", ")");
    const char *name = r->at;
    size_t n = take_function_name(r, false);
    return n ? define_function(sh, r, name, n) : run_simple(sh, r);
}

struct verdict run_command(struct shell *sh, struct reader *r)
{
    struct verdict v = COMMAND_ASSUMED;
    struct words ignored = {0};
    shell_enter(sh, r->line);
    if (++sh->commands > SHELL_COMMANDS_MAX)
        shell_fail(sh, r->line, "more than %d commands; shorten the loops of the script", SHELL_COMMANDS_MAX);
    if (!sh->is_failed)
        v = run_known(sh, r);
    do
        reader_skip_blank(r);
    while (!sh->is_failed && r->at < r->end && skip_redirection(sh, r, &ignored));
    words_free(&ignored);
    sh->depth--;
    return v;
}

/* The command that must follow an operator. */
static bool is_followed(struct shell *sh, struct reader *r, const char *op)
{
    reader_skip_lines(r);
    if (reader_is_closer(r))
        shell_fail(sh, r->line, "nothing follows `%s`; complete the script", op);
    return !sh->is_failed;
}

static struct verdict run_pipeline(struct shell *sh, struct reader *r)
{
    bool is_not = false, is_negation;
    reader_skip_blank(r);
    while ((is_negation = reader_take_word(r, "!")) || reader_take_word(r, "time")) {
        is_not ^= is_negation;
        reader_skip_blank(r);
    }
    struct verdict v = run_command(sh, r);
    while (!sh->is_failed && !reader_starts(r, "||") && (reader_take(r, "|&") || reader_take(r, "|")))
        if (is_followed(sh, r, "|"))
            v = run_command(sh, r);
    return is_not ? verdict_not(v) : v;
}

/* The side behind `&&` or `||`: skipped, read, or read with doubt, as the left side decides. */
static struct verdict run_conditional(struct shell *sh, struct reader *r, struct verdict left, bool is_and)
{
    struct chain chain = {.line = r->line};
    struct verdict v = left;
    if (v.truth == ASSUMED)
        v.truth = YES;
    if (!is_and)
        v = verdict_not(v);
    struct frame frame = chain_branch(sh, &chain, v), outer = sh->frame;
    sh->frame = frame;
    struct verdict right = run_pipeline(sh, r);
    sh->frame = outer;
    if (frame.is_skipped)
        return left;
    if (left.truth == ASSUMED || right.truth == ASSUMED)
        return v.truth == MAYBE ? (struct verdict){MAYBE, 0} : right;
    return verdict_join(left, right, is_and);
}

static struct verdict run_and_or(struct shell *sh, struct reader *r)
{
    struct verdict v = run_pipeline(sh, r);
    bool is_and;
    while (!sh->is_failed && ((is_and = reader_take(r, "&&")) || reader_take(r, "||")))
        if (is_followed(sh, r, is_and ? "&&" : "||"))
            v = run_conditional(sh, r, v, is_and);
    return v;
}

/* Commands until something that closes a construct (or the text) comes; the status is that of the last. */
static struct verdict run_list(struct shell *sh, struct reader *r)
{
    struct verdict v = {YES, 0};
    for (reader_skip_lines(r); !sh->is_failed && !reader_is_closer(r); reader_skip_lines(r)) {
        const char *before = r->at;
        v = run_and_or(sh, r);
        if (!reader_starts(r, ";;") && !reader_take(r, ";"))
            reader_take(r, "&");
        reader_progress(sh, r, before);
    }
    return v;
}

/* ---- whole texts ----------------------------------------------------------------------------------------------- */

void run_text(struct shell *sh, struct reader *r)
{
    run_list(sh, r);
    if (!sh->is_failed && r->at < r->end) {
        char *shown = shell_excerpt(r->at, strcspn(r->at, "\n"));
        shell_fail(sh, r->line, "`%s` closes nothing; remove it", shown);
        free(shown);
    }
}

void run_evaluated(struct shell *sh, const char *text, int line)
{
    shell_enter(sh, line);
    if (!sh->is_failed) {
        sh->text = xrealloc(sh->text, (sh->texts + 1) * sizeof *sh->text);
        char *copy = sh->text[sh->texts++] = xstrdup(text);
        struct reader r = {.at = copy, .end = copy + strlen(copy), .line = line, .is_nested = true};
        run_text(sh, &r);
    }
    sh->depth--;
}
