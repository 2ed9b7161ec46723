/* core/search/balance.h - layers of several kinds cut into stages by the time that they take. */
#ifndef SHARDTOP_CORE_SEARCH_BALANCE_H
#define SHARDTOP_CORE_SEARCH_BALANCE_H

struct plan;
struct pipeline_layout;

/**
 * Cuts the layers of a plan with model.layer_pattern into `stages` stages whose slowest takes least, embedding, output
 * layer and multi-token prediction included. Returns 0, or -1 where there is no pattern or there are fewer layers.
 */
int balance_layers(const struct plan *plan, int stages, struct pipeline_layout *out);

#endif
