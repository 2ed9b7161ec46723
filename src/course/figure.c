#include "src/course/figure.h"

#include <ctype.h>
#include <string.h>

/*
 * Figures by view: their names, the roots of the paths that they show, and the words that a text about them has. Times
 * are beneath each figure, in the waterfall.
 */
static const struct {
    const char *name, *roots, *words;
} figures[LESSON_VIEW_COUNT] = {
    [LESSON_VIEW_MEMORY] = {"memory", " memory ",
                            " gib gb memory fit fits weights gradient gradients optimizer states activation "
                            "activations W G O A cache bytes byte buffers allocated device moments "},
    [LESSON_VIEW_COMMUNICATION] = {"traffic", " communication ",
                                   " traffic send sends sent comm all-to-all all-to-alls all-gather all-gathers "
                                   "all-reduce all-reduces reduce-scatter reduce-scatters gather gathers message "
                                   "messages ring link links network collectives "},
    [LESSON_VIEW_GRID] = {"devices", " grid communication ",
                          " node nodes gpu gpus rank ranks group groups nvlink network replica replicas "},
    [LESSON_VIEW_SCHEDULE] = {"schedule", " memory ",
                              " bubble pipeline schedule micro-batch micro-batches forward forwards backward stage "
                              "stages interleaving dualpipe chunks flight gpipe "},
    [LESSON_VIEW_LAYERS] = {"layers", " layers ",
                            " operator operators matrix matrices layer layers shape shapes flops gemm gemms parameters "
                            "heads attention norms mixer "},
    [LESSON_VIEW_TIME] = {"waterfall", " time training ",
                          " s ms iteration it time seconds mfu hfu faster slower fast slow compute computing exposed "
                          "bubble flops days hours traffic "},
    [LESSON_VIEW_SERVING] = {"serving", " serving memory ",
                             " token tokens cache prompt prompts batch latency decode prefill weights "},
    [LESSON_VIEW_SWEEP] = {"map", " sweep ", " map layout layouts tp pp sweep combinations curve grows falls against "},
    [LESSON_VIEW_ESTIMATORS] = {"estimators", " memory ",
                                " estimator estimators report estimate analysis llm-analysis published "},
};

/* True when a list with a blank around each word has this one. */
static bool has_word(const char *list, const char *word, size_t size)
{
    for (const char *at = strchr(list, ' '); at && at[1]; at = strchr(at + 1, ' '))
        if (strncmp(at + 1, word, size) == 0 && at[1 + size] == ' ')
            return true;
    return false;
}

enum lesson_view figure_named(const char *name)
{
    if (strcmp(name, "curve") == 0) /* a map of one key */
        return LESSON_VIEW_SWEEP;
    for (int i = 0; i < LESSON_VIEW_COUNT; i++)
        if (strcmp(figures[i].name, name) == 0)
            return (enum lesson_view)i;
    return LESSON_VIEW_AS_IT_IS;
}

const char *figure_name(enum lesson_view view)
{
    return view == LESSON_VIEW_AS_IT_IS ? "" : figures[view].name;
}

enum lesson_view figure_of_path(const char *path)
{
    size_t root = strcspn(path, ".[");
    for (int i = 0; i < LESSON_VIEW_COUNT && path[root]; i++)
        if (has_word(figures[i].roots, path, root))
            return (enum lesson_view)i;
    return LESSON_VIEW_AS_IT_IS;
}

bool figure_has_path(enum lesson_view view, const char *path)
{
    enum lesson_view own = figure_of_path(path);
    return view == LESSON_VIEW_AS_IT_IS || own == LESSON_VIEW_AS_IT_IS || own == LESSON_VIEW_TIME ||
           has_word(figures[view].roots, path, strcspn(path, ".["));
}

bool figure_has_word(enum lesson_view view, const char *text)
{
    enum { WORD_MAX = 32 };
    while (*text && view != LESSON_VIEW_AS_IT_IS) {
        char word[WORD_MAX];
        size_t n = 0;
        for (; isalpha((unsigned char)*text) || (n > 0 && *text == '-'); text++)
            if (n < WORD_MAX)
                word[n++] = *text;
        for (size_t i = 0; i < n && n > 1; i++) /* one letter names a part of memory, or is an article */
            word[i] = (char)tolower((unsigned char)word[i]);
        if (n > 0 && n < WORD_MAX && has_word(figures[view].words, word, n))
            return true;
        text += *text && n == 0;
    }
    return view == LESSON_VIEW_AS_IT_IS;
}
