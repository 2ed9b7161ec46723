/* src/text/paths.h - where the user's own presets and the last session lie (XDG base directories). */
#ifndef SHARDTOP_SRC_TEXT_PATHS_H
#define SHARDTOP_SRC_TEXT_PATHS_H

struct errors;

/**
 * `$XDG_CONFIG_HOME/shardtop/<folder>/<name>.yaml` (~/.config where unset) in fresh memory; without `name` the folder.
 * NULL when there is no home directory. A relative $XDG_CONFIG_HOME does not count, as the standard asks.
 */
char *paths_config(const char *folder, const char *name);

/** `$XDG_STATE_HOME/shardtop/<name>` (~/.local/state where unset) in fresh memory; NULL without a home directory. */
char *paths_state(const char *name);

/** Makes the folders above `path` that are missing, for this user alone. Returns 0, or -1 with a fault added. */
int paths_make_parents(const char *path, struct errors *errors);

#endif
