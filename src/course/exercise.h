/*
 * src/course/exercise.h - what-if questions made by the program, safe against the error of its estimate; one seed, one
 * question.
 */
#pragma once

#include "core/plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

/** The kinds, in the order in which questions take turns; seeds depend on it. */
enum exercise_kind {
    EXERCISE_FITS,    /* which of four layouts fits */
    EXERCISE_MEMORY,  /* what the fullest GPU needs when one key doubles */
    EXERCISE_FASTEST, /* which of four that fit is the fastest */
    EXERCISE_LARGEST, /* what takes most of the fullest GPU */
    EXERCISE_BUBBLE,  /* the share of an ideal bubble */
    EXERCISE_CROSSES, /* which groups span nodes */
    EXERCISE_KV,      /* the cache of a model that is served */
    EXERCISE_STATIC,  /* bytes of weights, gradients and states */
    EXERCISE_FREES,   /* which of four changes frees most */
    EXERCISE_KINDS
};
extern const char *const exercise_kind_names[EXERCISE_KINDS];

enum { EXERCISE_LEVELS = 3, EXERCISE_LEVEL = 2 /* where nobody says */ };
enum { EXERCISE_CHOICES = 4, EXERCISE_TEXT_MAX = 512, EXERCISE_CHOICE_MAX = 96 };

/** A question. */
struct exercise {
    enum exercise_kind kind;
    uint64_t seed;
    int number; /* from 1 */
    char text[EXERCISE_TEXT_MAX];
    int choices; /* 0: a number is asked, or a list of groups */
    char choice[EXERCISE_CHOICES][EXERCISE_CHOICE_MAX];
    const char *unit;      /* "GiB", "%"; "" for none */
    double answer;         /* a number, in the unit; or the right choice from 0 */
    double within;         /* of a number: the share that it may be off */
    char groups[32];       /* of EXERCISE_CROSSES: "tp dp", "none" */
    char because[EXERCISE_TEXT_MAX];
    struct plan plan;      /* what it is about */
};

/**
 * Makes question `number` (from 1) of a seed and level: 1 one node, 2 all, 3 several nodes, experts, fp8 and uneven
 * stages. Its kind is the turn's, or the first of `kinds` (bit set; 0: all) from there on that has a question which no
 * error of the estimate could turn. Returns 0, or -1 when none of the kinds has one.
 */
int exercise_make(uint64_t seed, int number, unsigned kinds, int level, struct exercise *out);

/** A kind by chance, each as often as its weight says; the same for the same seed and number. */
enum exercise_kind exercise_draw(uint64_t seed, int number, const int weight[EXERCISE_KINDS]);

/** The right answer as text: a letter, a number with its unit, groups. */
void exercise_answer(const struct exercise *exercise, char out[EXERCISE_CHOICE_MAX]);

/** True when what was typed is an answer to this kind of question, right or wrong. */
bool exercise_is_answer(const struct exercise *exercise, const char *typed);

/** Reads a number in the question's unit; false for what is none, and where no number is asked for. */
bool exercise_read(const struct exercise *exercise, const char *typed, double *out);

/** True when what was typed is right: a letter, a number with or without its unit, groups in any order. */
bool exercise_is_right(const struct exercise *exercise, const char *typed);
