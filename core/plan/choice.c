#include "core/plan/choice.h"

#define KIND(name)
#define CHOICE(...)
#define OPTIMIZER(id, word, help, ...) [id] = FACTS(__VA_ARGS__, )
#define FACTS(moments, is_8bit, is_paged, update_bytes, ...) {moments, is_8bit, is_paged, update_bytes},
#define FABRIC(...)
#define AS(dialect, words)
#define END(name, count)
const struct optimizer_facts optimizer_facts[] = {
#include "core/plan/choice.def"
};

#define KIND(name)
#define CHOICE(...)
#define OPTIMIZER(...)
#define FABRIC(id, word_, help_, rate_, exchange_, start_, node_, exchange_us_, exchange_node_, link_, slow_, source_) \
    [id] = {.rate = rate_, .exchange = exchange_, .start_us = start_, .node_us = node_, .exchange_us = exchange_us_,   \
            .exchange_node_us = exchange_node_, .link_bytes = link_, .slow = slow_, .word = word_, .help = help_,      \
            .source = source_},
#define AS(dialect, words)
#define END(name, count)
const struct fabric_facts fabric_facts[] = {
#include "core/plan/choice.def"
};
