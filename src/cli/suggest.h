/* src/cli/suggest.h - what somebody meant who gave a word or an option that is none. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct cli;
struct errors;

/** The plan key that a name of `size` bytes means, with dashes or underscores; -1 for none. */
int suggest_key(const char *name, size_t size);

/** Refuses words that are no files but look like settings, names or commands, with what to write instead. */
void refuse_words(const struct cli *cli, struct errors *errors);

/** Refuses an unknown option, `name` without its dashes, with the nearest known one. */
void refuse_option(const char *name, size_t length, struct errors *errors);

/** Refuses a key behind one dash: "-tp". Returns whether it is one. */
bool refuse_letters(const char *word, struct errors *errors);

/** Refuses an option, named without its dashes, that does not belong to a verb. */
void refuse_place(const char *option, const char *verb, struct errors *errors);

/** Refuses a number and a device in one, "8xh100", behind `option`. Returns whether it is that. */
bool refuse_devices(const char *option, const char *text, struct errors *errors);

/** The command that is nearly the word; NULL for none. */
const char *suggest_command(const char *word);

/** Refuses a value that goes on to a second key: "8,pp=4". */
void refuse_setting(const char *key, const char *value, struct errors *errors);
