/* src/import/carrier.h - files that carry a script: SkyPilot's tasks. */
#ifndef SHARDTOP_SRC_IMPORT_CARRIER_H
#define SHARDTOP_SRC_IMPORT_CARRIER_H

#include "src/import/recognise.h"

/**
 * A SkyPilot task (sky/task.py, documented as the task YAML): its `run` is read as a script with the variables of `envs` and
 * those that SkyPilot sets; `num_nodes` and `resources.accelerators` count where the launcher in it gives no number.
 */
importer skypilot_import;

#endif
