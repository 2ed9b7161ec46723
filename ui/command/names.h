/*
 * ui/command/names.h - the other names of everything that has one: what people call keys, presets, views and
 * commands.
 */
#ifndef SHARDTOP_UI_COMMAND_NAMES_H
#define SHARDTOP_UI_COMMAND_NAMES_H

#include <stdbool.h>

/** Other names of an item, "a|b"; "" for none. An item is a dotted key, a preset, or a view or command. */
const char *names_of(const char *item);

/** The item of which this is another name, whatever its case and marks: `h100 80gb`; NULL when there is none. */
const char *names_item(const char *text);

/** True for what people look for and what changes neither memory nor time: `lr`. */
bool names_are_ignored(const char *text);

#endif
