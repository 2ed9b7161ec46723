/*
 * src/plan/named.h - the model that a foreign file names: a file beside it, a preset, or a shape of the size in its
 * name.
 */
#pragma once

struct errors;
struct import;
struct plan;

/**
 * Takes the settings `model` out of `import`, read from the file `name`, and fills the model group of `plan` with what
 * they name: config.json of that folder beside the file or in a hub's cache, a preset, or (every key FROM_ASSUMED, with
 * a question) the preset nearest in size. A name that tells nothing is asked for; of one with layers that are not
 * counted a remark says so. Returns 0, or -1 with a fault added.
 */
int named_model(struct plan *plan, struct import *import, const char *name, struct errors *errors);
