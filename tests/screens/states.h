/* tests/screens/states.h - states of the screen that tests draw: a plan, keys and the sizes of golden screens. */
#pragma once

#include <stdbool.h>

#define L70 "tests/screens/plan.yaml"

#define MEGATRON_1T \
    "--model megatron-1t --gpu h100-sxm-80 --gpus 1024 --set tp=8 --set pp=128 --set sp=true --set seq_length=2048 "   \
    "--set global_batch_size=512"

/* A step of a lesson. */
#define STAGE0 ": `lesson pipeline` ENTER : `lesson stage0` ENTER "

/* Sizes of golden screens. */
enum { SMALL = 1 /* 80x24 */, MIDDLE = 2 /* 120x40 */, LARGE = 4 /* 200x60 */, ALL_SIZES = 7 };
static const struct {
    int width, height;
} golden_sizes[] = {{80, 24}, {120, 40}, {200, 60}};

static const struct state {
    const char *name, *plan; /* a file, a preset or, from "--" on, options of the command line */
    const char *keys;
    unsigned sizes; /* of its golden screens */
    bool is_slow;   /* takes too long to open for each of many sizes */
} states[] = {
    {"memory", L70, "1", ALL_SIZES, false},
    {"start", "--no-mouse", "", 0, false}, /* what it lists depends on the folder */
    {"time", L70, "t", ALL_SIZES, false},
    {"communication", L70, "2", ALL_SIZES, false},
    {"grid", L70, "3", ALL_SIZES, false},
    {"schedule", L70, "4", ALL_SIZES, false},
    {"layers", L70, "5", ALL_SIZES, false},
    {"estimators", L70, "E", SMALL | MIDDLE, false},
    {"palette", L70, "/ `rec`", SMALL, false},
    {"goal", L70, "/ `llama3-8b 4090 lora` ENTER", SMALL | MIDDLE, true},
    {"explain", L70, ": `explain memory.stages.0.activations_bytes` ENTER", SMALL | MIDDLE, false},
    {"diff", L70, "b - d", ALL_SIZES, false},
    {"messages", L70, "i", SMALL, false},
    {"legend", L70, "L", SMALL, false},
    {"keys", L70, "?", SMALL | MIDDLE, false},
    {"figures", L70, "0 RIGHT", SMALL, false},
    {"stages", L70, "1 w", SMALL | MIDDLE, false},
    {"presented", L70, ": present ENTER t", ALL_SIZES, false},
    {"serving", "llama3-8b-serving", "1", SMALL | LARGE, false},
    {"serving-time", "llama3-8b-serving", "t", SMALL | MIDDLE, false},
    {"script", "tests/scripts/gpt_2023.sh", "1", SMALL, false},
    {"script-messages", "tests/scripts/gpt_2023.sh", "i", SMALL, false},
    {"script-open", "tests/scripts/moe_slurm.sh", "i", SMALL | MIDDLE, false},
    {"16384-gpus", "llama3.1-405b-16k", "3 z", MIDDLE, false},
    {"16384-gpus-beside", "llama3.1-405b-16k", "3 H", MIDDLE, false},
    {"16384-gpus-opened", "llama3.1-405b-16k", "3 z Down ENTER", MIDDLE, false},
    {"16384-gpus-all", "llama3.1-405b-16k", "1", LARGE, false},
    {"experts-grid", "deepseek-v3-2048h800", "3", SMALL, false},
    {"tight", "tests/screens/tight.yaml", "1", SMALL, false},
    {"tight-messages", "tests/screens/tight.yaml", "i", SMALL, false},
    {"export", L70, "x", SMALL, false},
    {"themes", L70, "T", SMALL, false},
    {"quit", L70, "+ q", SMALL, false},
    {"form", L70, "Down", SMALL, false},
    {"layers-shapes", L70, "5 c", SMALL, false},
    {"layers-operations", L70, "5 c c", SMALL, false},
    {"layers-sorted", L70, "5 s s", SMALL, false},
    {"presenting", L70, ": present Enter +", SMALL, false},
    {"passes", L70, "4 v Down", SMALL, false},
    {"heat", L70, "3 H m", SMALL, false},
    {"units", L70, ": `settings units GB` ENTER 1", SMALL, false},
    {"saving", L70, "+ ^S", SMALL, false},
    {"lessons", L70, "C", SMALL, false},
    {"lesson", L70, STAGE0, SMALL | MIDDLE, false},
    {"lesson-schedule", L70, STAGE0 "4 ENTER", SMALL, false},
    {"lesson-traffic", L70, ": `lesson zero` ENTER : `lesson traffic` ENTER", SMALL, false},
    {"lesson-grid", L70, ": `lesson moe` ENTER : `lesson edp` ENTER", SMALL, false},
    {"lesson-task", L70, ": `lesson capstone-70b` ENTER : `lesson fit` ENTER", SMALL, false},
    {"lesson-present", L70, "F11 " STAGE0 "SPACE", SMALL, false},
    {"what-if", L70, "6", ALL_SIZES, true},
    {"changed", L70, "b - : `pp 8` ENTER : `explain time.iteration_s` ENTER c", SMALL | MIDDLE, true},
    {"baselines", L70, "b - : `pp 8` ENTER b + B", SMALL, true},
    {"time-passes", L70, ": `schedule zb-h1` ENTER t ENTER DOWN", SMALL | MIDDLE, true},
    {"sweep", L70, ": `sweep tp=1,2,4,8 pp=1..8` ENTER", ALL_SIZES, true},
    {"tuner", L70, "8", ALL_SIZES, true},
    {"invalid", L70, "Enter 6 Enter", SMALL, true},
    {"borrowed", "--model llama3.2-1b --gpus 1 --gpu gh200-96", ": `explain time.iteration_s` ENTER", LARGE, true},
    {"guess", "--model llama3-8b --gpus 8 --set pp=8 --set schedule=zb-h1 --set seq_length=8192", "t", LARGE, true},
    {"128-stages", MEGATRON_1T, "4 w", MIDDLE, true},
    {"128-stages-memory", MEGATRON_1T, "1", SMALL, true},
};
