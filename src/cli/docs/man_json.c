/*
 * src/cli/docs/man_json.c - shardtop-json(5): requests and answers of programs, from the rows of
 * src/cli/docs/schema.def.
 */
#include "src/cli/docs/man.h"
#include "src/cli/docs/mdoc.h"
#include "src/cli/docs/schema.h"
#include "src/text/text.h"

static const char describe[] =
    ".Sh DESCRIPTION\n"
    "With\n"
    ".Fl \\-json\n"
    "a command of\n"
    ".Xr shardtop 1\n"
    "answers for programs.\n"
    "Bytes are whole numbers, times are seconds.\n"
    "What is not known is null, never 0.\n"
    "Members are added to answers, none is renamed or taken away:\n"
    ".Cm schema\n"
    "is 1 as long as that holds.\n"
    ".Ic shardtop schema\n"
    "prints the same as a JSON Schema, for validators and generators of types.\n"
    ".Sh REQUESTS\n"
    ".Ic shardtop batch\n"
    "reads a request a line and answers each with a line, in order; libshardtop answers the same requests as calls.\n"
    "A request has these members, and no other:\n"
    ".Bl -tag -width estimator\n"
    ".It Cm id\n"
    "Anything; the answer carries it.\n"
    ".It Cm plan\n"
    "Keys of\n"
    ".Xr shardtop-plan 5\n"
    "with their values, in groups or dotted.\n"
    ".It Cm want\n"
    "Paths such as memory.fits: only these values are answered.\n"
    "An array's position may be left out, which is every entry.\n"
    ".It Cm estimator\n"
    "A published estimator that answers instead.\n"
    ".It Cm fn , inputs\n"
    "Its function and inputs, in place of a plan.\n"
    ".El\n"
    ".Sh TYPES\n"
    "text, number, count (a whole number), bytes (a whole number), bool, any; 1: this number; T? is T or null; T|U is "
    "either; [T]\n"
    "is an array, [T,U] an array of two; {T} is an object whose names are not known before.\n"
    "Other names are those of words or objects below.\n"
    "A member with\n"
    ".Dq may be missing\n"
    "is there where it has a meaning.\n";

static const char examples[] =
    ".Sh EXAMPLES\n"
    "The memory of each stage, in GiB:\n"
    ".Pp\n"
    ".Dl shardtop show plan.yaml \\-\\-json | jq \\(aq.memory.stages[].device_bytes / 1073741824\\(aq\n"
    ".Pp\n"
    "Three values of a plan:\n"
    ".Bd -literal\n"
    "echo \\(aq{\"plan\": {\"model\": \"llama3\\-8b\"}, \"want\": [\"valid\", \"memory.fits\", \"time.mfu\"]}\\(aq |\n"
    "    shardtop batch\n"
    ".Ed\n";

/* Whether a list of members is open. */
struct writing {
    struct buffer *out;
    bool is_open;
};

static void close_list(struct writing *writing)
{
    buffer_puts(writing->out, writing->is_open ? ".El\n" : "");
    writing->is_open = false;
}

static void write_type(struct buffer *out, const char *type)
{
    buffer_puts(out, "Type: ");
    mdoc_text(out, *type == '@' ? "an object" : type);
    buffer_puts(out, ".\n");
}

static void write_row(void *context, const struct schema_member *row)
{
    struct writing *writing = context;
    if (row->shape) {
        close_list(writing);
        buffer_printf(writing->out, ".Ss %s\n", row->shape);
        if (*row->about)
            mdoc_sentence(writing->out, row->about);
        if (row->type)
            write_type(writing->out, row->type);
        return;
    }
    if (!writing->is_open)
        buffer_puts(writing->out, ".Bl -tag -width Ds\n");
    writing->is_open = true;
    buffer_printf(writing->out, ".It Cm %s No : ", row->name);
    mdoc_text(writing->out, *row->type == '@' ? "object" : row->type);
    buffer_puts(writing->out, "\\&\n");
    if (*row->about)
        mdoc_sentence(writing->out, row->about);
    if (!row->is_always)
        buffer_puts(writing->out, "It may be missing.\n");
}

static void write_page(struct buffer *out)
{
    struct writing writing = {.out = out};
    buffer_puts(out, describe);
    buffer_puts(out, ".Sh ANSWERS\nFirst what each command answers, then what these are.\n");
    schema_each(write_row, &writing);
    close_list(&writing);
    buffer_puts(out, examples);
}

const struct man_page man_json = {
    .name = "shardtop-json", .section = 5, .about = "requests and answers of shardtop, for programs",
    .others = {"shardtop 1", "shardtop-plan 5", NULL}, .write = write_page,
};
