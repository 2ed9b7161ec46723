/* src/cli/docs/help.h - what `help`, `help COMMAND` and `--help` print, from the tables of commands and options. */
#pragma once

#include "src/cli/cli.h"

/** Commands as somebody would type them, an example with its purpose each, for `verb`; NULL ends the list. */
struct help_example {
    enum cli_verb_id verb;
    const char *command, *purpose;
};

/** The examples of all verbs, in the order of the verbs. */
extern const struct help_example help_examples[];
extern const size_t help_example_count;

/** Appends the overview: commands, files, options that go with every plan; at most 80 columns wide. */
void help_overview(struct buffer *out);

/** Appends all about one verb: usage, what it does, its options, examples; at most 80 columns wide. */
void help_verb(struct buffer *out, enum cli_verb_id verb);
