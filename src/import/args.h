/*
 * src/import/args.h - Megatron's arguments that are no command line: its YAML configurations, mappings of flags
 * (`MODEL_ARGS:`), and the list of arguments that a run prints at its start.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct errors;
struct import;

/** True if a text holds arguments as a run prints them; a log that begins with them does. */
bool args_is_dump(const char *text, size_t size);

/**
 * Primus: the overrides of its experiment over the model's file, which is looked for in the repository; and the
 * settings of ms-swift's `megatron` commands.
 */
int primus_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
int swift_megatron_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);

/** Reads any of them through the table of Megatron's flags. Returns 0, or -1 with a fault added. */
int args_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
