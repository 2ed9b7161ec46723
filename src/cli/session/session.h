/* src/cli/session/session.h - plans that were not saved: a file for each run, found again after a crash. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct buffer;
struct errors;
struct plan;
struct questions;

/** What a run has kept. */
struct session {
    char *journal;  /* its file: sessions/NAME@HOST@PROCESS.yaml */
    char *name;     /* of the plan, without folder and ending */
    char *path;     /* of the plan's file; "" for a plan without one */
    char *changes;  /* "3 changes (tp 4, pp 8, ...)" */
    time_t written;
    char *host;      /* another machine whose session it is; NULL: this one's */
    bool is_running; /* as far as can be told: of another machine it is not known, and taken for running */
};

/** Sessions, the latest first; zero-initialise, release with sessions_free(). */
struct sessions {
    struct session *item;
    size_t count, capacity;
};

/** Reads what is kept. */
void sessions_read(struct sessions *out);
void sessions_free(struct sessions *sessions);

/** The session of a number from 1 on, or the latest of this name or plan file; NULL with a fault added. */
const struct session *session_named(const struct sessions *sessions, const char *word, struct errors *errors);

/**
 * The latest session that no run owns any more, of the plan in `path`; with "" for a plan without a file of this model,
 * or of any with NULL for it. NULL when there is none.
 */
const struct session *sessions_offer(const struct sessions *sessions, const char *path, const char *model);

/** Removes what runs of this machine that are over kept more than `days` ago. */
void sessions_expire(int days);

/** Deletes what a session kept. */
void session_delete(const struct session *session);

/** Appends one line for each. */
void sessions_list(const struct sessions *sessions, struct buffer *out);

/** Appends "2 hours ago". */
void session_age(const struct session *session, char *out, size_t size);

/**
 * The plan that was kept, in `saved` what its file holds, blank without one, and in `open` (may be NULL) what its input
 * left open. Returns 0; -1 with faults added.
 */
int session_load(const struct session *session, struct plan *plan, struct plan *saved, struct questions *open,
                 struct errors *errors);

/** The journal of this run; zero-initialise, release with journal_free(), which leaves the files. */
struct journal {
    char *path; /* NULL before there is one */
    struct journal_left *left; /* those of files that the plan was of before, by the number that the caller gave each */
    size_t left_count;
    int ended; /* in this run; each journal after one has another name */
};
void journal_free(struct journal *own);

/** Makes a kept session this run's own. */
void journal_take(struct journal *own, const struct session *session);

/**
 * Keeps a plan of file `path` ("" for none) as this run's session, with what its input left open (NULL: not known), or
 * drops it where it equals `saved`. Returns 0, or -1 with a fault added, of an earlier call too.
 */
int journal_keep(struct journal *own, const char *path, const struct plan *plan, const struct plan *saved,
                 const struct questions *open, struct errors *errors);

/** Leaves this run's session for a later one, as that of file number `file`; what is kept from now on is another. */
void journal_leave(struct journal *own, int file);

/** Makes the session that was left as that of this file this run's again, if there is one. */
void journal_return(struct journal *own, int file);

/** Forgets this run's session: nothing is to be kept. */
void journal_drop(struct journal *own);
