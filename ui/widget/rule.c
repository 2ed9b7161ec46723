#include "ui/widget/rule.h"

#include <stdio.h>

enum { LIGHT = 0x2500, HEAVY = 0x2501, RULE_LEAST = 1 /* cells */ };

/* What stands at the right end; returns the column before it. */
static int draw_note(struct canvas *canvas, int y, int width, const struct rule *rule, int from)
{
    int need = text_width(rule->note) + 2 * (rule->note_key != 0);
    if (!*rule->note || from + 2 + RULE_LEAST + need > width)
        return width;
    canvas_right(canvas, width, y, ROLE_MUTED, rule->note);
    if (rule->note_key)
        canvas_format(canvas, width - need, y, ROLE_KEY, "%c", rule->note_key);
    return width - need - 1;
}

void rule_draw(struct canvas *canvas, int y, int width, const struct rule *rule)
{
    char about[200];
    int x = rule->key ? canvas_format(canvas, 0, y, ROLE_KEY, "%c", rule->key) + 1 : 0;
    x = canvas_pick(canvas, x, y, width - x, ROLE_TITLE, rule->name);
    int end = draw_note(canvas, y, width, rule, x);
    text_pick(rule->about, end - x - 2 - RULE_LEAST - 1, about, sizeof about);
    if (*about)
        x = canvas_text(canvas, x + 2, y, ROLE_MUTED, about);
    uint32_t glyph = canvas->ascii ? rule->is_focused ? '=' : '-' : rule->is_focused ? HEAVY : LIGHT;
    canvas_repeat(canvas, x + 1, y, rule->is_focused ? ROLE_KEY : ROLE_FAINT, glyph, end - x - 1);
}
