/* Figures that comments state (src/text/comment.c). */
#include "tests/check.h"

#include "src/text/comment.h"

#include <math.h>

static void comments_of_figures_alone_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *method;
        double gpus, gib, seconds;
        int line;
    } rows[] = {
        {"# 8 * 65GiB, 80s/it\n", "full", 8, 65, 80, 1},
        {"#!/bin/bash\n#  16s/it; 8 x 65 GiB\n", "full", 8, 65, 16, 2},
        {"x=1\n  # 2.5 it/s\n", "lora", NAN, NAN, 0.4, 2},
        {"# full: 2 * 70GiB 0.5s/it\n# lora: 2 * 14GiB\n", "lora", 2, 14, NAN, 2},
        {"# 14.5GiB * 2\n", "full", 2, 14.5, NAN, 1},
        {"# 45 min\n# 8 * 65GiB. 80s/it; 2h\n", "full", 8, 65, 80, 2},
        {"# 14GiB * 2x\n", "full", NAN, NAN, NAN, 0},
        {"# 1024MiB\r\n", "none", NAN, 1, NAN, 1},
        {"# 8 x A100 80GB\n# 80GB GPUs\n# needs 22GiB\n# 3 * 4\nx=22GiB\n# 0 GiB\n# -1GiB\n", "full", NAN, NAN, NAN, 0},
        {"", "full", NAN, NAN, NAN, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct comment_figures figures;
        assert_int_equal(comment_read(rows[i].text, rows[i].method, &figures), rows[i].line > 0);
        const double is[] = {figures.gpus, figures.bytes / 0x1p30, figures.seconds};
        const double expected[] = {rows[i].gpus, rows[i].gib, rows[i].seconds};
        assert_int_equal(figures.line, rows[i].line);
        for (size_t k = 0; k < COUNT(is); k++)
            assert_that(is[k] == expected[k] || (isnan(is[k]) && isnan(expected[k])), "%s: %g, not %g", rows[i].text,
                        is[k], expected[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(comments_of_figures_alone_are_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
