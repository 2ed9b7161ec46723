/* src/cli/session/preferences.h - the settings file: what it says, and changes of it in place. */
#pragma once

#include <stddef.h>

#include "ui/state/settings.h"

struct buffer;
struct errors;

/** Reads the text of a settings file over the defaults; what is at fault is left out, with a fault added for each. */
void preferences_read(const char *text, size_t size, const char *file, struct settings *out, struct errors *errors);

/** Reads the user's settings file, `settings.yaml` of the configuration folder; without one there are the defaults. */
void preferences_load(struct settings *out, struct errors *errors);

/**
 * Writes settings (keys as they are in the file) into the user's file, value by value: the rest of it stays. Returns
 * its path in fresh memory; NULL with faults added, the file then being as it was.
 */
char *preferences_save(const struct settings *settings, struct errors *errors);

/** Writes the keys of an action, "none" where it has none. */
void preferences_keys(const struct settings *settings, enum action action, char *out, size_t size);

/** Appends all settings as a file, with what each is for. */
void preferences_list(const struct settings *settings, struct buffer *out);
