/*
 * A plan near a valid one and any file of another program: what --patch makes of it is applied to files of the folder
 * alone, and what it leaves can be read again.
 */
#include "src/export/patch.h"
#include "tests/fuzz/plans.h"
#include "tests/scratch.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 2 + 2 * CHANGE };

/* The plan that a file says, with keys changed by bytes; false when it cannot be read. */
static bool read_plan(const char *path, struct plan *plan)
{
    struct errors errors = {0};
    struct plan_reading reading = {0};
    plan_clear(plan);
    bool is_read = plan_load(plan, path, &reading, &errors) == 0;
    plan_finish(plan);
    errors_free(&errors);
    return is_read;
}

/* Writes what changes; every file is one of the folder's. */
static void apply(const struct patch *patch)
{
    for (size_t i = 0; i < patch->file.count; i++) {
        const char *path = patch->file.item[i].key;
        if (strncmp(path, scratch_folder, strlen(scratch_folder)) != 0)
            abort();
        scratch_put(strrchr(path, '/') + 1, patch->file.item[i].value, strlen(patch->file.item[i].value));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD)
        return 0;
    static const char *const names[] = {"train.sh", "train.yaml", "ds_config.json", "train.toml"};
    const char *file = scratch_put(names[data[0] % COUNT(names)], data + HEAD, size - HEAD);
    struct plan wanted;
    struct patch patch;
    struct errors errors = {0};
    if (!read_plan(file, &wanted)) {
        unlink(file);
        return 0;
    }
    change_all(&wanted, data + 2, HEAD - 2);
    const struct patch_ask ask = {.wanted = &wanted, .file = &file, .files = 1, .target = file};
    if (patch_make(&ask, &patch, &errors) == 0) {
        struct plan again;
        apply(&patch);
        if (!read_plan(file, &again))
            abort();
    } else if (!errors_any(&errors)) {
        abort();
    }
    patch_free(&patch);
    errors_free(&errors);
    unlink(file);
    return 0;
}
