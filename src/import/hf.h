/* src/import/hf.h - a Hugging Face config.json as the model group of a plan. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct errors;
struct import;

/**
 * Reads a config.json of a decoder-only language model, or of the language part of a larger model. What the family of
 * the model implies beside what the file says is set too, with the line of `model_type`. Only keys of the model group
 * are set, and every one that is not at its default: blank the group first. An unknown `model_type` is read like a
 * Llama, with a remark, when it has all the keys of one. Returns 0, or -1 with a fault added.
 */
int hf_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
