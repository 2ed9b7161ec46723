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
    buffer_puts(out, ".Sh KEYS\nUnset keys take the framework's defaults.\n");
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
                     ".Ic shardtop show\nanswers as a published estimator would.\n"
                     "For\n.Cm llm\\-analysis\na summary is printed;\n.Fl o Ar FILE\nwrites its answer as JSON.\n"
                     "Each line lists an input of the estimator, its plan key and the conversion.\n");
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
    "A plan describes the model, its layout over GPUs, the training or serving settings and the hardware.\n"
    "It is a YAML mapping of groups, or the same as JSON.\n"
    "Keys may be written in dotted form and shortened to their last part if that is unique.\n"
    ".Cm model : Ar NAME\nand\n.Cm cluster : Ar NAME\n"
    "set a whole group; other keys override it.\n"
    "Unset keys take the framework's defaults.\n"
    "An unknown key is an error that suggests the closest matches.\n"
    ".Pp\n"
    "A plan made from another program's file also lists the values that the file does not give:\n"
    ".Cm assumed\nlists keys whose value was assumed or is missing, with the setting that decides it\n"
    ".Pq Ql parallel.tp: TP ,\n"
    ".Cm uncertain\nkeys that were read but may not apply, and\n"
    ".Cm defaults\nkeys set by the framework itself.\n"
    "Setting a key removes its line; you may also delete the line by hand.\n"
    ".Pp\n"
    "On the command line, set keys with\n"
    ".Fl \\-set ,\n"
    "where aliases work too\n"
    ".Pq Ic shardtop list keys .\n"
    ".Sh EXAMPLES\n"
    "A plan of 64 GPUs:\n";

static const char example[] =
    "# Llama 3 70B on 64 GPUs\n"
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
    "Numbers have the same forms everywhere: 4096, 4_096, 4*1024, 0.5, 1.5e12, 80GiB, 80GB, 8Ki, 400Gb/s.\n"
    "The suffixes k, M, B and T are powers of 1024 for lengths and widths, powers of 1000 for amounts, and an error\n"
    "elsewhere.\n"
    "GB is 10^9 bytes, GiB 2^30 bytes, gb_s 10^9 bytes a second.\n"
    "A number may use other keys, as in parallel.dp=64/pp.\n";

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
