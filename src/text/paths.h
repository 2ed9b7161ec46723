/* src/text/paths.h - locations of the user's presets and saved sessions (XDG base directories). */
#pragma once

struct errors;

/**
 * Returns `$XDG_CONFIG_HOME/shardtop/<folder>/<name>.yaml` (default ~/.config) in new memory; the folder when `name` is
 * NULL. NULL without a home directory. A relative $XDG_CONFIG_HOME is ignored, as the standard requires.
 */
char *paths_config(const char *folder, const char *name);

/** Returns `$XDG_STATE_HOME/shardtop/<name>` (default ~/.local/state) in new memory; NULL without a home directory. */
char *paths_state(const char *name);

/** Creates missing parent folders of `path`, with mode 0700. Returns 0, or -1 with an error added. */
int paths_make_parents(const char *path, struct errors *errors);
