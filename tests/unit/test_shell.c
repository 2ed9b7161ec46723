/* What src/shell/shell.c takes out of scripts, and what it says about the rest. */
#include "tests/check.h"

#include "src/shell/shell.h"
#include "src/text/errors.h"
#include "src/text/file.h"
#include "src/text/text.h"

/** A script and what is read: commands one a line, `?` behind unknown words, `~` behind uncertain ones; messages. */
struct sample {
    const char *script, *commands, *messages;
};

static void dump_word(struct buffer *out, const struct shell_word *w, bool is_first)
{
    buffer_printf(out, "%s%s%s%s", is_first ? "" : " ", strchr(w->text, ' ') ? "_" : "", w->text,
                  w->is_unknown ? "?" : w->is_uncertain ? "~" : "");
}

static char *dump_commands(const struct shell_script *script)
{
    struct buffer out = {0};
    buffer_puts(&out, "");
    for (size_t i = 0; i < script->count; i++) {
        for (size_t k = 0; k < script->command[i].count; k++)
            dump_word(&out, &script->command[i].word[k], k == 0);
        buffer_puts(&out, script->command[i].is_uncertain ? " &\n" : "\n");
    }
    return out.text ? out.text : xstrdup("");
}

static char *dump_messages(const struct errors *errors)
{
    struct buffer out = {0};
    buffer_puts(&out, "");
    for (size_t i = 0; i < errors->count; i++)
        buffer_printf(&out, "%s\n", errors->line[i]);
    return out.text ? out.text : xstrdup("");
}

static void check(const struct sample *s)
{
    struct errors errors = {0};
    struct shell_script script = {0};
    int result = shell_read(s->script, strlen(s->script), "a.sh", NULL, &script, &errors);
    char *commands = dump_commands(&script), *messages = dump_messages(&errors);
    assert_message(messages, s->messages ? s->messages : "");
    assert_string_equal(commands, s->commands);
    assert_int_equal(result, errors_any(&errors) ? -1 : 0);
    free(commands);
    free(messages);
    shell_free(&script);
    errors_free(&errors);
}

static void check_all(const struct sample *s, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check(&s[i]);
}

#define CHECK_ALL(table) check_all(table, sizeof(table) / sizeof *(table))

static void test_words_are_split_and_joined_as_bash_does(void **state)
{
    (void)state;
    static const struct sample table[] = {
        {"", "", NULL},
        {"a b\tc # d\n#e\nf", "a b c\nf\n", NULL},
        {"a \\\n  b\\\nc", "a bc\n", NULL},
        {"a 'b $X' \"c d\" e\\ f", "a _b $X _c d _e f\n", NULL},
        {"a $'x y'", "a _x y\n", NULL},
        {"a \"\" b''c", "a  bc\n", NULL},
        {"a; b && c || d & e | f", "a\nb\nc\ne\nf\n", NULL},
        {"a >x 2>&1 <y &>z b", "a b\n", NULL},
        {"cat <<EOF\nif $(x) 'y\nEOF\nb", "cat\nb\n", NULL},
        {"cat <<-'E F'; b\n\tq\n\tE F\nc", "cat\nb\nc\n", NULL},
        {"a#b c", "a#b c\n", NULL},
        {"a\r\nb \\\r\n c\r\n", "a\nb c\n", NULL},
        {"a {x}", "a {x}\n", NULL},
    };
    CHECK_ALL(table);
}

static void test_variables_and_arrays_hold_what_was_assigned(void **state)
{
    (void)state;
    static const struct sample table[] = {
        {"V=1; export W=2; declare -x X=3; a $V ${W} $X", "a 1 2 3\n", NULL},
        {"V=1; V+=2; a $V", "a 12\n", NULL},
        {"V='p  q'; a $V \"$V\" x$V", "a p q _p  q xp q\n", NULL},
        {"V=1 a $V", "a ?\n", NULL},
        {"A=( 1 '2 3' # note\n 4 ); A+=(5); a ${A[@]}", "a 1 2 3 4 5\n", NULL},
        {"A=(1 '2 3'); a \"${A[@]}\" \"x${A[*]}\" ${#A[@]} ${A[1]} $A", "a 1 _2 3 _x1 2 3 2 2 3 1\n", NULL},
        {"A=(); a ${A[@]} \"${A[@]}\" b \"\"", "a b \n", NULL},
        {"f() { a \"$@\" b \"c$@\"; }; f", "a b c\n", NULL},
        {"A=(1 2 3); a ${A[2]} ${A[-1]} x${A[3]}; A[1]=9; a ${A[1]}", "a 3 3 x\na ?\n", NULL},
        {"V=\"--x 1 \\\n  --y 2\n\"; a $V", "a --x 1 --y 2\n", NULL},
        {"V=1; unset V; a ${V:-2}", "a 2\n", NULL},
        {"V=abc; a ${#V}", "a 3\n", NULL},
        {"declare -A M=([7B]=32 [13B]=\"40 x\"); S=13B; a ${M[7B]} ${M[$S]} \"${M[$S]}\"", "a 32 40 x _40 x\n", NULL},
        {"declare -A M; M[7B]=32; M['x y']=$(z); a ${M[7B]} ${M[\"7B\"]} ${M[x y]} ${M[13B]} ${M[$S]}",
         "a 32 32 ? ? ?\n", NULL},
        {"A=([0]=p [1]=q); a ${A[1]} ${A[@]}", "a q ?\n", NULL},
    };
    CHECK_ALL(table);
}

static void test_parameter_operators(void **state)
{
    (void)state;
    static const struct sample table[] = {
        {"a ${V:-x} ${V-y} ${1:-z}", "a x y z\n", NULL},
        {"V=; a ${V:-x} ${V-y} b", "a x b\n", NULL},
        {"a ${V:=x} $V", "a x x\n", NULL},
        {"a ${V:+x} b; V=1; a ${V:+x}", "a b\na x\n", NULL},
        {"V=m.tar.gz; a ${V%.*} ${V%%.*} ${V#*.} ${V##*.}", "a m.tar m tar.gz gz\n", NULL},
        {"V=ab; a ${V^^} ${!V} ${V:0:1} ${V/a*/b}", "a ? ? ? ?\n", NULL},
        {"V=aab; a ${V/a/b} ${V//a/c} ${V/x/y} ${V//b}", "a bab ccb aab aa\n", NULL},
        {"V=0,1,2; A=(${V//,/ }); a ${#A[@]} ${A[2]}", "a 3 2\n", NULL},
        {"A=($(x)); a ${#A[@]}", "a ?\n", NULL},
        {"H=/h; a ${V:=\"$H/x\"} $V", "a /h/x /h/x\n", NULL},
        {"W=p; V=$(cat <<END\n$W\nEND\n); a \"$V\"", "a p\n", NULL},
        {"a b\\", "a b\n", NULL},
        {"a ${V:-\"p q\"} ${V:-p q}", "a _p q p q\n", NULL},
        {"V=$(x); a ${V:-8}", "a ?\n", NULL},
        {"V=${W:-$(x)}; a $V", "a ?\n", NULL},
    };
    CHECK_ALL(table);
}

static void test_integer_arithmetic(void **state)
{
    (void)state;
    static const struct sample table[] = {
        {"V=3; a $((V * 2 + 1)) $(( ($V+1) * -2 )) $((7/2)) $((7%4)) $((-(2-5)))", "a 7 -8 3 3 3\n", NULL},
        {"a $((1<2)) $((2==3)) $((1&&0)) $((!0)) $((3>2?10:20)) $((0x10))", "a 1 0 0 1 10 16\n", NULL},
        {"a $((1/0)) $((9223372036854775807+1)) $((N+1)) $((1 &)) $((2**-1))", "a ? ? ? ? ?\n", NULL},
        {"a $((2**3)) $((2**3**2)) $((-1**3)) $((2*3**2)) $((10**30))", "a 8 512 -1 18 ?\n", NULL},
        {"V=1; ((V++)); ((V += 3)); a $V; ((W = V * 2)); a $W", "a 5\na 10\n", NULL},
    };
    CHECK_ALL(table);
}

static void test_sums_of_other_programs(void **state)
{
    (void)state;
    static const struct sample table[] = {
        {"A=4; B=$[ (A + 2) * 2 ]; a $[A*4] $B \"$[8 / 2]\" $[X]", "a 16 12 4 ?\n", NULL},
        {"A=16; a $(python3 -c \"print(2*4)\") $(python -c \"print(int($A/2))\") $(python3 -c 'print(16//8)')",
         "a 8 8 2\n", NULL},
        {"a $(python3 -c \"print(3/2)\") $(python3 -c 'import os; print(1)') $(python3 -c \"print($X*2)\")",
         "a ? ? ?\n", NULL},
        {"N=4; a $(expr $N \\* 8) `expr 7 + 1` \"$(expr 9 / 2)\"", "a 32 8 4\n", NULL},
        {"N=4; a $(echo \"$N * 8\" | bc) $(echo $N*2|bc)", "a 32 8\n", NULL},
        {"a $(expr $X + 1) $(expr length abc) $(expr 1 + 1 | tee f) $(echo 1 | bc -l) `date`", "a ? ? ? ? ?\n", NULL},
        {"a $(expr 8 / 0)", "a ?\n", NULL},
    };
    CHECK_ALL(table);
}

/* Files that a script writes are kept with what is known of them. */
static void test_written_files_are_kept(void **state)
{
    (void)state;
    static const char script[] =
        "S=2\nF=$(pwd)/d.json\ncat <<END > $F; a\n{\"stage\": $S, \"batch\": $B}\nEND\ncat > ./e <<'END'\n$S\nEND\n"
        "tee f <<-X\n\tone\n\tX\necho '{\"a\": 1}' > g\ncat <<X\nno\nX\ncat h > i\ncat <<X 2> j\nno\nX\nb";
    static const char *const files[][2] = {
        {"/d.json", "{\"stage\": 2, \"batch\": null}\n"}, {"e", "$S\n"}, {"f", "\tone\n"}, {"g", "{\"a\": 1}"}};
    struct errors errors = {0};
    struct shell_script out = {0};
    assert_int_equal(shell_read(script, strlen(script), "a.sh", NULL, &out, &errors), 0);
    assert_int_equal(out.file.count, sizeof files / sizeof *files);
    for (size_t i = 0; i < out.file.count; i++) {
        assert_string_equal(out.file.item[i].key, files[i][0]);
        assert_string_equal(out.file.item[i].value, files[i][1]);
    }
    assert_string_equal(out.command[out.count - 1].word[0].text, "b");
    shell_free(&out);
    errors_free(&errors);
}

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void test_unknown_values_say_where_they_come_from(void **state)
{
    (void)state;
    static const struct {
        const char *script, *why;
        enum shell_reason_kind kind;
        const char *source, *words;
    } table[] = {
        {"a $(wc -l <x)", "comes from $(wc -l <x), which is not executed",
         REASON_NOT_EXECUTED, "$(wc -l <x)", NULL},
        {"a `date`", "comes from `date`, which is not executed",
         REASON_NOT_EXECUTED, "`date`", NULL},
        {"a <(sort x)", "comes from <(sort x), which is not executed",
         REASON_NOT_EXECUTED, "<(sort x)", NULL},
        {"a $V", "comes from $V, which the script does not set",
         REASON_UNSET, "V", NULL},
        {"a $1", "comes from $1, which is set when the script is run",
         REASON_ARGUMENT, "1", NULL},
        {"a \"$@\"", "comes from $@, which is set when the script is run",
         REASON_ARGUMENT, "@", NULL},
        {"a {1..4}", "comes from {1..4}, a form that is not evaluated",
         REASON_NOT_EVALUATED, "{1..4}", NULL},
        {"a ${V/x/y}", "comes from $V, which the script does not set",
         REASON_UNSET, "V", NULL},
        {"read V; a $V", "comes from `read`, which is not executed",
         REASON_NOT_EXECUTED, "`read`", NULL},
        {"case $1 in x) V=1;; *) V=2;; esac; a $V",
         "depends on $1, which is set when the script is run; of x the first is taken (line 1)",
         REASON_ARGUMENT, "1", "x"},
        {"S=$1\ncase $S in ?) V=0;; x | y*) V=1;; z) V=2;; esac; a $V",
         "depends on $1, which is set when the script is run; of x z the first is taken (line 2)",
         REASON_ARGUMENT, "1", "x z"},
        {"case $(x) in x) V=1;; *) V=2;; esac; a $V",
         "comes from $V, which the branches of an unknown condition set differently",
         REASON_BRANCHES, "V", NULL},
        {"case $1 in ?) V=1;; *) V=2;; esac; a $V",
         "comes from $V, which the branches of an unknown condition set differently",
         REASON_BRANCHES, "V", NULL},
        {"if [ \"$W\" = x ]; then V=1; elif [[ $W == y || z == $U ]]; then V=2; elif [ $W = z ]; then V=3; fi; a $V",
         "depends on $W, which the script does not set; of x y z the first is taken (line 1)",
         REASON_UNSET, "W", "x y z"},
        {"if [ \"$W\" = x ]; then V=1; else V=2; fi; a $V",
         "depends on $W, which the script does not set; not x is taken (line 1)",
         REASON_UNSET, "W", "x"},
        {"if [ \"$1\" = x ]; then V=1; else V=2; fi; a $V",
         "depends on $1, which is set when the script is run; of x the first is taken (line 1)",
         REASON_ARGUMENT, "1", "x"},
        {"if [ \"$W\" = x ]; then V=1; fi; a $V",
         "depends on $W, which the script does not set; of x the first is taken (line 1)",
         REASON_UNSET, "W", "x"},
        {"if [ \"$RANK\" = 0 ]; then V=1; else V=2; fi; a $V",
         "comes from $V, which the branches of an unknown condition set differently",
         REASON_BRANCHES, "V", NULL},
        {"if [ \"$W\" = x ] && y; then V=1; fi; a $V",
         "depends on $W, which the script does not set; of x the first is taken (line 1)",
         REASON_UNSET, "W", "x"},
        {"if [ $W = x ]; then V=1; elif [ $U = y ]; then V=2; elif [ $W = z ]; then V=3; else V=4; fi; a $V",
         "comes from $V, which the branches of an unknown condition set differently",
         REASON_BRANCHES, "V", NULL}, /* of one variable alone */
        {"if [ $W = $(x) ]; then V=1; fi; a $V", "depends on the condition in line 1, which is unknown",
         REASON_CONDITION, NULL, NULL},
        {"if x; then V=1; fi\na $V", "depends on the condition in line 1, which is unknown",
         REASON_CONDITION, NULL, NULL},
        {"[ -z \"$W\" ] && V=1; a $V", "depends on $W, which the script does not set",
         REASON_UNSET, "W", NULL},
        {"for i in $W; do V=1; done; a $V", "depends on $W, which the script does not set",
         REASON_UNSET, "W", NULL},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct errors errors = {0};
        struct shell_script script = {0};
        assert_int_equal(shell_read(table[i].script, strlen(table[i].script), "a.sh", NULL, &script, &errors), 0);
        const struct shell_command *last = &script.command[script.count - 1];
        assert_int_equal(last->count, 2);
        const struct shell_reason *why = last->word[1].why;
        assert_that(why && why->kind == table[i].kind && is_same(why->source, table[i].source) &&
                        is_same(why->words, table[i].words), "%s", table[i].script);
        char *text = shell_reason_text(why);
        assert_that(check_message(text, table[i].why), "%s\n%s", table[i].script, text);
        free(text);
        shell_free(&script);
        errors_free(&errors);
    }
}

static void test_conditions_are_decided_when_their_operands_are_known(void **state)
{
    (void)state;
    static const struct sample table[] = {
        {"V=4; if [ $V -eq 4 ]; then a; elif x; then b; else c; fi", "a\n", NULL},
        {"V=4; if [ $V -gt 4 ]; then a; elif [[ $V == 4 ]]; then b; else c; fi", "b\n", NULL},
        {"V=abc; [[ $V == a* && -n $V ]] && a", "a\n", NULL},
        {"V=abc; [[ $V != *\"b\"* || ! -z \"$V\" ]] || a", "", NULL},
        {"if (( 2 > 1 )); then a; else b; fi", "a\n", NULL},
        {"if [ -z \"$V\" ]; then V=1; fi; a $V", "a 1~\n", NULL},
        {"if [ \"$V\" == \"\" ]; then V=1; fi; W=2; if [ \"$W\" != '' ]; then W=3; fi; a $V $W", "a 1~ 3\n", NULL},
        {"if [[ -v U ]]; then V=1; else V=2; fi; W=1; if [[ -v W ]]; then W=3; fi; a $V $W", "a 2~ 3\n", NULL},
        {"if [ -f x ]; then a; else b; fi", "a &\nb &\n", NULL},
        {"if x; then V=1; else V=1; fi; a $V", "x\na 1~\n", NULL},
        {"if x; then V=1; else V=2; fi; a $V", "x\na ?\n", NULL},
        {"if [ $1 = y ]; then A+=(1); else A+=(2); fi; a ${A[@]}", "a 1~\n", NULL},
        {"case 7b in 1*) a;; 7b|8b) b;; *) c;; esac", "b\n", NULL},
        {"case $X in p) V=1;; q) V=1;; esac; a $V", "a 1~\n", NULL},
        {"mkdir x || exit 1; cd y && a", "mkdir x\ncd y\na\n", NULL},
        {"a; exit; b", "a\n", NULL},
        {"if [ -d x ]; then exit; fi; exit 2; a", "a\n", NULL},
        {"true && a; false && b; ! false && c", "a\nc\n", NULL},
        {"[ ] || a; test || b; [[ ]] || c", "a\nb\nc\n", NULL},
        {"[[ x7 == [a-x][!0-6] && ! ( a < b ) ]] && a", "a &\n", NULL},
    };
    CHECK_ALL(table);
}

static void test_loops_and_functions(void **state)
{
    (void)state;
    static const struct sample table[] = {
        {"for i in 1 2; do a $i; done", "a 1\na 2\n", NULL},
        {"for i in 1 2 3; do [ $i = 2 ] && break; a $i; done; b", "a 1\nb\n", NULL},
        {"for i in 1 2 3; do [ $i = 2 ] && continue; a $i; done", "a 1\na 3\n", NULL},
        {"i=0; while [ $i -lt 3 ]; do i=$((i+1)); a $i; done", "a 1\na 2\na 3\n", NULL},
        {"i=0; until (( i == 2 )); do ((i++)); a $i; done", "a 1\na 2\n", NULL},
        {"while [ $# -gt 0 ]; do V=$1; shift; done; a",
         "a\n",
         "a.sh:1: the body of this `while` is left out, because how often it runs is unknown; its settings are "
         "ignored\n"},
        {"for ((i=0;i<3;i++)); do a $i; done; b", "a 0\na 1\na 2\nb\n", NULL},
        {"N=2; for (( i = 1; i <= N; i += 1 )); do for ((j=0;j<i;j++)); do a $i $j; done; done",
         "a 1 0\na 2 0\na 2 1\n", NULL},
        {"for ((i=0;i<0;i++)); do a; done; b", "b\n", NULL},
        {"for ((i=0;i<9;i++)); do [ $i = 2 ] && break; a; done", "a\na\n", NULL},
        {"\nfor ((i=0;i<X;i++)); do a; done; b", "b\n",
         "a.sh:2: the body of this `for` is left out, because how often it runs is unknown; its settings are "
         "ignored\n"},
        {"printf -v A \"[%s-%d]\" x 3; a $A", "a [x-3]\n", NULL},
        {"printf -v A \"%5.2f\" 3; a $A", "a ?\n", NULL},
        {"r=(); for ((i=0;i<4;i++)); do if (( i < 1 )); then r+=(0); else r+=(1); fi; done\n"
         "printf -v F \"[%s]\" \"$(IFS=','; echo \"${r[*]}\")\"; a $F",
         "a [0,1,1,1]\n", NULL},
        {"V=3; a $(echo x$V) \"$(echo a  b)\" $(echo x | wc)", "a x3 _a b ?\n", NULL},
        {"for i; do a; done; b", "b\n",
         "a.sh:1: the body of this `for` is left out, because how often it runs is unknown; its settings are "
         "ignored\n"},
        {"f() { a \"$1\" $# ${2:-z} \"$@\"; }\nf 1; f 1 2", "a 1 1 z 1\na 1 2 2 1 2\n", NULL},
        {"function f { return; a; }; f; b", "b\n", NULL},
        {"f() { shift; a $1; }; f 1 2", "a 2\n", NULL},
        {"( a ); { b; } 2>x", "a\nb\n", NULL},
        {"C='a 1 \"2 3\"'; eval $C", "a 1 _2 3\n", NULL},
        {"V=1; ssh -p 2 h eval \"a $V\"; ssh h b $V", "ssh -p 2 h eval _a 1\na 1\nssh h b 1\n", NULL},
        {"V=1; srun bash -c \"a $V\"; bash -lc 'b $V'", "srun bash -c _a 1\na 1\nbash -lc _b $V\nb 1\n", NULL},
        {"source \"$D/x.sh\"; a", "a\n", "a.sh:1: the file .../x.sh is not read; its settings are unknown\n"},
    };
    CHECK_ALL(table);
}

static void test_broken_scripts_are_refused_with_their_line(void **state)
{
    (void)state;
    static const struct sample table[] = {
        {"a\nb 'c\nd", "a\n", "a.sh:2: a ' is opened here and never closed; add the missing quote\n"},
        {"a \"b", "", "a.sh:1: unclosed \"; close it\n"},
        {"a $(b", "", "a.sh:1: unclosed (; close it\n"},
        {"A=(\n1", "", "a.sh:1: an array `(` is opened here and never closed; add `)`\n"},
        {"\nif a; then b", "a\nb &\n", "a.sh:2: `if` has no `fi`; complete the script\n"},
        {"for i in 1; a", "", "a.sh:1: `for` has no `do`; complete the script\n"},
        {"a\nfi", "a\n", "a.sh:2: `fi` closes nothing; remove it\n"},
        {"a (b)", "", "a.sh:1: `(` is not expected here; quote it\n"},
        {"[[ a ; b", "", "a.sh:1: `[[` has no `]]`; complete the script\n"},
        {"case x in y", "", "a.sh:1: a pattern of `case` has no `)`; complete the script\n"},
        {"a &&", "a\n", "a.sh:1: nothing follows `&&`; complete the script\n"},
        {"f() { f; }; f", "", "a.sh:1: nested deeper than 64; simplify the script\n"},
        {"V=aaaaaaaaaaaaaaaa\nfor i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do V=$V$V; done", "",
         "a.sh:1: the variables expand to more than 1 MiB; shorten the script\n"},
    };
    CHECK_ALL(table);
}

static void test_words_keep_the_line_they_were_written_in(void **state)
{
    (void)state;
    static const char text[] = "A=(\n  --x 1\n)\nB=\"\n  --y \\\n  --z\n\"\nC=\"$B\"\nrun ${A[@]} $C\n";
    static const int line[] = {9, 2, 2, 5, 6};
    struct errors errors = {0};
    struct shell_script script = {0};
    assert_int_equal(shell_read(text, strlen(text), "a.sh", NULL, &script, &errors), 0);
    assert_int_equal(script.command[0].count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(script.command[0].word[i].line, line[i]);
    shell_free(&script);
    errors_free(&errors);
}

static void test_variables_are_left_as_words(void **state)
{
    (void)state;
    static const char text[] = "A=\"--x 1\"\nB=(p q)\n";
    struct errors errors = {0};
    struct shell_script script = {0};
    assert_int_equal(shell_read(text, strlen(text), "a.sh", NULL, &script, &errors), 0);
    assert_int_equal(script.variables, 2);
    assert_int_equal(script.variable[0].count, 3);
    assert_string_equal(script.variable[0].word[0].text, "A");
    assert_string_equal(script.variable[0].word[1].text, "--x");
    assert_string_equal(script.variable[1].word[2].text, "q");
    assert_int_equal(script.variable[1].line, 2);
    shell_free(&script);
    errors_free(&errors);
}

static char *read_beside(const void *context, const char *path, size_t *size)
{
    (void)context;
    struct errors errors = {0};
    char *text = file_read(path, size, &errors);
    errors_free(&errors);
    return text;
}

/** Many branches, each of a variable of its own, are read as fast as they are long. */
static void test_long_chains_are_read(void **state)
{
    (void)state;
    struct buffer text = {0};
    struct errors errors = {0};
    struct shell_script script = {0};
    for (int i = 0; i < 1000; i++)
        buffer_printf(&text, "%s [ \"$A%d\" = x ]; then\n  B%d=1\n", i ? "elif" : "if", i, i);
    buffer_puts(&text, "fi\na\n");
    assert_int_equal(shell_read(text.text, text.size, "a.sh", NULL, &script, &errors), 0);
    assert_string_equal(script.command[script.count - 1].word[0].text, "a");
    shell_free(&script);
    errors_free(&errors);
    buffer_free(&text);
}

/** Files beside the script are read where they are sourced; others, and broken ones, are only named. */
static void test_sourced_files_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *script, *commands, *messages;
    } table[] = {
        {". ./good.sh; a $A", "a 4\n", ""},
        {"D=$(cd \"$(dirname \"$0\")\" && pwd)\nsource \"$D/good.sh\"; a $A", "a 4\n", ""},
        {"A=1; source ${BASH_SOURCE[0]%/*}/good.sh; a $A", "a 4\n", ""},
        {"source ./missing.sh; a $A", "a ?\n",
         "a.sh:1: the file ./missing.sh is not read; its settings are unknown\n"},
        {"source /etc/passwd; a", "a\n", "a.sh:1: the file /etc/passwd is not read; its settings are unknown\n"},
        {"A=1; source ./broken.sh; a $A", "a 1\n",
         "a.sh:1: the file ./broken.sh is not read; its settings are unknown\n"},
        {"source ./self.sh; a", "a\n", NULL},
    };
    char folder[] = "/tmp/shardtop-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    static const char *const file[][2] = {
        {"good.sh", "A=4\n"}, {"broken.sh", "'y\n"}, {"self.sh", "source ./self.sh\n"}};
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        char *path = xasprintf("%s/%s", folder, file[i][0]);
        FILE *out = fopen(path, "w");
        assert_true(out && fputs(file[i][1], out) >= 0 && fclose(out) == 0);
        free(path);
    }
    const struct shell_options options = {.folder = folder, .read = read_beside};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct shell_script script = {0};
        struct errors errors = {0};
        assert_int_equal(shell_read(table[i].script, strlen(table[i].script), "a.sh", &options, &script, &errors), 0);
        char *commands = dump_commands(&script), *messages = dump_messages(&errors);
        assert_string_equal(commands, table[i].commands);
        if (table[i].messages)
            assert_message(messages, table[i].messages);
        free(commands);
        free(messages);
        shell_free(&script);
        errors_free(&errors);
    }
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        char *path = xasprintf("%s/%s", folder, file[i][0]);
        remove(path);
        free(path);
    }
    remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_are_split_and_joined_as_bash_does),
        cmocka_unit_test(test_variables_and_arrays_hold_what_was_assigned),
        cmocka_unit_test(test_parameter_operators),
        cmocka_unit_test(test_integer_arithmetic),
        cmocka_unit_test(test_sums_of_other_programs),
        cmocka_unit_test(test_written_files_are_kept),
        cmocka_unit_test(test_unknown_values_say_where_they_come_from),
        cmocka_unit_test(test_conditions_are_decided_when_their_operands_are_known),
        cmocka_unit_test(test_loops_and_functions),
        cmocka_unit_test(test_broken_scripts_are_refused_with_their_line),
        cmocka_unit_test(test_words_keep_the_line_they_were_written_in),
        cmocka_unit_test(test_variables_are_left_as_words),
        cmocka_unit_test(test_sourced_files_are_read),
        cmocka_unit_test(test_long_chains_are_read),
    };
    int n = cmocka_run_group_tests(tests, NULL, NULL);
    return n != 0;
}
