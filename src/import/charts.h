/*
 * src/import/charts.h - what describes a server without being its command: values of llm-d's and the production stack's
 * Helm charts, and KServe's LLMInferenceService.
 */
#ifndef SHARDTOP_SRC_IMPORT_CHARTS_H
#define SHARDTOP_SRC_IMPORT_CHARTS_H

#include "src/import/recognise.h"

struct buffer;
struct node;

/**
 * Appends the flags that a specification stands for: its model (`uri`, `name`, `modelURL`), `parallelism` (`tensor`,
 * `pipeline`, `data`, `expert`), and what stands in camel case (`maxModelLen`) in it and in `vllmConfig`.
 */
void charts_put_flags(struct buffer *out, const struct node *spec);

/**
 * Values of llm-d (llm-d-modelservice: `modelArtifacts`, `decode`, `prefill`; llm-d-benchmark: `decode`,
 * `maxModelLen`), or of vLLM's production stack (`servingEngineSpec.modelSpec`).
 */
importer charts_import;

#endif
