/* `shardtop exercise` and `shardtop glossary`: questions made by the program, and the words of the field. */
#include "src/cli/verbs/verbs.h"

#include "core/base.h"
#include "core/plan/nearest.h"
#include "core/show/glossary.h"
#include "src/course/exercise.h"
#include "src/course/paragraph.h"
#include "src/course/practice.h"
#include "src/course/progress.h"
#include "src/report/table.h"
#include "src/text/csv_in.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "src/text/version.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char program[] = "shardtop";
enum {
    COLUMNS = 79,
    COUNT = 9,
    STUDENTS_MAX = 1000,
    COUNT_MAX = 1000,
    STUDENT_SEEDS = 1000 /* apart from one seed to the next */
};

/* What is asked for. */
struct request {
    uint64_t seed;
    int count;
    unsigned kinds; /* bit set; 0: all */
    int level;
};

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* A whole number of an option; `otherwise` where it is not given. */
static bool read_count(const char *text, const char *option, uint64_t most, uint64_t otherwise, uint64_t *out,
                       struct errors *errors)
{
    char *end;
    errno = 0;
    *out = text ? strtoull(text, &end, 10) : otherwise;
    if (!text || (*text >= '0' && *text <= '9' && !*end && errno == 0 && *out <= most))
        return true;
    errors_add(errors, program, 0, option, "'%.40s' is not a whole number up to %llu", text, (unsigned long long)most);
    return false;
}

static bool read_kinds(const char *text, unsigned *out, struct errors *errors)
{
    char wrong[40];
    if (practice_kinds(text ? text : "", out, wrong, sizeof wrong))
        return true;
    errors_add(errors, program, 0, "--kind",
               "unknown kind '%s'; use fits, memory, fastest, largest, bubble, crosses, kv, static or frees", wrong);
    return false;
}

static bool read_level(const char *text, int *out, struct errors *errors)
{
    uint64_t level;
    bool is_good = read_count(text, "--level", EXERCISE_LEVELS, EXERCISE_LEVEL, &level, errors);
    if (is_good && level == 0)
        errors_add(errors, program, 0, "--level", "unknown level '0'; use 1, 2 or 3");
    *out = (int)level;
    return is_good && level > 0;
}

/* False, with an error, for kinds that a level has no plans for: no groups span nodes where there is one. */
static bool has_questions(const struct request *request, struct errors *errors)
{
    struct exercise first;
    if (exercise_make(request->seed, 1, request->kinds, request->level, &first) == 0)
        return true;
    errors_add(errors, program, 0, "--kind", "no such question at level %d; leave out the kind, or use another level",
               request->level);
    return false;
}

static bool read_request(const struct cli *cli, struct request *out, struct errors *errors)
{
    uint64_t count;
    bool is_good = read_count(cli->seed, "--seed", UINT64_MAX, (uint64_t)time(NULL), &out->seed, errors);
    is_good &= read_count(cli->count, "--count", COUNT_MAX, COUNT, &count, errors);
    out->count = (int)count;
    is_good &= read_level(cli->level, &out->level, errors);
    is_good &= read_kinds(cli->kind, &out->kinds, errors);
    return is_good && has_questions(out, errors);
}

/* ---- on lines ---------------------------------------------------------------------------------------------------- */

static void put_question(const struct exercise *e, FILE *out)
{
    struct buffer text = {0};
    char *line = xasprintf("%d. [%s] %s", e->number, exercise_kind_names[e->kind], e->text);
    paragraph_add(&text, line, COLUMNS);
    for (int i = 0; i < e->choices; i++)
        buffer_printf(&text, "   (%c) %s\n", 'a' + i, e->choice[i]);
    fputs(text.text, out);
    buffer_free(&text);
    free(line);
}

static void put_answer(const struct exercise *e, FILE *out)
{
    char answer[EXERCISE_CHOICE_MAX];
    exercise_answer(e, answer);
    fprintf(out, "   answer: %s; %s\n", answer, e->because);
}

static void put_said(char *said)
{
    for (char *rest = NULL, *line = strtok_r(said, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        printf("   %s\n", line);
    free(said);
}

/* Takes answers until the question is done; an empty line, or the end of input, goes on. */
static void ask(struct practice *practice, bool is_terminal, bool *has_input)
{
    char line[128];
    while (*has_input && !practice->is_done) {
        if (is_terminal)
            fputs("> ", stdout);
        fflush(stdout);
        *has_input = fgets(line, sizeof line, stdin) != NULL;
        if (!*has_input || *line == '\n')
            return;
        put_said(practice_answer(practice, line));
    }
}

static void put_score(const struct practice *practice)
{
    if (practice->asked > 0)
        printf("right at the first try: %d of %d\n", practice->right, practice->asked);
    if (practice->asked > 0 && progress_is_on())
        put_said(practice_score(practice));
}

static int play(const struct cli *cli, const struct request *request)
{
    bool is_terminal = isatty(STDIN_FILENO), has_input = true;
    struct practice practice = {
        .seed = request->seed, .kinds = request->kinds, .level = request->level, .is_drawn = is_terminal && !cli->seed};
    printf("shardtop %s, seed %llu, level %d\n", version_number, (unsigned long long)request->seed, request->level);
    if (is_terminal && !cli->no_progress)
        progress_on();
    for (int i = 1; i <= request->count && (has_input || !is_terminal); i++) {
        if (!practice_go(&practice, i))
            continue;
        put_question(&practice.exercise, stdout);
        ask(&practice, is_terminal, &has_input);
        if (has_input && !practice.is_done)
            put_said(practice_reveal(&practice));
        else if (!has_input && cli->key)
            put_answer(&practice.exercise, stdout);
    }
    put_score(&practice);
    return STATUS_DONE;
}

/* ---- for a class ------------------------------------------------------------------------------------------------- */

static const struct table_column sheet_columns[] = {
    {"student", COLUMN_NUMBER}, {"question", COLUMN_NUMBER}, {"seed", COLUMN_NUMBER}, {"kind", COLUMN_TEXT},
    {"text", COLUMN_TEXT},
    {"choice_a", COLUMN_TEXT},  {"choice_b", COLUMN_TEXT},   {"choice_c", COLUMN_TEXT}, {"choice_d", COLUMN_TEXT},
    {"unit", COLUMN_TEXT},
    {"answer", COLUMN_TEXT},    {"within", COLUMN_NUMBER},   {"because", COLUMN_TEXT}, /* of --key alone */
};
enum { KEY_COLUMNS = 3 };

static void add_row(struct table *table, int student, const struct exercise *e, bool has_key)
{
    char answer[EXERCISE_CHOICE_MAX];
    table_number(table, student);
    table_number(table, e->number);
    table_number(table, (double)e->seed);
    table_text(table, exercise_kind_names[e->kind]);
    table_text(table, e->text);
    for (int i = 0; i < EXERCISE_CHOICES; i++)
        table_text(table, i < e->choices ? e->choice[i] : "");
    table_text(table, e->unit);
    if (!has_key)
        return;
    exercise_answer(e, answer);
    table_text(table, answer);
    table_number(table, e->within);
    table_text(table, e->because);
}

/* Student n has seed S x 1000 + n. */
static uint64_t seed_of(const struct request *request, int student)
{
    return request->seed * STUDENT_SEEDS + (uint64_t)student;
}

static int write_sheet(const struct cli *cli, const struct request *request, struct buffer *out, struct errors *errors)
{
    struct exercise e;
    uint64_t students;
    struct table table = {
        .name = "sheet", .column = sheet_columns, .columns = LENGTH(sheet_columns) - (cli->key ? 0 : KEY_COLUMNS)};
    if (!read_count(cli->sheet, "--sheet", STUDENTS_MAX, 0, &students, errors))
        return STATUS_INPUT;
    for (int student = 1; student <= (int)students; student++)
        for (int i = 1; i <= request->count; i++)
            if (exercise_make(seed_of(request, student), i, request->kinds, request->level, &e) == 0)
                add_row(&table, student, &e, cli->key);
    table_csv(out, &table);
    table_free(&table);
    return STATUS_DONE;
}

/* What a sheet's answers come to. */
struct grades {
    struct { char name[64]; int right, of; } student[STUDENTS_MAX];
    int students;
    struct { int right, of; } question[COUNT_MAX + 1];
};

static int student_at(struct grades *grades, const char *name)
{
    for (int i = 0; i < grades->students; i++)
        if (strcmp(grades->student[i].name, name) == 0)
            return i;
    if (grades->students == STUDENTS_MAX)
        return -1;
    text_clean(name, grades->student[grades->students].name, sizeof grades->student[0].name);
    return grades->students++;
}

/* One row `student,question,answer`. */
static void grade_row(const struct csv *csv, const int column[3], const struct request *request, struct grades *grades,
                      struct errors *errors)
{
    struct exercise e;
    uint64_t student, question;
    struct errors ignored = {0};
    bool is_good = read_count(csv->cell[column[0]], "student", STUDENTS_MAX, 0, &student, &ignored) &&
                   read_count(csv->cell[column[1]], "question", COUNT_MAX, 0, &question, &ignored) && student > 0 &&
                   question > 0;
    errors_free(&ignored);
    int at = is_good ? student_at(grades, csv->cell[column[0]]) : -1;
    if (at < 0 ||
        exercise_make(seed_of(request, (int)student), (int)question, request->kinds, request->level, &e) != 0) {
        errors_add(errors, csv->path, csv->line, "student",
                   "student and question are not numbers of the sheet; expected numbers such as 3 and 7");
        return;
    }
    bool is_right = exercise_is_right(&e, csv->cell[column[2]]);
    grades->student[at].of++;
    grades->student[at].right += is_right;
    grades->question[question].of++;
    grades->question[question].right += is_right;
}

static void put_grades(const struct grades *grades, struct buffer *out)
{
    buffer_puts(out, "student,right,of\r\n");
    for (int i = 0; i < grades->students; i++)
        buffer_printf(out, "%s,%d,%d\r\n", grades->student[i].name, grades->student[i].right, grades->student[i].of);
    buffer_puts(out, "\r\nquestion,right,of\r\n");
    for (int i = 1; i <= COUNT_MAX; i++)
        if (grades->question[i].of > 0)
            buffer_printf(out, "%d,%d,%d\r\n", i, grades->question[i].right, grades->question[i].of);
}

static int grade(const struct cli *cli, const struct request *request, struct buffer *out, struct errors *errors)
{
    static const char *const names[] = {"student", "question", "answer"};
    int column[LENGTH(names)];
    size_t size;
    char *text = file_read(cli->grade, &size, errors);
    if (!text)
        return STATUS_INPUT;
    struct csv csv;
    struct grades *grades = xmalloc(sizeof *grades);
    memset(grades, 0, sizeof *grades);
    bool is_open = csv_open(&csv, text, size, NULL, cli->grade, errors) == 0;
    for (size_t i = 0; i < LENGTH(names) && is_open; i++) {
        column[i] = csv_column(&csv, names[i]);
        if (column[i] < 0)
            errors_add(errors, cli->grade, 1, names[i], "unknown column; expected student,question,answer");
    }
    while (is_open && !errors_any(errors) && csv_next(&csv))
        grade_row(&csv, column, request, grades, errors);
    csv_close(&csv);
    if (!errors_any(errors))
        put_grades(grades, out);
    free(grades);
    free(text);
    return errors_any(errors) ? STATUS_INPUT : STATUS_DONE;
}

int verb_exercise(const struct cli *cli, const struct plan *none, struct buffer *out, struct errors *errors)
{
    struct request request;
    (void)none;
    if (cli->word_count > 0)
        errors_add(errors, program, 0, "exercise", "takes no words; see shardtop help exercise");
    if ((cli->sheet || cli->grade) && !cli->seed)
        errors_add(errors, program, 0, "--seed", "missing; a class needs a fixed seed, such as --seed 17");
    if (!read_request(cli, &request, errors) || errors_any(errors))
        return STATUS_INPUT;
    if (cli->grade)
        return grade(cli, &request, out, errors);
    return cli->sheet ? write_sheet(cli, &request, out, errors) : play(cli, &request);
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* A list with commas: "train.dtype, train.grad_dtype". */
static void put_list(struct buffer *out, const char *what, const char *list)
{
    struct buffer line = {0};
    if (!*list)
        return;
    buffer_printf(&line, "%s: ", what);
    for (const char *at = list; *at; at++)
        buffer_add(&line, *at == '|' ? ", " : at, *at == '|' ? 2 : 1);
    paragraph_add(out, line.text, COLUMNS);
    buffer_free(&line);
}

static void put_word(struct buffer *out, const struct glossary_row *row)
{
    buffer_printf(out, "%s\n", row->term);
    put_list(out, "also", row->also);
    paragraph_add(out, row->sentence, COLUMNS);
    if (*row->formula)
        buffer_printf(out, "formula: %s\n", row->formula);
    put_list(out, "keys", row->keys);
    put_list(out, "values", row->paths);
    buffer_printf(out, "lesson: %s\n", row->lesson);
}

static void refuse_word(const char *word, struct errors *errors)
{
    struct nearest nearest = {.typed = word};
    char names[NEAREST_TEXT_MAX];
    for (int i = 0; i < glossary_count; i++)
        nearest_offer(&nearest, glossary[i].term, glossary[i].term);
    if (nearest_list(&nearest, names))
        errors_add(errors, program, 0, "glossary", "unknown term '%.40s'; did you mean %s?", word, names);
    else
        errors_add(errors, program, 0, "glossary", "unknown term '%.40s'; `shardtop glossary` lists all", word);
}

int verb_glossary(const struct cli *cli, const struct plan *none, struct buffer *out, struct errors *errors)
{
    struct buffer word = {0};
    (void)none;
    for (int i = 0; i < cli->word_count; i++)
        buffer_printf(&word, "%s%s", i ? " " : "", cli->words[i]);
    const struct glossary_row *row = word.size ? glossary_find(word.text) : NULL;
    if (row)
        put_word(out, row);
    else if (word.size)
        refuse_word(word.text, errors);
    for (int i = 0; i < glossary_count && !word.size; i++)
        buffer_printf(out, "%-28s %s\n", glossary[i].term, glossary[i].sentence);
    buffer_free(&word);
    return errors_any(errors) ? STATUS_INPUT : STATUS_DONE;
}
