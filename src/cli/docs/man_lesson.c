/* src/cli/docs/man_lesson.c - shardtop-lesson(5): how a lesson is written, from the tables that read one. */
#include "core/show/glossary.h"
#include "src/cli/docs/man.h"
#include "src/cli/docs/mdoc.h"
#include "src/course/lesson.h"
#include "src/course/outcome.h"
#include "src/course/unit.h"
#include "src/text/text.h"

static const char describe[] =
    ".Sh DESCRIPTION\n"
    "A lesson is a YAML file with a plan and steps that change it and explain the effect.\n"
    "Your own lessons are in\n"
    ".Pa $XDG_CONFIG_HOME/shardtop/lessons ;\n"
    ".Ic shardtop lesson FILE\n"
    "runs a lesson file,\n"
    ".Ic shardtop lesson \\-\\-new NAME [PLAN]\n"
    "prints a skeleton,\n"
    ".Ic shardtop lesson \\-\\-record FILE [PLAN]\n"
    "records changes on the screen as steps, and\n"
    ".Ic shardtop lesson \\-\\-check FILE\n"
    "reports errors: an invalid plan, a template without a value, a false claim, a number typed in place of a\n"
    "template, a question without exactly one right answer, a task that its solution does not complete.\n"
    ".Pp\n"
    "A step starts from the plan of the previous step, or of\n"
    ".Cm from ,\n"
    "with\n"
    ".Cm set\n"
    "applied; after a task, from the plan of its solution.\n"
    "A file may have up to 64 KiB and 40 steps.\n";

static const char templates[] =
    ".Sh TEMPLATES\n"
    "Write numbers in a note as templates; the program fills them in.\n"
    "Other numbers are allowed only in backquotes, up to 16, or if they occur in the plan so far, the title or\n"
    ".Cm given .\n"
    ".Bl -tag -width Ds\n"
    ".It Cm {EXPR} , {EXPR|UNIT} , {=EXPR|UNIT}\n"
    "An expression, with a unit and a number of decimals: {it|s}, {=A/2|GiB.1}, {=1\\-it/@before:it|%}.\n"
    ".It Cm {!TEXT}\n"
    "Literal text, for figures from a source.\n"
    ".El\n"
    ".Pp\n"
    "Expressions consist of numbers, values, + \\- * / ( ), min, max, abs and round.\n"
    "Conditions also have == != < <= > >= and, or, not; an unknown value or a division by zero makes them false.\n"
    "Values are:\n"
    ".Bl -tag -width Ds\n"
    ".It a path of Ic shardtop show \\-\\-json\n"
    "such as memory.stages.0.activations_bytes.\n"
    ".It a list's entries\n"
    "selected by their members, as in communication[dim=dp op=all_reduce].time_s.\n"
    "Several numbers are summed, the first of several words is used, and no match is 0; .length counts entries.\n"
    ".It Cm plan.KEY\n"
    "The value of a plan key.\n"
    ".It Cm @STEP:PATH\n"
    "The value at another step; @STEP_done: after its task.\n"
    ".It Cm ~ESTIMATOR:PATH\n"
    "A value of a published estimator, by its own name.\n"
    ".El\n";

static void write_member(struct buffer *out, const struct lesson_member *member)
{
    buffer_printf(out, ".It Cm %s", member->name);
    buffer_puts(out, "\n");
    mdoc_sentence(out, member->help);
    buffer_printf(out, "Type: %s%s", lesson_kind_names[member->kind], member->is_needed ? "" : "; optional");
    if (member->size_max)
        buffer_printf(out, "; at most %zu characters", member->size_max);
    buffer_puts(out, ".\n");
}

static void write_shapes(struct buffer *out)
{
    buffer_puts(out, ".Sh MEMBERS\n");
    for (int i = 0; i < LESSON_SHAPES; i++) {
        const struct lesson_shape *shape = &lesson_shapes[i];
        buffer_printf(out, ".Ss %s\n.Bl -tag -width Ds\n", shape->about);
        for (size_t k = 0; k < shape->count; k++)
            write_member(out, &shape->member[k]);
        buffer_puts(out, ".El\n");
    }
}

static void write_name(void *out, const char *name, const char *path)
{
    buffer_printf(out, ".It Cm %s\n", name);
    mdoc_text(out, path);
    buffer_puts(out, "\n");
}

static void write_names(struct buffer *out)
{
    buffer_puts(out,
                ".Ss Short names\n{peak} is the index of the fullest stage.\n.Bl -tag -width bubble_share -compact\n");
    outcome_names(write_name, out);
    buffer_puts(out, ".El\n.Ss Units\nAppend the number of decimals, as in GiB.1, or give it alone, as in .0.\n");
    buffer_puts(out, "Without a unit, whole numbers are printed in full and others with three digits.\n.Pp\n");
    unit_names(out);
    buffer_puts(out, "\n");
}

static void write_words(struct buffer *out)
{
    buffer_puts(out, ".Sh GLOSSARY\n.Bl -tag -width Ds\n");
    for (int i = 0; i < glossary_count; i++) {
        buffer_puts(out, ".It ");
        mdoc_text(out, glossary[i].term);
        buffer_puts(out, "\n");
        mdoc_prose(out, glossary[i].sentence);
    }
    buffer_puts(out, ".El\n");
}

static const char example[] =
    "schema: 1\n"
    "name: two\n"
    "title: What a second GPU is for\n"
    "goal: Say what tensor parallelism halves.\n"
    "take: Weights halve, activations do not.\n"
    "minutes: 5\n"
    "plan: {model: llama3.2-1b, hardware.gpu: a100-sxm-80, hardware.nodes: 1, hardware.gpus_per_node: 2,\n"
    "  train.seq_length: 2048, train.micro_batch_size: 1, train.global_batch_size: 2}\n"
    "steps:\n"
    "- id: one\n"
    "  view: memory\n"
    "  note: One model on each GPU, weights {W|GiB}.\n"
    "- id: tp\n"
    "  set: {parallel.tp: 2}\n"
    "  look: [memory.stages.0.weights_bytes]\n"
    "  note: Cut in two, {W|GiB} instead of {@one:W|GiB}.\n"
    "  check: [abs(2*W/@one:W-1) < 0.01]\n"
    "  ask: {q: \"And the activations, in GiB?\", answer: A, unit: GiB.2, within: 5%}\n"
    "sources: [\"Shoeybi et al. 2019, Megatron-LM (arXiv 1909.08053)\"]\n";

static void write_page(struct buffer *out)
{
    buffer_puts(out, describe);
    write_shapes(out);
    buffer_puts(out, templates);
    write_names(out);
    buffer_puts(out, ".Sh EXAMPLES\n");
    mdoc_literal(out, example);
    write_words(out);
}

const struct man_page man_lesson = {
    .name = "shardtop-lesson", .section = 5, .about = "lessons of shardtop",
    .others = {"shardtop 1", "shardtop-plan 5", NULL}, .write = write_page,
};
