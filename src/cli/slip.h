/* src/cli/slip.h - what somebody meant who gave a word or an option that is none. */
#ifndef SHARDTOP_SRC_CLI_SLIP_H
#define SHARDTOP_SRC_CLI_SLIP_H

#include <stddef.h>

struct cli;
struct errors;

/** Refuses words that are no files but look like settings, names or commands, with what to write instead. */
void slip_words(const struct cli *cli, struct errors *errors);

/** Refuses an option that is none, `name` without its dashes: keys of plans go behind --set, others have a near name. */
void slip_option(const char *name, size_t length, struct errors *errors);

/** Refuses a value that goes on to a second key: "8,pp=4". */
void slip_setting(const char *key, const char *value, struct errors *errors);

#endif
