/* src/import/deepspeed.h - DeepSpeed's JSON configurations as plan settings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct errors;
struct import;
struct plan;

/**
 * Reads a DeepSpeed configuration in its old or new spelling. A file holds no model and not the number of ranks, so
 * `base` (may be NULL) is the plan it is applied to: its data-parallel size completes the batch sizes, and its hidden
 * size the sizes that are "auto". What is missing for that is remarked on. Sets framework.name to deepspeed.
 * Returns 0, or -1 with a fault added.
 */
int deepspeed_import(const char *text, size_t size, const char *name, const struct plan *base,
                     struct import *out, struct errors *errors);

/**
 * Reads the DeepSpeed file `name` where it lies beside the file being read, and takes what shards and offloads of it:
 * the program keeps batch and types. Returns false where it is not there or cannot be read.
 */
bool deepspeed_beside(const char *name, struct import *out);
