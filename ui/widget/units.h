/*
 * ui/widget/units.h - what bytes are counted in on the screen: powers of 1024 or of 1000; a choice of the whole
 * program, as a locale is.
 */
#pragma once

#include "core/show/figure.h"

#include <stdbool.h>

/** The choices: GiB, or GB (10^9 bytes). */
enum units { UNITS_GIB, UNITS_GB };

/** Makes a choice, from here on. */
void units_use(enum units units);

/** The name of the unit of memory: "GiB" or "GB". */
const char *units_name(void);

/** A word, such as "kept: MiB", with the names of the units chosen. */
struct figure units_word(const char *word);

/** True for GB. */
bool units_are_decimal(void);

/** Its bytes. */
double units_bytes(void);

/** The least of 1, 2, 5, 10, ... and their parts of which at most `most` are in a range: for the marks of an axis. */
double units_step(double range, double most);

/** As figure(), with bytes in the units chosen and a comma in counts of four digits. */
struct figure units_figure(enum figure_kind kind, double value);

/** As figure_short(), figure_delta() and figure_range(). */
struct figure units_short(enum figure_kind kind, double value);
struct figure units_delta(enum figure_kind kind, double difference);
struct figure units_range(enum figure_kind kind, double value, double low, double high);
