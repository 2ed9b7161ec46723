/* ui/follow.c - a small screen of paragraphs that are looked up again and again: `shardtop watch`. */
#include "ui/term/canvas.h"
#include "ui/term/paint.h"
#include "ui/term/term.h"
#include "ui/term/theme.h"
#include "ui/ui.h"

enum { LOOK_MS = 500 };

static void draw(struct canvas *canvas, const struct ui_note *notes, int count, int width, int height)
{
    static const struct rect none = {0};
    int y = 0;
    canvas_clear(canvas);
    for (int i = 0; i < count && y < height - 1; i++) {
        enum role role = i == 0                ? ROLE_TITLE
                         : notes[i].is_warning ? ROLE_WARN
                         : notes[i].is_dim     ? ROLE_MUTED
                                               : ROLE_TEXT;
        y = canvas_wrap(canvas, 1, y, width - 2, role, notes[i].text) + (i == 0);
    }
    canvas_blank(canvas, (struct rect){0, height - 1, width, 1});
    canvas_text(canvas, 1, height - 1, ROLE_MUTED, "q leaves");
    term_show(canvas, &none, PAINT_ALL, true);
}

/* True when a key asks to leave. */
static bool is_left(void)
{
    enum { CONTROL_C = 3, ESCAPE = 27 };
    unsigned char keys[64];
    int n = term_read(keys, sizeof keys);
    for (int i = 0; i < n; i++)
        if (keys[i] == 'q' || keys[i] == CONTROL_C || (keys[i] == ESCAPE && n == 1))
            return true;
    return false;
}

/* Waits for something to happen; true when it is time to leave. */
static bool wait_is_over(void)
{
    int width, height;
    unsigned woken = term_wait(LOOK_MS);
    if (woken & TERM_RESIZED) {
        term_size(&width, &height);
        term_forget();
    }
    if (woken & TERM_STOP)
        term_suspend();
    if (woken & (TERM_STOP | TERM_CONTINUED))
        term_forget();
    return (woken & (TERM_GONE | TERM_SIGNAL)) || (woken & TERM_INPUT && is_left());
}

int ui_follow(const struct ui_follow *follow, char *message, size_t size)
{
    struct ui_note notes[UI_NOTES_MAX] = {0};
    struct term_options wanted = {.name = follow->term, .no_color = follow->no_color};
    struct canvas canvas = {0};
    struct theme theme;
    int width, height;
    if (term_open(&wanted, message, size) != 0)
        return -1;
    theme_default(&theme);
    term_theme(&theme);
    do {
        term_size(&width, &height);
        if (canvas_resize(&canvas, width, height) != 0)
            break;
        draw(&canvas, notes, follow->look(follow->context, notes), width, height);
    } while (!wait_is_over());
    term_close();
    canvas_free(&canvas);
    return 0;
}
