/* src/cli/session/saving.h - plans and reports into files, with a question before anything is lost. */
#pragma once

#include <stdbool.h>

#include "ui/ui.h"

struct buffer;
struct file_mark;
struct saving_file;

/** The files that this run has read and written; zero-initialise, release with saving_free(). */
struct saving {
    struct saving_file *known;
    size_t count;
    char *base; /* a plan saved under another name begins with the text of this file; NULL for none */
};
void saving_free(struct saving *saving);

/** Remembers a file as it is now: this run reads or wrote it, and may write over it while it stays so. */
void saving_note(struct saving *saving, const char *path);

/** The same of a file that was read when it had this mark. */
void saving_note_as(struct saving *saving, const char *path, const struct file_mark *mark);

/** Sets the file whose text a plan saved under another name begins with; NULL for none. */
void saving_begin_with(struct saving *saving, const char *path);

/** Whether a file is a plan that this run has read, and not changed on disk since. */
enum ui_own saving_own(const struct saving *saving, const char *path);

/**
 * Writes a plan: into its own file value by value (src/plan/save.h), into any other as a whole. A file that is no plan
 * is never replaced by one: then `message` (UI_MESSAGE_MAX bytes) gets a name beside it. Unless `is_confirmed`, it asks
 * before it replaces a file that changed since this run read it, one that it did not open, or one whose comments cannot
 * be kept. `open`: what the plan's inputs left open. What a file held that this run did not write stays as FILE~.
 */
enum ui_write saving_plan(struct saving *saving, const char *path, const struct plan *plan,
                          const struct questions *open, bool is_confirmed, char *message);

/** Writes a report; asks as saving_plan() does before it replaces a file that this run has not written. */
enum ui_write saving_report(struct saving *saving, const char *path, const struct buffer *text, bool is_confirmed,
                            char *message);

/** Writes the new text of a file that was read, whatever it is; asks where it changed on disk or was not opened. */
enum ui_write saving_change(struct saving *saving, const char *path, const struct buffer *text, bool is_confirmed,
                            char *message);

/** Keeps what a file holds that this run did not write as FILE~. Returns 0, or -1 with the reason in `message`. */
int saving_keep(const struct saving *saving, const char *path, char *message);
