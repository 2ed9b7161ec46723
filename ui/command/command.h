/* ui/command/command.h - the command line: a table of commands with arguments; what is no command sets keys. */
#pragma once

#include "ui/state/state.h"

/** What an argument of a command is, for completion. */
enum argument {
    ARGUMENT_NONE, ARGUMENT_ASSIGN, ARGUMENT_KEY, ARGUMENT_FILE, ARGUMENT_PLAN, ARGUMENT_THEME, ARGUMENT_PATH,
    ARGUMENT_EXPORT, ARGUMENT_SETTING, ARGUMENT_LESSON, ARGUMENT_RANK, ARGUMENT_GOAL, ARGUMENT_WORD, ARGUMENT_PIN,
    ARGUMENT_EXERCISE, ARGUMENT_TEXT
};

/** One command; its help, completion and manual are made from the row. */
struct command {
    const char *name, *usage; /* "save", "[FILE]" */
    enum argument argument;
    const char *help, *example;
    void (*run)(struct ui *ui, const char *rest); /* NULL: what sets keys does it */
};

/** The commands; every action (ui/command/action.h) is one too, without an argument. */
extern const struct command commands[];
extern const int command_count;

/** The command of this name, or NULL. */
const struct command *command_find(const char *name, size_t length);

/**
 * Runs a line as typed after ':': a command or action by its name or a beginning that only it has, or keys to set
 * (ui/command/assign.h), or a key to go to. Messages go to the message line. Returns false when the line could not be
 * read, ui->fault then says where, or when what it asks for is refused.
 */
bool command_run(struct ui *ui, const char *line);

enum { RANK_WHY_MAX = 160 }; /* bytes */

/** The rank that `37` or `n4g5` means, where the grid shows one; -1 with those that there are in `why`. */
int command_rank(const struct ui *ui, const char *text, char *why);
