/* src/import/slurm.h - the nodes of a Slurm cluster, as `scontrol show node` prints them, as hardware of a plan. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct errors;
struct import;

/** True for what `scontrol show node` prints, with or without `--oneliner`. */
bool slurm_recognise(const char *text);

/**
 * Reads Gres (or CfgTRES), RealMemory and State of each node (slurm.conf(5), gres.conf(5), scontrol(1) of Slurm 23.02):
 * nodes, GPUs on each, their type and the host's memory. Of several kinds of nodes the most frequent counts, nodes that
 * are down, drained or failing do not; both are remarked on. Returns 0, or -1 with a fault added where no node has a
 * GPU.
 */
int slurm_import(const char *text, size_t size, const char *name, struct import *out, struct errors *errors);
