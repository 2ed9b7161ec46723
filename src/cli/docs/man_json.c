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
    "commands of\n"
    ".Xr shardtop 1\n"
    "print JSON.\n"
    "Bytes are whole numbers, times are seconds.\n"
    "Unknown values are null, never 0.\n"
    "New members may be added; none is renamed or removed while\n"
    ".Cm schema\n"
    "is 1.\n"
    ".Ic shardtop schema\n"
    "prints this page as a JSON Schema.\n"
    ".Sh REQUESTS\n"
    ".Ic shardtop batch\n"
    "reads one request per line and prints one answer per line, in order; libshardtop answers the same requests.\n"
    "A request has these members:\n"
    ".Bl -tag -width estimator\n"
    ".It Cm id\n"
    "Any value; copied to the answer.\n"
    ".It Cm plan\n"
    "Keys of\n"
    ".Xr shardtop-plan 5\n"
    "and their values, in groups or dotted form.\n"
    ".It Cm want\n"
    "Paths such as memory.fits; only these values are returned.\n"
    "Without an array's index, a path selects every entry.\n"
    ".It Cm estimator\n"
    "A published estimator to use.\n"
    ".It Cm fn , inputs\n"
    "Its function and inputs, instead of a plan.\n"
    ".El\n"
    ".Sh TYPES\n"
    "text, number, count (a whole number), bytes (a whole number), bool, any; 1: this number; T? is T or null; T|U is "
    "either; [T]\n"
    "is an array, [T,U] an array of two; {T} is an object with arbitrary names.\n"
    "Other names refer to word lists or objects below.\n"
    "A member with\n"
    ".Dq Optional\n"
    "is present only where it applies.\n";

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

/* The output, and whether a list of members is open. */
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
        buffer_puts(writing->out, "Optional.\n");
}

static void write_page(struct buffer *out)
{
    struct writing writing = {.out = out};
    buffer_puts(out, describe);
    buffer_puts(out, ".Sh ANSWERS\nThe answer of each command, then the types they use.\n");
    schema_each(write_row, &writing);
    close_list(&writing);
    buffer_puts(out, examples);
}

const struct man_page man_json = {
    .name = "shardtop-json", .section = 5, .about = "JSON requests and answers of shardtop",
    .others = {"shardtop 1", "shardtop-plan 5", NULL}, .write = write_page,
};
