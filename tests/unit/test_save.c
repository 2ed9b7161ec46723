/* A changed plan into its author's text: the text reads as the plan, and everything else stays. */
#include "tests/check.h"

#include "core/plan/step.h"
#include "src/plan/plan_io.h"
#include "src/plan/save.h"
#include "src/text/errors.h"
#include "src/text/text.h"

static void read_plan(struct plan *plan, const char *text)
{
    struct errors errors = {0};
    plan_clear(plan);
    int result = plan_read(plan, text, strlen(text), "test", NULL, &errors);
    assert_that(result == 0, "%s in:\n%s", errors.count ? errors.line[0] : "no reason", text);
    plan_finish(plan);
    errors_free(&errors);
}

/* ---- examples ------------------------------------------------------------------------------------------------- */

static const struct {
    const char *before, *settings, *after; /* after NULL: cannot be edited */
} examples[] = {
    {"tp: 2 # two\npp: 4\n", "tp=8", "tp: 8 # two\npp: 4\n"},
    {"# mine\nparallel:\n    tp: 2   # two\n\n    pp: 4  # four\n# end\n", "cp=2",
     "# mine\nparallel:\n    tp: 2   # two\n\n    pp: 4  # four\n    cp: 2\n# end\n"},
    {"parallel: {tp: 2, pp: 4} # one line\n", "tp=1 cp=2", "parallel: {tp: 1, pp: 4, cp: 2} # one line\n"},
    {"parallel: {\n  tp: 2, # two\n  pp: 4  # four\n}\n", "cp=2",
     "parallel: {\n  tp: 2, # two\n  pp: 4,  # four\n  cp: 2\n}\n"},
    {"parallel: {\n  tp: 2, # two\n  pp: 4,  # four\n}\n", "cp=2",
     "parallel: {\n  tp: 2, # two\n  pp: 4,  # four\n  cp: 2\n}\n"},
    {"parallel:\n  tp: 2 # why\n  pp: 4\n", "tp=auto pp=8", "parallel:\n  # why\n  pp: 8\n"},
    {"parallel:\n  tp: 2\n  pp: 4\n", "tp=auto", "parallel:\n  pp: 4\n"},
    {"parallel: {tp: 2, pp: 4}\n", "tp=auto", "parallel: {pp: 4}\n"},
    {"parallel: {tp: 2, pp: 4} # both\n", "pp=auto", "parallel: {tp: 2} # both\n"},
    {"parallel: { tp: 2 }\n", "tp=auto", "parallel: {}\n"},
    {"parallel: {\n  tp: 2, # two\n  pp: 4,\n  cp: 1  # one\n}\n", "tp=auto",
     "parallel: {\n  # two\n  pp: 4,\n  cp: 1  # one\n}\n"},
    {"parallel: {\n  tp: 2, # two\n  pp: 4,\n  cp: 1  # one\n}\n", "pp=auto",
     "parallel: {\n  tp: 2, # two\n  cp: 1  # one\n}\n"},
    {"parallel: {\n  tp: 2, # two\n  pp: 4,\n  cp: 1  # one\n}\n", "cp=auto",
     "parallel: {\n  tp: 2, # two\n  pp: 4  # one\n}\n"},
    {"parallel: {\n  tp: 2, # two\n  pp: 4  # four\n}\n", "pp=auto", "parallel: {\n  tp: 2, # two\n    # four\n}\n"},
    {"model: llama2-7b # the small one\nhidden_size: 8192\n", "model.num_layers=40",
     "model: llama2-7b # the small one\nhidden_size: 8192\nmodel.num_layers: 40\n"},
    {"model: llama2-7b\ntrain:\n  seq_length: 4k\n\nparallel:\n  tp: 2", "hardware.nodes=4",
     "model: llama2-7b\ntrain:\n  seq_length: 4k\n\nparallel:\n  tp: 2\n\nhardware:\n  nodes: 4"},
    {"parallel:\n# nothing yet\ntrain:\n  seq_length: 4k\n", "tp=2",
     "parallel:\n  tp: 2\n# nothing yet\ntrain:\n  seq_length: 4k\n"},
    {"parallel:\n  tp:   # later\n  pp: 2\n", "tp=2", "parallel:\n  tp: 2   # later\n  pp: 2\n"},
    {"parallel:\r\n  tp: 2 # two\r\n  pp: 4\r\n", "tp=8 cp=2", "parallel:\r\n  tp: 8 # two\r\n  pp: 4\r\n  cp: 2\r\n"},
    {"\xef\xbb\xbftp: 2 # \xc3\xa9\xe2\x82\xac\npp: 4 # four\n", "pp=8",
     "\xef\xbb\xbftp: 2 # \xc3\xa9\xe2\x82\xac\npp: 8 # four\n"},
    {"tp: &two 2\nparallel.pp: *two\n", "parallel.pp=4", "tp: &two 2\nparallel.pp: 4\n"},
    {"parallel:\n  pp: 2\n  pipeline_layout:\n    - 16\n    - 16\n  tp: 2 # two\n", "pipeline_layout=[15,17]",
     "parallel:\n  pp: 2\n  pipeline_layout: [15,17]\n  tp: 2 # two\n"},
    {"pp: 2\nparallel.pipeline_layout:\n  - 16 # first\n  - 16\n", "pipeline_layout=[15,17]", NULL},
    {"train:\n  global_batch_size: 4*128 # 512\n  seq_length: \"4k\"\n", "seq_length=8192",
     "train:\n  global_batch_size: 4*128 # 512\n  seq_length: 8192\n"},
    {"--- # the plan\ntp: 2\n... # the end\n", "pp=2", NULL},
    {"{\"parallel\": {\"tp\": 2}, \"train\": {\"seq_length\": 4096}}", "tp=4 sp=true train.dtype=bf16",
     "{\"parallel\": {\"tp\": 4, \"sp\": true}, \"train\": {\"seq_length\": 4096, \"dtype\": \"bf16\"}}"},
    {"{\n\t\"parallel\": {\n\t\t\"tp\": 2\n\t}\n}\n", "pp=4 hardware.nodes=2",
     "{\n\t\"parallel\": {\n\t\t\"tp\": 2,\n\t\t\"pp\": 4\n\t},\n\t\"hardware\": {\"nodes\": 2}\n}\n"},
    {"{\"tp\": 2, \"pp\": 4}", "tp=auto", "{\"pp\": 4}"},
    {"{\"tp\": 2, \"pp\": 4}", "pp=auto", "{\"tp\": 2}"},
    {"{\n  \"tp\": 2,\n  \"pp\": 4\n}\n", "tp=auto", "{\n  \"pp\": 4\n}\n"},
    {"{\r\n  \"tp\": 2,\r\n  \"pp\": 4\r\n}\r\n", "pp=auto", "{\r\n  \"tp\": 2\r\n}\r\n"},
    /* what is answered, perhaps with what was assumed, is open no longer */
    {"tp: 2\npp: 4\nassumed:\n  parallel.tp: TP # why\n  pp: $1\n", "tp=2",
     "tp: 2\npp: 4\nassumed:\n  # why\n  pp: $1\n"},
    {"tp: 2\nassumed:\n  tp: TP\ncp: 2\n", "tp=4", "tp: 4\ncp: 2\n"},
    {"{\n  \"tp\": 2,\n  \"pp\": 4,\n  \"assumed\": {\n    \"tp\": \"TP\",\n    \"pp\": \"PP\"\n  },\n"
     "  \"defaults\": [\"cp\"]\n}\n", "tp=2",
     "{\n  \"tp\": 2,\n  \"pp\": 4,\n  \"assumed\": {\n    \"pp\": \"PP\"\n  },\n  \"defaults\": [\"cp\"]\n}\n"},
    {"{\n  \"tp\": 2,\n  \"assumed\": {\n    \"tp\": \"TP\"\n  }\n}\n", "tp=2", "{\n  \"tp\": 2\n}\n"},
    {"tp: 2 # two\nassumed: {tp: TP}\npp: 2\n", "tp=2", "tp: 2 # two\npp: 2\n"},
    {"{\"tp\": 2, \"pp\": 4, \"defaults\": [\"tp\"]}", "tp=2", "{\"tp\": 2, \"pp\": 4}"},
    {"tp: 2\nuncertain:\n  tp: TP\n", "tp=2", "tp: 2\n"},
    {"tp: 2\nassumed:\n  total_tokens: N\n", "total_tokens=1T",
     "tp: 2\ntrain:\n  total_tokens: 1000000000000\n"},
    {"tp: 2\npp: 4\ndefaults: [tp, pp]\n", "tp=4", "tp: 4\npp: 4\ndefaults: [parallel.pp]\n"},
    {"tp: 2\npp: 4\ndefaults: [tp]\n", "tp=2", "tp: 2\npp: 4\n"},
};

static void examples_become_what_their_author_would_write(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(examples); i++) {
        struct plan plan;
        struct buffer out = {0};
        read_plan(&plan, examples[i].before);
        check_set(&plan, examples[i].settings);
        int changed = plan_edit(&plan, NULL, examples[i].before, strlen(examples[i].before), &out);
        if (examples[i].after) {
            assert_that(changed >= 0 && strcmp(out.text, examples[i].after) == 0, "%s, %s:\n%s\nnot:\n%s",
                        examples[i].before, examples[i].settings, out.text ? out.text : "(cannot)", examples[i].after);
        } else if (changed >= 0) {
            struct plan again;
            read_plan(&again, out.text); /* an honest answer, whatever it is */
            assert_true(plan_equal(&again, &plan));
        }
        buffer_free(&out);
    }
}

static void nothing_changed_changes_nothing(void **state)
{
    (void)state;
    struct plan plan;
    struct buffer out = {0};
    static const char text[] = "# a plan\nmodel:   llama2-7b   # x\n\n\ntp: '2'\n";
    read_plan(&plan, text);
    assert_int_equal(plan_edit(&plan, NULL, text, strlen(text), &out), 0);
    assert_string_equal(out.text, text);
    buffer_free(&out);
}

static void what_is_no_plan_is_not_edited(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "#!/bin/sh\ntorchrun pretrain_gpt.py --num-layers 4\n",
                                        "tp: 2\n---\ntp: 4\n", "tp: [\n"};
    struct plan plan;
    read_plan(&plan, "tp: 4\n");
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct buffer out = {0};
        assert_int_equal(plan_edit(&plan, NULL, texts[i], strlen(texts[i]), &out), -1);
        assert_int_equal(out.size, 0);
    }
}

/* ---- random plans, random edits ------------------------------------------------------------------------------- */

enum { GROUPED, BRACED, BRACED_LINES, DOTTED, STYLES };

struct author {
    struct check_random *random;
    struct buffer text;
    const char *end; /* of a line */
    int comments;
};

static bool now_and_then(struct author *author, int of)
{
    return check_below(author->random, of) == 0;
}

static void end_line(struct author *author)
{
    static const char *const words[] = {"as measured", "why: see #12", "{not: a value}", "\"quoted\"",
                                        "caf\xc3\xa9 \xe2\x82\xac"};
    if (now_and_then(author, 3))
        buffer_printf(&author->text, "%*s# %d %s", 1 + check_below(author->random, 4), "", author->comments++,
                      words[check_below(author->random, COUNT(words))]);
    buffer_puts(&author->text, author->end);
    if (now_and_then(author, 6))
        buffer_puts(&author->text, author->end);
    if (now_and_then(author, 6))
        buffer_printf(&author->text, "# %d a line of its own%s", author->comments++, author->end);
}

static void put_member(struct author *author, const struct plan *values, enum param id, const char *key)
{
    char value[PARAM_TEXT_MAX];
    param_print(values, id, value, sizeof value);
    bool is_quoted = now_and_then(author, 5) && !strchr(value, '[');
    buffer_printf(&author->text, "%s:%*s", key, 1 + check_below(author->random, 3), "");
    buffer_printf(&author->text, is_quoted ? "'%s'" : "%s", value);
}

static bool is_written(const struct plan *values, enum param id)
{
    return !param_blank(values, id) && param_rows[id].type != TYPE_NAME;
}

static void put_group(struct author *author, const struct plan *values, enum param_group group, int style)
{
    int put = 0, indent = 1 + check_below(author->random, 5);
    for (int i = 0; i < PARAM_COUNT; i++) {
        if (param_rows[i].group_id != group || !is_written(values, (enum param)i) || !now_and_then(author, 4))
            continue;
        if (put++ == 0 && style != DOTTED) {
            buffer_printf(&author->text, "%s:%s", param_group_names[group], style == GROUPED ? "" : " {");
            if (style != BRACED)
                end_line(author);
        } else if (style == BRACED) {
            buffer_puts(&author->text, ", ");
        } else if (style == BRACED_LINES) {
            buffer_puts(&author->text, ",");
            end_line(author);
        }
        if (style == GROUPED || style == BRACED_LINES)
            buffer_printf(&author->text, "%*s", indent, "");
        put_member(author, values, (enum param)i, style == DOTTED ? param_rows[i].dotted : param_rows[i].key);
        if (style == GROUPED || style == DOTTED)
            end_line(author);
    }
    if (put && style == BRACED_LINES)
        end_line(author);
    if (put && (style == BRACED || style == BRACED_LINES)) {
        buffer_puts(&author->text, "}");
        end_line(author);
    }
}

/* A plan as somebody might write it by hand. */
static void write_by_hand(struct author *author, const struct plan *values)
{
    static const enum param_group groups[] = {GROUP_parallel, GROUP_train, GROUP_framework, GROUP_hardware,
                                              GROUP_serve,    GROUP_rl};
    buffer_printf(&author->text, "# %d by hand%smodel: llama2-7b", author->comments++, author->end);
    end_line(author);
    for (size_t i = 0; i < COUNT(groups); i++)
        if (!now_and_then(author, 4))
            put_group(author, values, groups[i], check_below(author->random, STYLES));
}

static void change_randomly(struct check_random *random, struct plan *plan)
{
    char why[PARAM_WHY_MAX];
    for (int i = 1 + check_below(random, 4); i > 0; i--) {
        enum param id = (enum param)check_below(random, PARAM_COUNT);
        if (param_rows[id].type == TYPE_NAME)
            continue;
        if (check_below(random, 5) == 0)
            param_parse(plan, id, "", FROM_SET, false, why);
        else
            param_step(plan, id, check_below(random, 2) ? 1 : -1);
    }
}

/* Every comment of `before` stands in `after`, in the same order. */
static void expect_comments(const char *before, const char *after)
{
    const char *at = after;
    for (const char *p = strstr(before, "# "); p; p = strstr(p + 2, "# ")) {
        char comment[64];
        snprintf(comment, sizeof comment, "%.*s", (int)strcspn(p, "\r\n"), p);
        at = strstr(at, comment);
        assert_that(at, "'%s' is lost from\n%s\nin\n%s", comment, before, after);
        p += strcspn(p, "\r\n") - 2;
    }
}

static void random_edits_keep_comments_and_read_as_the_plan(void **state)
{
    (void)state;
    struct check_random random = {11};
    struct plan values, resolved;
    read_plan(&values, "model: llama2-7b\ncluster: dgx-h100\ntp: 2\npp: 2\n");
    plan_resolve(&values, &resolved);
    int edited = 0;
    for (int i = 0; i < 400; i++) {
        struct author author = {.random = &random, .end = i % 4 ? "\n" : "\r\n"};
        struct buffer out = {0};
        struct plan plan, again;
        write_by_hand(&author, &resolved);
        read_plan(&plan, author.text.text);
        change_randomly(&random, &plan);
        int changed = plan_edit(&plan, NULL, author.text.text, author.text.size, &out);
        assert_that(changed >= 0, "run %d cannot be edited:\n%s", i, author.text.text);
        read_plan(&again, out.text);
        assert_that(plan_equal(&plan, &again), "run %d reads as another plan:\n%s\nfrom\n%s", i, out.text,
                    author.text.text);
        expect_comments(author.text.text, out.text);
        edited += changed > 0;
        buffer_free(&author.text);
        buffer_free(&out);
    }
    assert_true(edited > 200);
}

static void another_model_is_named_and_its_keys_follow(void **state)
{
    (void)state;
    static const char text[] = "# big\nmodel: llama2-7b # small\nmodel.vocab_size: 50000 # ours\ntp: 2\n";
    struct plan plan;
    struct buffer out = {0};
    read_plan(&plan, "model: llama2-70b\ntp: 2\n");
    assert_true(plan_edit(&plan, NULL, text, strlen(text), &out) > 0);
    assert_non_null(strstr(out.text, "model: llama2-70b # small\n"));
    assert_non_null(strstr(out.text, "# ours\n"));
    struct plan again;
    read_plan(&again, out.text);
    assert_true(plan_equal(&plan, &again));
    buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_become_what_their_author_would_write),
        cmocka_unit_test(nothing_changed_changes_nothing),
        cmocka_unit_test(what_is_no_plan_is_not_edited),
        cmocka_unit_test(random_edits_keep_comments_and_read_as_the_plan),
        cmocka_unit_test(another_model_is_named_and_its_keys_follow),
    };
    return cmocka_run_group_tests_name("save", tests, NULL, NULL) != 0;
}
