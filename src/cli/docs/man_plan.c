/* src/cli/docs/man_plan.c - shardtop-plan(5): the files and keys of plans. */
#include "core/plan/number.h"
#include "core/plan/param.h"
#include "src/cli/verbs/list.h"
#include "src/cli/docs/man.h"
#include "src/cli/docs/mdoc.h"
#include "src/plan/reference_plan.h"
#include "src/text/text.h"

#include <stdio.h>

static void write_key(struct buffer *out, enum param id)
{
    const struct param_row *row = &param_rows[id];
    char text[512], low[40], high[40];
    buffer_puts(out, ".It Cm ");
    mdoc_text(out, row->dotted);
    buffer_puts(out, "\n");
    mdoc_sentence(out, row->help);
    mdoc_prose(out, row->more);
    if (param_type(id)->is_number) {
        number_print(row->min, low, sizeof low);
        number_print(row->max, high, sizeof high);
        buffer_printf(out, "From %s to %s%s%s.\n", low, high, *row->unit ? " " : "", row->unit);
    }
    for (int c = 0; row->choices && row->choices[c]; c++) {
        buffer_puts(out, c == 0 ? "One of " : row->choices[c + 1] ? ", " : " or ");
        mdoc_text(out, row->choices[c]);
        buffer_puts(out, row->choices[c + 1] ? "" : ".\n");
    }
    list_key_default(id, text, sizeof text);
    buffer_puts(out, "Default: ");
    mdoc_text(out, text);
    buffer_puts(out, ".\n");
}

static void write_keys(struct buffer *out)
{
    buffer_puts(out, ".Sh KEYS\n"
                     "A blank follows the framework.\n");
    for (int group = 0; group < GROUP_COUNT; group++) {
        buffer_printf(out, ".Ss %s\n.Bl -tag -width Ds\n",
                      group == GROUP_plan ? "the plan itself" : param_group_names[group]);
        for (int i = 0; i < PARAM_COUNT; i++)
            if ((int)param_rows[i].group_id == group)
                write_key(out, (enum param)i);
        buffer_puts(out, ".El\n");
    }
}

static void write_estimators(struct buffer *out)
{
    buffer_puts(out, ".Sh INPUTS OF PUBLISHED ESTIMATORS\n"
                     "With\n.Fl \\-estimator Ar NAME ,\n"
                     ".Ic shardtop show\nanswers as a published estimator does.\n"
                     "With\n.Cm llm\\-analysis\nthe summary is printed, and\n.Fl o Ar FILE\nhas its answer as JSON.\n"
                     "Each line below is an input of the estimator, the plan key that it is taken from, and how.\n");
    for (int id = 0; id < REFERENCE_COUNT; id++) {
        struct buffer text = {0};
        buffer_puts(out, ".Ss ");
        mdoc_text(out, reference_rows[id].name);
        buffer_puts(out, "\n");
        mdoc_sentence(out, reference_rows[id].help);
        reference_plan_help(&text, (enum reference_id)id);
        mdoc_literal(out, text.text);
        buffer_free(&text);
    }
}

static const char describe[] =
    ".Sh DESCRIPTION\n"
    "A plan says what is trained or served, how it is laid out over GPUs, and on which: a YAML mapping of groups, or "
    "the same\n"
    "as JSON.\n"
    "Keys may be written in dotted form, and shortened to their last part where that is unique.\n"
    ".Cm model : Ar NAME\nand\n.Cm cluster : Ar NAME\n"
    "stand for a whole group; keys beside them override.\n"
    "What is left out follows the framework that is named, as that ships.\n"
    "An unknown key is an error that names the nearest known ones.\n"
    ".Pp\n"
    "A plan that was made from another program's file says beside its keys which values nobody gave, and asks for them "
    "when it is\n"
    "read:\n"
    ".Cm assumed\nlists keys whose value was assumed, or that have none, each with what decides it\n"
    ".Pq Ql parallel.tp: TP ,\n"
    ".Cm uncertain\nthose that were read and may not hold,\n"
    ".Cm defaults\nthose that the program's framework sets by itself.\n"
    "A key leaves them when its value is given; its line may also be taken out by hand.\n"
    ".Pp\n"
    "On the command line the same keys stand behind\n"
    ".Fl \\-set ,\n"
    "where they may go by other names too\n"
    ".Pq Ic shardtop list keys .\n"
    ".Sh EXAMPLES\n"
    "A plan of 64 GPUs:\n";

static const char example[] =
    "# what the layout is for\n"
    "model: llama3-70b\n"
    "cluster: dgx-h100\n"
    "framework.name: megatron-core\n"
    "hardware:\n"
    "  nodes: 8\n"
    "parallel:\n"
    "  tp: 8\n"
    "  sp: true\n"
    "  pp: 4\n"
    "  zero_stage: 1\n"
    "train:\n"
    "  seq_length: 8k\n"
    "  micro_batch_size: 1\n"
    "  global_batch_size: 128\n"
    "  total_tokens: 15T\n";

static const char numbers[] =
    ".Sh NUMBERS\n"
    "Numbers are read the same way everywhere: 4096, 4_096, 4*1024, 0.5, 1.5e12, 80GiB, 80GB, 8Ki, 400Gb/s.\n"
    "A suffix k, M, B or T means powers of 1024 for lengths and widths and powers of 1000 for amounts, and is refused\n"
    "elsewhere.\n"
    "GB is 10^9 bytes, GiB 2^30 bytes, gb_s 10^9 bytes a second.\n"
    "A number may be computed from other keys, as in parallel.dp=64/pp.\n";

static void write_page(struct buffer *out)
{
    buffer_puts(out, describe);
    mdoc_literal(out, example);
    buffer_puts(out, numbers);
    write_keys(out);
    write_estimators(out);
}

const struct man_page man_plan = {
    .name = "shardtop-plan", .section = 5, .about = "plans of training and serving large language models",
    .others = {"shardtop 1", "shardtop-json 5", NULL}, .write = write_page,
};
