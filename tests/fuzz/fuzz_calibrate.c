/*
 * Any bytes as measured runs, for both commands that read them: no crash, no leak; bad rows are listed, and the answer
 * is whole.
 */
#include "src/runs/calibrate.h"
#include "src/runs/validate.h"
#include "src/text/errors.h"
#include "src/text/text.h"
#include "tests/json.h"
#include "tests/scratch.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void calibrate(const char *path)
{
    struct buffer out = {0};
    struct errors errors = {0};
    int status = calibrate_run(
        &(struct calibrate_request){.files = &path, .file_count = 1, .out = &out, .errors = &errors});
    if ((status == 2) != errors_any(&errors) || (status == 2 && out.size > 0))
        abort();
    buffer_free(&out);
    errors_free(&errors);
}

static void validate(const char *path, uint8_t how)
{
    static const char *const groups[] = {NULL, "family", "source", "parallel.tp"};
    struct buffer out = {0};
    struct errors errors = {0};
    enum report_format format = (enum report_format)(how % 4);
    int status = validate_run(&(struct validate_request){.files = &path,
                                                         .file_count = 1,
                                                         .by = groups[how / 4 % 4],
                                                         .ranking = how & 16,
                                                         .ranges = (how & 96) == 96,
                                                         .report = {.format = format},
                                                         .out = &out,
                                                         .errors = &errors});
    while (format == REPORT_JSON && out.size > 0 && out.text[out.size - 1] == '\n')
        out.size--;
    if (status == 0 && format == REPORT_JSON && !json_is_valid(out.text, out.size))
        abort();
    buffer_free(&out);
    errors_free(&errors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    const char *path = scratch_put("runs.csv", data + 1, size - 1);
    if (data[0] & 128)
        calibrate(path);
    else
        validate(path, data[0]);
    return 0;
}
