/* ui/widget/rule.h - the title of a panel: its key, its name, what it shows, and a rule to its end. */
#pragma once

#include "ui/term/canvas.h"

/** A title. */
struct rule {
    int key;           /* 0: none */
    const char *name;  /* wordings "a|b" */
    const char *about; /* wordings "a|b": what it shows, in which unit; left out where there is no room */
    const char *note;  /* at the right end, or "" */
    int note_key;      /* a key before the note; 0: none */
    bool is_focused;   /* a heavy rule */
};

/** Draws a title in row `y` of the clip. */
void rule_draw(struct canvas *canvas, int y, int width, const struct rule *rule);
