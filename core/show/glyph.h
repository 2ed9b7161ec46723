/* core/show/glyph.h - which characters may reach a terminal: the one list that reports, messages and the screen ask. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/**
 * False for characters that do more than stand there: control characters (C0, DEL, C1), those that end lines or turn
 * the direction of text, and those that cannot be seen. Source: Unicode 15, chapter 23 and annex 9 (bidirectional
 * text).
 */
bool glyph_is_safe(uint32_t glyph);
