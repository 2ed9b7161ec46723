/* Any bytes as a configuration of each program that src/import/foreign.c reads: no crash, no leak, bounded time. */
#include <stdint.h>

#include "src/import/args.h"
#include "src/import/carrier.h"
#include "src/import/foreign.h"
#include "src/import/python.h"
#include "src/text/text.h"
#include "tests/fuzz/importer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static importer *const readers[] = {neox_import, nemo_import, titan_import, foundry_import, olmo_import,
                                        llm_model_import,
                                        simumax_model_import, simumax_strategy_import, calculon_model_import,
                                        calculon_execution_import, verl_import, verl_sft_import, bridge_import,
                                        litgpt_import, nemo_rl_import, levanter_import, maxtext_import,
                                        primus_import, swift_megatron_import, python_import, kubernetes_import,
                                        mcli_import, skypilot_import, dstack_import};
    char *text = xstrndup((const char *)data, size); /* ends at a NUL, as file_read() refuses them */
    fuzz_importers(readers, sizeof readers / sizeof *readers, text);
    free(text);
    return 0;
}
