/* ui/pane/lecture.h - figures for those who look on: few bars, several rows high, each with a name and a value. */
#pragma once

#include "ui/state/state.h"
#include "ui/widget/bar.h"

enum { LECTURE_BARS = 5, LECTURE_PARTS = 3, LECTURE_TEXT_MAX = 48 };

/** The share of a bar from which on those who look on see a part of it. */
#define LECTURE_SPECK 0.05

/** A bar with its name before it and its value behind it. */
struct lecture_bar {
    char name[LECTURE_TEXT_MAX], below[LECTURE_TEXT_MAX]; /* `below` in the row below the name; "" for none */
    char value[LECTURE_TEXT_MAX];
    struct bar_part part[LECTURE_PARTS];
    int parts;
};

/** Rows from one bar to the next of `count`, a blank one among them; less than five where there is no room for four. */
int lecture_pitch(int count, int height);

/** Of a plan that serves: for some numbers of users what a GPU holds, or how long each waits for a token. */
void lecture_users(const struct ui *ui, struct canvas *canvas, bool is_time, int width, int height);

/** Draws the devices: a block for each stage of each copy of the model, the last of each where not all have room. */
void lecture_devices(const struct ui *ui, struct canvas *canvas, int width, int height);

/** Says what such a block is. */
void lecture_devices_sentence(const struct ui *ui, char out[UI_MESSAGE_MAX]);

/** Draws the first bars that fit, to the scale of the longest or of the limit (NAN: none); the longest is strong. */
void lecture_draw(struct canvas *canvas, const struct lecture_bar *bar, int count, double limit, int width, int height);
