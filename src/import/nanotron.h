/* src/import/nanotron.h - nanotron's YAML configurations as plan settings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct errors;
struct import;

/**
 * Reads a nanotron configuration in its old or new spelling, Llama, Qwen2 and Starcoder2 models alike; others are
 * refused. Sets framework.name to nanotron. Of a key given twice the last counts, with a remark.
 * Returns 0, or -1 with a fault added.
 */
int nanotron_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
