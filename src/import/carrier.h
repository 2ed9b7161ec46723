/*
 * src/import/carrier.h - files that carry a script or a configuration: SkyPilot's tasks, MosaicML's runs, Kubernetes'
 * objects.
 */
#pragma once

#include "src/import/recognise.h"

struct keyvals;

/**
 * A SkyPilot task (sky/task.py, documented as the task YAML): its `run` is read as a script with the variables of
 * `envs` and those that SkyPilot sets; `num_nodes` and `resources.accelerators` count where the launcher in it gives no
 * number.
 */
importer skypilot_import;

/** A dstack task: its `commands` as a script with the variables of `env`; `nodes` and `resources.gpu` likewise. */
importer dstack_import;

/** The record of a run: the command that it names, or what Weights & Biases keeps (wandb-metadata.json). */
importer record_import;

/** A MosaicML run: what stands below its `parameters` as an llm-foundry configuration, and the GPUs of `compute`. */
importer mcli_import;

/**
 * Kubernetes objects: the command of the first container with GPUs as a script, with its variables and the files of a
 * ConfigMap beside it; counts and limits count where the launcher gives no number (src/import/kubernetes.c). Without a
 * command, the first file of a ConfigMap that configures a run.
 */
importer kubernetes_import;

/** What a carrier tells of the script inside. */
struct carried {
    const char *script;        /* its text */
    const struct keyvals *env; /* variables, the last of several counts */
    int nodes, each;           /* GPUs of a node; 0: not told */
    const char *device;        /* NULL: not told */
};

/** Reads the script of a carrier into the import. Returns 0, or -1 with a fault added. */
int carrier_read(const struct carried *carried, const char *name, struct import *out, struct errors *errors);
