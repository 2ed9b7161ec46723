/* Completion: what is offered at the end of a command line. */
#include "tests/check.h"

#include "src/cli/cli.h"
#include "src/cli/docs/complete.h"
#include "src/text/text.h"

/* What is offered behind `shardtop LINE`, whose last word ends at its end; "_" stands for one that is not begun. */
static char *offered(const char *line)
{
    char text[300], *words[16], *rest = NULL;
    int count = 0;
    struct buffer out = {0};
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        words[count++] = strcmp(word, "_") == 0 ? word + 1 : word;
    buffer_puts(&out, "\n");
    complete_words(&out, count, words);
    return out.text;
}

static void test_words_are_offered(void **state)
{
    (void)state;
    static const struct {
        const char *line, *with, *without; /* a word that is offered, and one that is not */
    } cases[] = {
        {"_", "show", "--set"},
        {"_", ":files", NULL},
        {"_", "llama3-70b-64h100", NULL},
        {"sw", "sweep", "show"},
        {"--mo", "--model", "--metric"},
        {"show --", "--section", "--objective"},
        {"search --objective t", "time", "memory"},
        {"search --objective=t", "--objective=time", "time"},
        {"show --set seq", "seq_length=", "train.seq_length="},
        {"show --set train.rec", "train.recompute=", "recompute="},
        {"show --set recompute=", "recompute=full", "full"},
        {"show --set=recompute=s", "--set=recompute=selective", NULL},
        {"show --set sp=", "sp=true", NULL},
        {"show --set model=llama3-", "model=llama3-8b", "model=gpt2-xl"},
        {"show --set hardware.gpu=a100-p", "hardware.gpu=a100-pcie-80", NULL},
        {"show --set parallel.nothing=", NULL, ":files"},
        {"show --framework megatron-core,f", "megatron-core,fsdp2", "fsdp2"},
        {"show --section mem", "memory", NULL},
        {"show --gpu a", "auto", NULL},
        {"show -o _", ":files", "default"},
        {"validate runs.csv --by s", "source", "source="},
        {"search --free tp,p", "tp,pp", "tp,pp="},
        {"explain t", "time.", "time.mfu"},
        {"explain time.m", "time.mfu", ":time"},
        {"explain llama3-8b-serving serving.tokens", "serving.tokens_per_s", NULL},
        {"sweep default t", "tp=", NULL},
        {"sweep default recompute=none,s", "recompute=none,selective", NULL},
        {"list k", "keys", "show"},
        {"schema s", "show", "schema"},
        {"help sc", "schema", NULL},
        {"man p", "plan", NULL},
        {"completion f", "fish", NULL},
        {"lesson 01", "01-what-fills-a-gpu", NULL},
        {"export default --to m", "megatron", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *out = offered(cases[i].line);
        for (int k = 0; k < 2; k++) {
            const char *word = k ? cases[i].without : cases[i].with;
            if (!word)
                continue;
            char *line = xasprintf("\n%s\n", word), *meant = xasprintf("\n%s\t", word);
            assert_that((strstr(out, line) || strstr(out, meant)) == !k, "%s: %s in %s", cases[i].line, word, out);
            free(line);
            free(meant);
        }
        free(out);
    }
}

static void test_every_option_and_command_is_offered(void **state)
{
    (void)state;
    char *verbs = offered("_");
    for (int verb = VERB_SCREEN + 1; verb < VERB_COUNT; verb++) {
        char *line = xasprintf("%s --", cli_verbs[verb].name), *options = offered(line),
             *name = xasprintf("\n%s\t", cli_verbs[verb].name);
        assert_that(strstr(verbs, name), "%s", name);
        for (size_t i = 0; i < cli_option_count; i++) {
            char *option = xasprintf("\n--%s\t", cli_options[i].name);
            assert_that(!strstr(options, option) == !(cli_options[i].verbs & 1u << verb), "%s%s", line, option);
            free(option);
        }
        free(line);
        free(options);
        free(name);
    }
    free(verbs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_are_offered),
        cmocka_unit_test(test_every_option_and_command_is_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
