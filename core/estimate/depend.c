#include "core/estimate/depend.h"

#include "core/base.h"
#include "core/estimate/comm.h"
#include "core/estimate/op.h"
#include "core/estimate/timing.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { NAMES = 1024 };

/* Rows being read: which symbols their text names. The names of a sheet's own rows hide symbols. */
struct reader {
    bool reads[DEPEND_MAX];
    const struct term *name[NAMES]; /* of symbols, by hash */
    const struct term *own;
    size_t own_count;
};
_Static_assert(NAMES >= 2 * DEPEND_MAX, "the names of symbols have room");

static size_t length_of_name(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

/* Where a name stands, or would. */
static const struct term **place_of(struct reader *reader, const char *name, size_t length)
{
    unsigned hash = 0;
    for (size_t i = 0; i < length; i++)
        hash = hash * 31 + (unsigned char)name[i];
    while (reader->name[hash % NAMES] && !term_find(reader->name[hash % NAMES], 1, name, length))
        hash++;
    return &reader->name[hash % NAMES];
}

static void begin(struct reader *reader)
{
    *reader = (struct reader){.own = NULL};
    for (size_t i = 0; i < symbol_term_count; i++)
        *place_of(reader, symbol_terms[i].name, strlen(symbol_terms[i].name)) = &symbol_terms[i];
}

static void read_text(struct reader *reader, const char *text)
{
    for (size_t length; text && *text; text += length ? length : 1) {
        length = length_of_name(text);
        const struct term *symbol = length ? *place_of(reader, text, length) : NULL;
        if (symbol && !term_find(reader->own, reader->own_count, text, length))
            reader->reads[symbol->offset / sizeof(double)] = true;
    }
}

/* Words say where a value comes from: reads the symbols of the keys that they name. */
static void read_words(struct reader *reader, const char *words)
{
    for (size_t i = 0; i < symbol_term_count; i++)
        if (symbol_terms[i].key && strstr(words, symbol_terms[i].key))
            reader->reads[symbol_terms[i].offset / sizeof(double)] = true;
}

/*
 * Reads the formulas of a sheet. Words stand where there is none, and a bare name of a column where one is handed on.
 */
static void read_terms(struct reader *reader, const struct term *terms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *text = terms[i].text ? terms[i].text : "";
        if (strncmp(text, "the ", 4) == 0)
            read_words(reader, text);
        else if (!term_find(op_columns, op_column_count, text, strlen(text)))
            read_text(reader, text);
    }
}

static void finish(const struct reader *reader, struct depend *out)
{
    out->count = 0;
    for (int i = 0; i < DEPEND_MAX; i++)
        if (reader->reads[i])
            out->symbol[out->count++] = (short)i;
}

static void read_operators(struct reader *reader)
{
    for (int i = 0; i < OP_COUNT; i++) {
        for (size_t j = 0; j < op_column_count; j++)
            read_text(reader, op_rows[i].text[j]);
        read_text(reader, op_input_text[i]);
        read_text(reader, split_rows_text[op_rows[i].split]);
        read_text(reader, split_columns_text[op_rows[i].split]);
        for (int j = 0; j < LINEAR_COLUMNS; j++)
            read_text(reader, op_linear_text[i][j]);
    }
    read_text(reader, op_linear_when);
    reader->own = op_columns;
    reader->own_count = op_column_count;
    read_terms(reader, op_terms, op_term_count);
}

/* And the seconds that they take. */
static void read_layers(struct reader *reader)
{
    read_terms(reader, op_time_terms, op_time_term_count);
    read_operators(reader);
}

void depend_layers(struct depend *out)
{
    struct reader reader;
    begin(&reader);
    read_layers(&reader);
    finish(&reader, out);
}

void depend_calls(struct depend *out)
{
    struct reader reader;
    begin(&reader);
    read_terms(&reader, call_terms, call_term_count);
    finish(&reader, out);
}

/* The traffic of micro-batches. */
static void read_traffic(struct reader *reader)
{
    reader->own = pass_terms;
    reader->own_count = pass_term_count;
    for (int dim = 0; dim < COMM_DIM_COUNT; dim++)
        if (comm_is_of_passes((enum comm_dim)dim))
            read_text(reader, exposed_text[dim]);
    for (int i = 0; i < COMM_COUNT; i++)
        for (size_t j = 0; j < LENGTH(comm_rows[i].text) && comm_is_of_passes(comm_rows[i].dim); j++)
            read_text(reader, comm_rows[i].text[j]);
}

void depend_states(struct depend *out)
{
    static const bool is_sharded[] = {
#define SYM(name, ...) VARIES(name) & VARIES_SHARDED,
#include "core/estimate/symbols.def"
#undef SYM
    };
    struct reader reader;
    begin(&reader);
    read_layers(&reader);
    read_traffic(&reader);
    for (int i = 0; i < DEPEND_MAX; i++)
        reader.reads[i] &= is_sharded[i];
    finish(&reader, out);
}

void depend_take(const struct depend *depend, const struct symbols *symbols, double key[])
{
    for (int i = 0; i < depend->count; i++)
        key[i] = ((const double *)symbols)[depend->symbol[i]];
}

bool depend_equal(const struct depend *depend, const struct symbols *symbols, const double key[])
{
    return depend_equal_first(depend, depend->count, symbols, key);
}

bool depend_equal_first(const struct depend *depend, int count, const struct symbols *symbols, const double key[])
{
    enum { STRIDE = 16 };
    for (int i = 0; i < count; i += STRIDE) {
        uint64_t differs = 0;
        int end = i + STRIDE < count ? i + STRIDE : count;
        for (int j = i; j < end; j++) {
            uint64_t one, two;
            memcpy(&one, (const double *)symbols + depend->symbol[j], sizeof one);
            memcpy(&two, &key[j], sizeof two);
            differs |= one ^ two;
        }
        if (differs)
            return false;
    }
    return true;
}
