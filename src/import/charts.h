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
 * Appends the vLLM flags that `spec` implies: those of its model (`uri`, `name`, `modelURL`), of `parallelism`
 * (`tensor`, `pipeline`, `data`, `expert`), and of its keys and those of `vllmConfig` in camel case (`maxModelLen`).
 */
void charts_put_flags(struct buffer *out, const struct node *spec);

/**
 * Values of llm-d (llm-d-modelservice: `modelArtifacts`, `decode`, `prefill`; llm-d-benchmark: `decode`,
 * `maxModelLen`), or of vLLM's production stack (`servingEngineSpec.modelSpec`).
 */
importer charts_import;

#endif
