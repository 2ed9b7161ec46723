/* src/cli/session/host.h - what the screen asks of the world: files, presets, themes and the report. */
#pragma once

#include "core/plan/question.h"
#include "src/cli/session/reading.h"
#include "src/cli/session/recorder.h"
#include "src/cli/session/saving.h"
#include "src/cli/session/session.h"
#include "src/text/errors.h"
#include "ui/ui.h"

enum { HOST_EXPORTS_MAX = 16 }; /* formats, and the two ways to change the file that was read */

/** What a screen keeps beside its own state; zero-initialise, release with host_free(). */
struct host {
    struct errors remarks;      /* on the file that was read last, see host_remember() */
    struct questions left_open; /* by that file; saved with the plan */
    /* Which kept plan is offered where the plan has no file: one of this model that had none either; NULL: any. */
    const char *offered_model;
    struct saving saving;
    struct reading reading;
    struct journal journal;
    struct recorder recorder;
    struct classroom *classroom; /* NULL until a lesson or the list is asked for */
    const char *export_names[HOST_EXPORTS_MAX];
};
void host_free(struct host *host);

/** The functions for ui_run() and the like; they use `host` as long as the screen runs. */
struct ui_host host_functions(struct host *host);

/** Keeps the remarks on what was read before the screen opened, for its messages. */
void host_remember(struct host *host, const struct errors *errors);

/** Its lessons, made when first asked for. */
struct classroom *host_classroom(struct host *host);
