/* Runs a fuzz target without libFuzzer: on every input of its corpus, and on some changes of each. */
#include "tests/check.h"

#include <dirent.h>
#include <libgen.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Changed inputs in all, shared among those of the corpus; of each at most CHANGES. */
enum { CHANGED_MAX = 1500, CHANGES = 100, INPUT_MAX = 1 << 16 };

static const char *target;

static const char bytes[] = " \n[](){}:,.-+*/_\"'#&!kMG019eE%\\\xff"; /* its end too */

/* Flips, removes, repeats or overwrites a few bytes. */
static size_t change(struct check_random *random, uint8_t *data, size_t size)
{
    for (int i = check_below(random, 4); i >= 0 && size > 0; i--) {
        size_t at = (size_t)check_below(random, (int)size), n = 1 + (size_t)check_below(random, 16);
        n = n < size - at ? n : size - at;
        switch (check_below(random, 4)) {
        case 0:
            data[at] ^= (uint8_t)(1 << check_below(random, 8));
            break;
        case 1:
            memmove(data + at, data + at + n, size - at - n);
            size -= n;
            break;
        case 2:
            if (size + n <= INPUT_MAX) {
                memmove(data + at + n, data + at, size - at);
                size += n;
            }
            break;
        default:
            data[at] = (uint8_t)bytes[check_below(random, COUNT(bytes))];
        }
    }
    return size;
}

static void corpus_and_its_neighbours(void **state)
{
    (void)state;
    static uint8_t data[INPUT_MAX], copy[INPUT_MAX];
    char path[1024];
    int inputs = 0;
    struct dirent **entries;
    snprintf(path, sizeof path, "tests/fuzz/corpus/%s", target);
    int count = scandir(path, &entries, NULL, alphasort);
    int most = check_is_slow() ? CHANGED_MAX / 3 : CHANGED_MAX;
    int changes = count > 0 && most / count < CHANGES ? most / count : CHANGES;
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            snprintf(path, sizeof path, "tests/fuzz/corpus/%s/%s", target, entries[i]->d_name);
            FILE *file = fopen(path, "rb");
            assert_that(file, "cannot open %s", path);
            size_t size = fread(data, 1, sizeof data, file);
            fclose(file);
            LLVMFuzzerTestOneInput(data, size);
            struct check_random random = {(uint64_t)i};
            for (int j = 0; j < changes; j++) {
                memcpy(copy, data, size);
                size_t changed = change(&random, copy, size);
                uint8_t *exact = malloc(changed ? changed : 1); /* so that reading past the end is seen */
                assert_non_null(exact);
                memcpy(exact, copy, changed);
                LLVMFuzzerTestOneInput(exact, changed);
                free(exact);
            }
            inputs++;
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    assert_that(inputs > 0, "no inputs in tests/fuzz/corpus/%s", target);
}

int main(int argc, char **argv)
{
    (void)argc;
    target = basename(argv[0]) + strlen("replay_");
    const struct CMUnitTest tests[] = {{target, corpus_and_its_neighbours, NULL, NULL, NULL}};
    return cmocka_run_group_tests_name("fuzz", tests, NULL, NULL) != 0;
}
