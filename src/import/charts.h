/*
 * src/import/charts.h - what describes a server without being its command: values of llm-d's and the production stack's
 * Helm charts, and KServe's LLMInferenceService.
 */
#pragma once

#include "src/import/recognise.h"

struct buffer;
struct node;

/** Whether a mapping describes a server: KServe's LLMInferenceService, or VLLMRuntime of vLLM's production stack. */
bool charts_is_server(const struct node *spec);

/** Nodes of `each` GPUs that its `parallelism` (`tensor`, `pipeline`, `data`) and `replicas` need; 0 where one does. */
double charts_nodes(const struct node *spec, int each);

/**
 * Appends the vLLM flags that `spec` implies: those of its model (`uri`, `name`, `modelURL`), of `parallelism`
 * (`tensor`, `pipeline`, `data`, `expert`), of its keys and those of `model` and `vllmConfig` in camel case
 * (`maxModelLen`), and of the variable VLLM_ADDITIONAL_ARGS of its container.
 */
void charts_put_flags(struct buffer *out, const struct node *spec);

/**
 * Values of llm-d (llm-d-modelservice: `modelArtifacts`, `decode`, `prefill`; llm-d-benchmark: `decode`,
 * `maxModelLen`, or scenarios of them), or of vLLM's production stack (`servingEngineSpec.modelSpec`).
 */
importer charts_import;
