/* Any bytes as the command or configuration of a server: no crash, no leak, a fault where refused. */
#include <stdint.h>

#include "src/import/carrier.h"
#include "src/import/charts.h"
#include "src/import/command.h"
#include "src/import/log_server.h"
#include "src/import/recognise.h"
#include "src/import/server.h"
#include "src/text/text.h"
#include "tests/fuzz/importer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = xstrndup((const char *)data, size); /* ends at a NUL, as file_read() refuses them */
    static importer *const readers[] = {server_import, command_import, kubernetes_import, log_server_import,
                                          charts_import};
    plan_recognise(text, strlen(text));
    fuzz_importers(readers, 5, text);
    free(text);
    return 0;
}
