#include "ui/term/input.h"

#include "core/base.h"
#include "ui/term/canvas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What follows ESC [ or ESC O, modifiers taken away. */
static const struct {
    const char *tail;
    int key;
} sequences[] = {
    {"[A", KEY_ARROW_UP},   {"[B", KEY_ARROW_DOWN}, {"[C", KEY_ARROW_RIGHT}, {"[D", KEY_ARROW_LEFT},
    {"OA", KEY_ARROW_UP},   {"OB", KEY_ARROW_DOWN}, {"OC", KEY_ARROW_RIGHT}, {"OD", KEY_ARROW_LEFT},
    {"[H", KEY_TO_HOME},    {"[F", KEY_TO_END},     {"OH", KEY_TO_HOME},     {"OF", KEY_TO_END},
    {"[1~", KEY_TO_HOME},   {"[4~", KEY_TO_END},    {"[7~", KEY_TO_HOME},    {"[8~", KEY_TO_END},
    {"[2~", KEY_INSERT},    {"[3~", KEY_DELETE},    {"[5~", KEY_PAGE_UP},    {"[6~", KEY_PAGE_DOWN},
    {"[Z", KEY_BACKTAB},    {"OM", KEY_RETURN},     {"[I", KEY_FOCUS_IN},    {"[O", KEY_FOCUS_OUT},
    {"OP", KEY_F1},         {"OQ", KEY_F2},         {"OR", KEY_F3},          {"OS", KEY_F4},
    {"[P", KEY_F1},         {"[Q", KEY_F2},         {"[R", KEY_F3},          {"[S", KEY_F4},
    {"[11~", KEY_F1},       {"[12~", KEY_F2},       {"[13~", KEY_F3},        {"[14~", KEY_F4},
    {"[[A", KEY_F1},        {"[[B", KEY_F2},        {"[[C", KEY_F3},         {"[[D", KEY_F4},
    {"[[E", KEY_F5},        {"[15~", KEY_F5},       {"[17~", KEY_F6},        {"[18~", KEY_F7},
    {"[19~", KEY_F8},       {"[20~", KEY_F9},       {"[21~", KEY_F10},       {"[23~", KEY_F11},
    {"[24~", KEY_F12},      {"[200~", KEY_PASTE_START}, {"[201~", KEY_PASTE_END}, {"[?9999~", KEY_SYNC},
    {"[0n", KEY_STATUS},    {"[3n", KEY_STATUS},
    {"Ok", '+'},            {"Om", '-'},            {"Oj", '*'},             {"Oo", '/'},
};

bool input_is_open(const struct input *input)
{
    return input->length > 0;
}

bool input_is_string(const struct input *input)
{
    return input->length > 2 && input->bytes[0] == 27 && (input->bytes[1] == ']' || input->bytes[1] == 'P');
}

bool input_is_sequence(const struct input *input)
{
    return input->length > 1 && input->bytes[0] == 27 && input->bytes[1] == '[';
}

/* `ESC [ < button ; column ; row M`, as mode 1006 reports it. Releases, motion and other buttons are MOUSE_NONE. */
static int mouse_event(const char *tail, struct event *event)
{
    int button, column, row;
    char last;
    if (sscanf(tail, "[<%d;%d;%d%c", &button, &column, &row, &last) != 4 || !strchr("Mm", last))
        return KEY_UNKNOWN;
    event->x = column - 1;
    event->y = row - 1;
    event->button = button == 0    ? MOUSE_LEFT
                    : button == 64 ? MOUSE_WHEEL_UP
                    : button == 65 ? MOUSE_WHEEL_DOWN
                                   : MOUSE_NONE;
    event->button = last == 'M' ? event->button : MOUSE_NONE;
    return KEY_MOUSE_EVENT;
}

/* `[1;5A` is an arrow with a modifier: the part from the semicolon on is dropped, and a lone 1 before it. */
static void drop_modifier(char *tail)
{
    char *semicolon = strchr(tail, ';');
    size_t length = strlen(tail);
    if (!semicolon)
        return;
    char last = tail[length - 1];
    if (last != '~' && semicolon == tail + 2 && tail[1] == '1')
        semicolon--;
    semicolon[0] = last;
    semicolon[1] = '\0';
}

/* "11;rgb:ffff/ffff/f0f0", or with fewer digits, or rgba: the colour of the terminal's background. */
static int string_key(const char *text)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    unsigned red, green, blue;
    const char *parts = strncmp(text, "11;rgba:", 8) == 0 ? text + 8 : strncmp(text, "11;rgb:", 7) == 0 ? text + 7 : "";
    if (sscanf(parts, "%4x/%4x/%4x", &red, &green, &blue) != 3)
        return KEY_REPORT;
    double most = (double)((1u << 4 * strspn(parts, digits)) - 1);
    return 0.299 * red + 0.587 * green + 0.114 * blue > most / 2 ? KEY_GROUND_LIGHT : KEY_GROUND_DARK;
}

static int sequence_key(const struct input *input, struct event *event)
{
    char tail[INPUT_MAX];
    memcpy(tail, input->bytes + 1, (size_t)input->length - 1);
    tail[input->length - 1] = '\0';
    if (tail[0] == '[' && tail[1] == '<')
        return mouse_event(tail, event);
    if (strcmp(tail, "[?997;1n") == 0 || strcmp(tail, "[?997;2n") == 0)
        return tail[6] == '1' ? KEY_SCHEME_DARK : KEY_SCHEME_LIGHT;
    drop_modifier(tail);
    for (size_t i = 0; i < LENGTH(sequences); i++)
        if (strcmp(sequences[i].tail, tail) == 0)
            return sequences[i].key;
    return KEY_UNKNOWN;
}

/* Hands out a key and makes the input empty. */
static bool finish(struct input *input, int key, struct event *event)
{
    input->length = 0;
    if (key == KEY_PASTE_START || key == KEY_PASTE_END)
        input->is_pasting = key == KEY_PASTE_START;
    event->key = key == 10 ? KEY_RETURN : key == 8 ? KEY_RUBOUT : key;
    event->is_pasted = input->is_pasting && key != KEY_PASTE_START;
    if (event->is_pasted && key < 0x20)
        event->key = ' '; /* pasted line ends are text */
    return true;
}

static bool escape_byte(struct input *input, unsigned char byte, struct event *event);

/* Whether a terminal says a string that begins so: ESC ] 11 ; ... is asked for, ESC P 1 ... by who was here before. */
static bool begins_string(unsigned char kind, unsigned char byte)
{
    return (byte >= '0' && byte <= '9') || (kind == 'P' && (byte == '>' || byte == '!'));
}

/*
 * A string sequence (ESC ] ... BEL or ESC \) is swallowed whole; of a long one the middle is not kept. A control
 * character, or another sequence, breaks it off.
 */
static bool string_byte(struct input *input, unsigned char byte, struct event *event)
{
    int last = input->length - 1;
    bool has_escape = last > 1 && input->bytes[last] == 27, is_end = byte == 7 || (has_escape && byte == '\\');
    if (has_escape && !is_end) {
        input->length = 1;
        return escape_byte(input, byte, event);
    }
    if (byte < 0x20 && byte != 7 && byte != 27)
        return finish(input, byte, event);
    input->length += input->length < INPUT_MAX - 1;
    input->bytes[input->length - 1] = byte;
    if (!is_end)
        return false;
    input->bytes[input->length] = '\0';
    return finish(input, input->bytes[1] == ']' ? string_key((const char *)input->bytes + 2) : KEY_REPORT, event);
}

static bool escape_byte(struct input *input, unsigned char byte, struct event *event)
{
    unsigned char kind = input->bytes[1];
    if (input->length == 1 && byte == 27) {
        finish(input, KEY_ESCAPE, event);
        input->length = 1; /* the second one stays: a key of its own, or the start of a sequence */
        return true;
    }
    bool is_string = input->length >= 2 && (kind == ']' || kind == 'P');
    if (is_string && input->length == 2 && !begins_string(kind, byte)) {
        input->held = byte; /* a key with Alt, and another */
        return finish(input, kind | KEY_WITH_ALT, event);
    }
    if (is_string)
        return string_byte(input, byte, event);
    if (byte < 0x20 && input->length > 1) /* broken off: the control character stands for itself */
        return finish(input, byte == 27 ? KEY_UNKNOWN : byte, event);
    if (input->length == INPUT_MAX - 1)
        return finish(input, KEY_UNKNOWN, event);
    input->bytes[input->length++] = byte;
    if (input->length == 2) {
        if (strchr("[O]P", byte) && byte)
            return false;
        return finish(input, byte == 10 ? KEY_RETURN | KEY_WITH_ALT : byte | KEY_WITH_ALT, event);
    }
    bool is_console_key = kind == '[' && input->length == 3 && byte == '['; /* linux console: ESC [ [ A */
    if (kind == 'O' || (byte >= 0x40 && byte <= 0x7e && !is_console_key))
        return finish(input, sequence_key(input, event), event);
    return false;
}

/* Bytes that a character takes, by its first one. */
static int utf8_length(unsigned char first)
{
    return first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
}

bool input_byte(struct input *input, unsigned char byte, struct event *event)
{
    *event = (struct event){0};
    if (input->length > 0 && input->bytes[0] == 27)
        return escape_byte(input, byte, event);
    if (input->length > 0 && (byte & 0xc0) != 0x80)
        input->length = 0; /* a cut character is dropped */
    input->bytes[input->length++] = byte;
    if (byte == 27)
        return false;
    if (input->length < utf8_length(input->bytes[0]))
        return false;
    input->bytes[input->length] = 0;
    const char *text = (const char *)input->bytes;
    uint32_t glyph = byte == 0 ? 0 : utf8_next(&text);
    return finish(input, glyph == 0 || glyph == 0xfffd ? KEY_UNKNOWN : (int)glyph, event);
}

bool input_next(struct input *input, struct event *event)
{
    unsigned char byte = input->held;
    input->held = 0;
    return byte && input_byte(input, byte, event);
}

bool input_flush(struct input *input, struct event *event)
{
    if (input->length == 0)
        return false;
    bool is_escape = input->length == 1 && input->bytes[0] == 27;
    bool is_alt = input->length == 2 && input->bytes[0] == 27;
    *event = (struct event){0};
    return finish(input,
                  is_escape                ? KEY_ESCAPE
                  : is_alt                 ? input->bytes[1] | KEY_WITH_ALT
                  : input_is_string(input) ? KEY_REPORT
                                           : KEY_UNKNOWN,
                  event);
}
