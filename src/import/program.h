/* src/import/program.h - settings in Python programs of known trainers (src/import/programs.def), which are not run. */
#pragma once

#include "src/import/recognise.h"
#include "src/text/keyval.h"

/** A program that was looked at; zero-initialise before use, release with keyvals_free() on its settings. */
struct program {
    enum plan_kind kind;    /* of the file of settings that it is read as; KIND_PYTHON: none */
    struct keyvals settings; /* by path; "???" for one that is computed, or depends on a condition */
    int functions;          /* that have such settings and of which each is a run; the first was read */
};

/** Collects the settings of a program that imports a known trainer. Nothing is executed. */
void program_look(const char *text, struct program *out);

/** The same of any program: each name and keyword argument with what it is given, to be judged by its words. */
void program_look_any(const char *text, struct program *out);

/** Gives the settings of a command line the names that the files of a kind have. */
void program_rename(enum plan_kind kind, struct keyvals *settings);
