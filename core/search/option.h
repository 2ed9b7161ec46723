/* core/search/option.h - what can be asked of a search by name: options of the command line, words of `:search`. */
#pragma once

#include "core/search/search.h"

enum { SEARCH_WHY_MAX = 300 /* bytes */ };

/** What an option is read into. */
struct search_reader {
    struct search_ask *ask;
    struct estimate *scratch;
    char *why;
};

/** One option: `name=argument`, or its name alone where it takes none. */
struct search_option {
    const char *name, *argument; /* "max-memory", "SIZE"; NULL: it takes none */
    const char *const *choices;  /* all that its argument may be; or NULL */
    bool takes_keys;             /* its argument begins with names of keys */
    const char *hint; /* what it may be, as an example, and what that does; within 60 columns */
    int (*read)(struct search_reader *reader, const char *text); /* as search_option_read() */
};

/** The rows, in the order in which they are to be read; one without a name ends them. */
extern const struct search_option search_options[];

/** The option of this name; NULL where there is none. */
const struct search_option *search_option_named(const char *name);

/**
 * Reads an argument into a question whose plan is set. Returns 0, or -1 with the reason in `why` (SEARCH_WHY_MAX
 * bytes). `scratch` is used for estimates; the texts of conditions must live as long as the question.
 */
int search_option_read(const struct search_option *option, struct search_ask *ask, const char *text,
                       struct estimate *scratch, char *why);

/** With SEARCH_GPUS as the aim and no nodes told: all numbers of nodes worth a try, up to those of the plan. */
void search_option_nodes(struct search_ask *ask);
