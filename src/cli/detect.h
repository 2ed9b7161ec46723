/* src/cli/detect.h - which GPUs this machine has, for `--gpu auto`. */
#pragma once

enum { DETECT_NAME_MAX = 128 };

/** What was found: the maker's name of the device, how many there are, and who said so. */
struct detected {
    char name[DETECT_NAME_MAX];
    int count;
    const char *by; /* "nvidia-smi", "/proc/driver/nvidia" or "rocm-smi"; NULL when nothing was found */
};

/**
 * Asks nvidia-smi, the NVIDIA driver's files in /proc and rocm-smi, in this order, until one names a GPU; the programs
 * are looked for in $PATH and get no input. Devices that differ from the first are not counted.
 */
struct detected detect_gpus(void);
