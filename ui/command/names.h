/*
 * ui/command/names.h - the other names of everything that has one: what people call keys, presets, views and
 * commands.
 */
#pragma once

#include <stdbool.h>

/** Other names of an item, "a|b"; "" for none. An item is a dotted key, a preset, or a view or command. */
const char *names_of(const char *item);

/** The item of which this is another name, whatever its case and marks: `h100 80gb`; NULL when there is none. */
const char *names_item(const char *text);

/** True for what people look for and what changes neither memory nor time: `lr`. */
bool names_are_ignored(const char *text);
