/* src/export/wish.h - what a format would say otherwise for another plan: flags or paths with their values. */
#pragma once

#include "src/text/keyval.h"

struct plan;

/**
 * Lists what `format` (a name of export_names) writes otherwise for `after` than for `before`, both resolved: flags or
 * paths with the new value, "" for a switch; what goes is in `gone`, with its old value. Nothing where a plan lacks a
 * value that the format needs.
 */
void wishes_of(const char *format, const struct plan *before, const struct plan *after, struct keyvals *out,
               struct keyvals *gone);
