/* Any keys at any size: the screen survives, keeps to its bounds, and gives exactly its lines. */
#include "core/plan/plan.h"
#include "tests/fuzz/host.h"
#include "ui/ui.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- the screen ------------------------------------------------------------------------------------------------- */

struct drawn {
    int width, lines;
};

static void take_line(void *context, const char *line)
{
    struct drawn *drawn = context;
    int columns = 0;
    for (const char *p = line; *p; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            abort();
        columns += (*p & 0xc0) != 0x80; /* no wide characters here */
    }
    if (columns > drawn->width)
        abort();
    drawn->lines++;
}

/* A byte becomes a key; the most interesting ones have several. */
static void add_key(char *keys, size_t max, uint8_t byte)
{
    static const char *const tokens[] = {"UP",
                                         "DOWN",
                                         "LEFT",
                                         "RIGHT",
                                         "ENTER",
                                         "ESC",
                                         "TAB",
                                         "BTAB",
                                         "BSPACE",
                                         "PgUp",
                                         "PgDn",
                                         "Home",
                                         "End",
                                         "Del",
                                         "^L",
                                         "^R",
                                         "^U",
                                         "^D",
                                         "1",
                                         "2",
                                         "3",
                                         "5",
                                         "+",
                                         "-",
                                         "u",
                                         "b",
                                         "d",
                                         "e",
                                         "v",
                                         "z",
                                         "/",
                                         "#",
                                         "`mbs 2 tp 4`",
                                         ":",
                                         "?",
                                         "q",
                                         "y",
                                         "x",
                                         "T",
                                         "M",
                                         "g",
                                         "G",
                                         "<",
                                         ">",
                                         "M-+",
                                         "F1",
                                         "F2",
                                         "`set tp `",
                                         "`tp`",
                                         "`hidden_size`",
                                         "`layers`",
                                         "`load a`",
                                         "`explain activations_bytes`",
                                         "`8k`",
                                         "`64/pp`",
                                         "`0.5`",
                                         "`auto`",
                                         "`[1,2,3]`",
                                         "`=`",
                                         "`(`",
                                         "`99999999999999999999`",
                                         "`\xc3\xa9`",
                                         "`a`",
                                         "` `",
                                         "^S",
                                         "^O",
                                         "ENTER",
                                         "DOWN DOWN DOWN DOWN"};
    const char *token = tokens[byte % (sizeof tokens / sizeof *tokens)];
    size_t used = strlen(keys);
    if (used + strlen(token) + 2 < max)
        snprintf(keys + used, max - used, " %s", token);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct plan plan;
    char keys[2048] = "";
    if (size < 4)
        return 0;
    plan_clear(&plan);
    if (data[2] & 1) {
        static const struct {
            enum param id;
            double value;
        } shape[] = {
            {PARAM_model_num_layers, 32},    {PARAM_model_hidden_size, 4096}, {PARAM_model_num_attention_heads, 32},
            {PARAM_model_vocab_size, 32000}, {PARAM_train_seq_length, 4096},  {PARAM_hardware_gpus_per_node, 8},
            {PARAM_hardware_nodes, 4},       {PARAM_parallel_tp, 2},          {PARAM_parallel_pp, 2},
            {PARAM_hardware_usable_gib, 79}};
        for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
            plan.value[shape[i].id] = shape[i].value;
            plan.from[shape[i].id] = FROM_FILE;
        }
    }
    for (size_t i = 3; i < size && i < 100; i++)
        add_key(keys, sizeof keys, data[i]);
    struct drawn drawn = {.width = 1 + data[0]};
    struct ui_options options = {.plan = &plan,
                                 .keys = keys,
                                 .width = drawn.width,
                                 .height = 1 + data[1] % 80,
                                 .ascii = data[2] & 2,
                                 .present = data[2] & 4,
                                 .slow = data[2] & 8};
    ui_screen(&host, &options, take_line, &drawn);
    if (drawn.lines != options.height)
        abort();
    return 0;
}
