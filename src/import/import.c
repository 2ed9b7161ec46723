#include "src/import/import.h"

void import_free(struct import *import)
{
    keyvals_free(&import->settings);
    keyvals_free(&import->defaults);
    keyvals_free(&import->unused);
}
