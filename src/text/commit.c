/* src/text/commit.c - the commit where none is linked: a file of its own, so that no compiler folds the value. */

__attribute__((weak)) const char *const version_commit = 0;
