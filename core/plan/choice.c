#include "core/plan/choice.h"

#define KIND(name)
#define CHOICE(...)
#define OPTIMIZER(id, word, help, ...) [id] = FACTS(__VA_ARGS__, )
#define FACTS(moments, is_8bit, is_paged, update_bytes, ...) {moments, is_8bit, is_paged, update_bytes},
#define AS(dialect, words)
#define END(name, count)
const struct optimizer_facts optimizer_facts[] = {
#include "core/plan/choice.def"
};
