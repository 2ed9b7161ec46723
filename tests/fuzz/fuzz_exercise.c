/* Exercises of any seed, with any answers, and any table of answers: no crash, and the right answer is right. */
#include "src/course/practice.h"
#include "src/text/text.h"
#include "tests/verbs.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 4, NUMBERS = 50 };

static void check_answers(const struct exercise *e, const char *typed)
{
    char right[EXERCISE_CHOICE_MAX];
    double value;
    exercise_answer(e, right);
    if (!exercise_is_right(e, right) || !exercise_is_answer(e, right))
        abort();
    if (exercise_is_right(e, typed) && !exercise_is_answer(e, typed))
        abort();
    exercise_read(e, typed, &value);
}

/* Somebody who types these lines. */
static void practise(struct practice *practice, const char *typed)
{
    char *lines = xstrdup(typed);
    for (char *rest = NULL, *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        check_answers(&practice->exercise, line);
        free(practice_answer(practice, line));
        free(practice_score(practice));
    }
    if (!practice->is_done)
        free(practice_reveal(practice));
    free(lines);
}

static void grade(const char *text, uint8_t seed)
{
    struct buffer out = {0};
    struct errors errors = {0};
    char number[8], grades[256], *argv[] = {"shardtop", "exercise", "--seed", number, "--grade", grades, NULL};
    snprintf(number, sizeof number, "%d", seed);
    snprintf(grades, sizeof grades, "%s", scratch_put("answers.csv", text, strlen(text)));
    if ((verb_run(6, argv, NULL, &out, &errors) == STATUS_INPUT) != errors_any(&errors))
        abort();
    buffer_free(&out);
    errors_free(&errors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct practice practice;
    if (size < HEAD)
        return 0;
    scratch_begin();
    char *typed = xstrndup((const char *)data + HEAD, size - HEAD);
    practice = (struct practice){.seed = data[0],
                                 .kinds = data[1] % (1u << EXERCISE_KINDS),
                                 .level = 1 + data[2] % EXERCISE_LEVELS,
                                 .is_drawn = data[2] & 64};
    if (data[2] & 128)
        grade(typed, data[0]);
    else if (practice_go(&practice, 1 + data[3] % NUMBERS))
        practise(&practice, typed);
    free(typed);
    return 0;
}
