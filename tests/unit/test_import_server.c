/* Commands and configurations of serving engines, and the commands that are exported. */
#include "tests/unit/import_check.h"

#include "src/export/export.h"
#include "src/import/recognise.h"
#include "src/plan/plan_io.h"

static struct outcome read_text(const char *text)
{
    struct import import = {0};
    struct errors errors = {0};
    enum plan_kind kind = plan_recognise(text, strlen(text));
    assert_that(formats[kind].read, "nothing reads: %s", text);
    int result = formats[kind].read(text, strlen(text), "f", &import, &errors);
    return outcome_of(result, &import, &errors);
}

static const struct {
    const char *text, *settings, *unused;
} cases[] = {
    {"vllm serve meta-llama/Llama-3.1-70B-Instruct-FP8 -tp 2 --max-model-len 32K --max_num_seqs=256 "
     "--kv-cache-dtype fp8 --port 8000 --enforce-eager\n",
     "model=meta-llama/Llama-3.1-70B-Instruct-FP8\nserve.weight_dtype=fp8\nparallel.tp=2\nserve.max_model_len=32768\n"
     "serve.max_num_seqs=256\nserve.kv_dtype=fp8\nserve.enforce_eager=true\nworkload=inference\nserve.engine=vllm\n"
     "- hardware.gpus_per_node=2\n- hardware.nodes=1\n",
     "port"},
    {"python -m vllm.entrypoints.openai.api_server --model Qwen/Qwen3-8B --max-model-len auto -dp 4 -ep "
     "--speculative-config '{\"method\": \"mtp\", \"num_speculative_tokens\": 2}'\n",
     "model=Qwen/Qwen3-8B\nparallel.dp=4\nserve.spec_tokens=2\nserve.attention_dp=true\nworkload=inference\n"
     "serve.engine=vllm\nparallel.ep=4\n"
     "- hardware.gpus_per_node=4\n- hardware.nodes=1\n",
     ""},
    {"python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 16 --mem-fraction-static 0.85 "
     "--chunked-prefill-size -1\n",
     "model=Qwen/Qwen3-8B\nparallel.tp=16\nserve.memory_share=0.85\nworkload=inference\nserve.engine=sglang\n"
     "- hardware.gpus_per_node=8\n- hardware.nodes=2\n",
     ""},
    {"trtllm-serve serve Qwen/Qwen3-8B --tp_size 2 --max_batch_size 128 --kv_cache_free_gpu_memory_fraction 0.8\n",
     "model=Qwen/Qwen3-8B\nparallel.tp=2\nserve.max_num_seqs=128\nserve.memory_share=0.8\nworkload=inference\n"
     "serve.engine=trtllm\n- hardware.gpus_per_node=2\n- hardware.nodes=1\n",
     ""},
    {"vllm serve Qwen/Qwen3-8B --kv-cache-memory-bytes 20G --num-gpu-blocks-override 4096\n",
     "model=Qwen/Qwen3-8B\nserve.kv_cache_memory_bytes=21474836480\nserve.num_gpu_blocks=4096\nworkload=inference\n"
     "serve.engine=vllm\n- hardware.gpus_per_node=1\n- hardware.nodes=1\n",
     ""},
    {"python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B --max-total-tokens 65536\n",
     "model=Qwen/Qwen3-8B\nserve.max_total_tokens=65536\nworkload=inference\nserve.engine=sglang\n"
     "- hardware.gpus_per_node=1\n- hardware.nodes=1\n",
     ""},
    {"model: Qwen/Qwen3-8B\ntensor-parallel-size: 4\nmax-model-len: 8192\nseed: 1\n",
     "model=Qwen/Qwen3-8B\nparallel.tp=4\nserve.max_model_len=8192\nworkload=inference\nserve.engine=vllm\n"
     "- hardware.gpus_per_node=4\n- hardware.nodes=1\n",
     "seed"},
    {"(APIServer pid=1) INFO vLLM API server version 0.11.0\n"
     "(APIServer pid=1) INFO non-default args: {'model': 'Qwen/Qwen3-8B', 'max_model_len': 8192, 'port': 1, "
     "'enforce_eager': True, 'quantization': None, 'seed': 0}\n",
     "model=Qwen/Qwen3-8B\nserve.max_model_len=8192\nserve.enforce_eager=true\nworkload=inference\n"
     "serve.engine=vllm\nserve.engine_version=0.11.0\n- hardware.gpus_per_node=1\n- hardware.nodes=1\n",
     "port seed"},
    /* logs without arguments: the engine's configuration, of which only flags are settings */
    {"INFO llm_engine.py:234] Initializing a V0 LLM engine (v0.6.4.post2) with config: "
     "model='/h/hub/models--Qwen--Qwen3-8B/snapshots/27dc', speculative_config=None, seed=0, "
     "dtype=torch.float16, max_seq_len=2048, tensor_parallel_size=2, decoding_config=DecodingConfig(a='x'), "
     "enforce_eager=True, kv_cache_dtype=auto,\n",
     "model=Qwen/Qwen3-8B\nserve.max_model_len=2048\nparallel.tp=2\n"
     "serve.enforce_eager=true\nserve.weight_dtype=fp16\nworkload=inference\nserve.engine=vllm\n"
     "serve.engine_version=0.6.4\n"
     "- hardware.gpus_per_node=2\n- hardware.nodes=1\n",
     ""},
    {"INFO Initializing a V0 LLM engine (v0.8.5) with config: model='Qwen/Qwen3-8B', max_seq_len=2048)\n"
     "INFO the current vLLM instance can use total_gpu_memory (14.56GiB) x gpu_memory_utilization (0.50) = 7.28GiB\n",
     "model=Qwen/Qwen3-8B\nserve.max_model_len=2048\nworkload=inference\nserve.engine=vllm\n"
     "serve.engine_version=0.8.5\nserve.memory_share=0.50\nhardware.usable_gib=14.56\n"
     "- hardware.gpus_per_node=1\n- hardware.nodes=1\n",
     ""},
    {"[2025-12-01] server_args=ServerArgs(model_path='Qwen/Qwen3-32B', tp_size=2, mem_fraction_static=0.88, "
     "disable_cuda_graph=False, constrained_json_whitespace_pattern='{\"a\": [1, 2]}', quantization=None)\n",
     "model=Qwen/Qwen3-32B\nparallel.tp=2\nserve.memory_share=0.88\nserve.enforce_eager=false\nworkload=inference\n"
     "serve.engine=sglang\n- hardware.gpus_per_node=2\n- hardware.nodes=1\n",
     "constrained-json-whitespace-pattern"},
    {"INFO non-default args: {'model': 'Qwen/Qwen3-8B', 'a': [1, 2], 'b': ]}\n",
     "model=Qwen/Qwen3-8B\nworkload=inference\nserve.engine=vllm\n- hardware.gpus_per_node=1\n- hardware.nodes=1\n",
     "a"},
    {"docker run --rm --gpus all -v a:/root -e TOKEN=x vllm/vllm-openai:v0.11.0 --model Qwen/Qwen3-8B -tp 2\n",
     "serve.engine_version=0.11.0\nmodel=Qwen/Qwen3-8B\nparallel.tp=2\nworkload=inference\nserve.engine=vllm\n"
     "- hardware.gpus_per_node=2\n- hardware.nodes=1\n",
     ""},
    {"docker run --gpus all lmsysorg/sglang:v0.5.6 python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B\n",
     "serve.engine_version=0.5.6\nmodel=Qwen/Qwen3-8B\nworkload=inference\nserve.engine=sglang\n"
     "- hardware.gpus_per_node=1\n- hardware.nodes=1\n",
     ""},
    /* attention of SGLang and TensorRT-LLM is data-parallel within tp; requests and tokens are those of all ranks */
    {"sglang serve --model-path Qwen/Qwen3-8B --tp 16 --dp 8 --enable-dp-attention --max-running-requests 256 "
     "--chunked-prefill-size 16384\n",
     "model=Qwen/Qwen3-8B\nserve.attention_dp=true\nparallel.tp=2\nparallel.dp=8\nserve.max_num_seqs=32\n"
     "serve.max_num_batched_tokens=2048\nworkload=inference\nserve.engine=sglang\n"
     "- hardware.gpus_per_node=8\n- hardware.nodes=2\n",
     ""},
    {"cat > extra.yml <<EOF\nenable_attention_dp: true\nkv_cache_config:\n  dtype: fp8\n"
     "  free_gpu_memory_fraction: 0.85\ncuda_graph_config:\n  max_batch_size: 512\nEOF\n"
     "trtllm-serve Qwen/Qwen3-8B --tp_size 4 --max_batch_size 128 --extra_llm_api_options extra.yml\n",
     "model=Qwen/Qwen3-8B\nserve.max_num_seqs=128\nserve.attention_dp=true\nserve.kv_dtype=fp8\n"
     "serve.memory_share=0.85\nparallel.tp=1\nparallel.dp=4\nworkload=inference\n"
     "serve.engine=trtllm\n- hardware.gpus_per_node=4\n- hardware.nodes=1\n",
     "extra-llm-api-options cuda_graph_config.max_batch_size"},
    /* the same file alone, null for no graphs; a group's members do not pass for flags of their names */
    {"model: Qwen/Qwen3-8B\ntensor_parallel_size: 4\nmax_num_tokens: 3200\nenable_attention_dp: false\n"
     "moe_config:\n  max_num_tokens: 32768\nkv_cache_config:\n  tokens_per_block: 64\n  max_tokens: 65536\n"
     "cuda_graph_config: null\nspeculative_config:\n  decoding_type: MTP\n",
     "model=Qwen/Qwen3-8B\nparallel.tp=4\nserve.max_num_batched_tokens=3200\nserve.attention_dp=false\n"
     "serve.kv_block_size=64\nserve.max_total_tokens=65536\nserve.enforce_eager=true\nserve.spec_tokens=1\n"
     "workload=inference\nserve.engine=trtllm\n- hardware.gpus_per_node=4\n- hardware.nodes=1\n",
     "moe_config.max_num_tokens"},
    /* servers apart: the plan is that of those that decode */
    {"model: Qwen/Qwen3-8B\ncontext_servers:\n  tensor_parallel_size: 2\ngeneration_servers:\n"
     "  tensor_parallel_size: 4\n  kv_cache_config:\n    free_gpu_memory_fraction: 0.7\n",
     "model=Qwen/Qwen3-8B\nparallel.tp=4\nserve.memory_share=0.7\nworkload=inference\nserve.engine=trtllm\n"
     "- hardware.gpus_per_node=4\n- hardware.nodes=1\n",
     "context_servers.tensor_parallel_size"},
    {"python3 -m dynamo.vllm --model Qwen/Qwen3-8B --max-model-len 8192\n",
     "model=Qwen/Qwen3-8B\nserve.max_model_len=8192\nworkload=inference\nserve.engine=vllm\n"
     "- hardware.gpus_per_node=1\n- hardware.nodes=1\n",
     ""},
    {"model:\n  path: qwen\n  container: vllm/vllm-openai:v0.21.0\n  precision: fp4\nidentity:\n  model:\n"
     "    repo: Qwen/Qwen3-8B\nresources:\n  gpu_type: gb300\n  gpus_per_node: 4\n  decode_workers: 2\nbackend:\n"
     "  vllm_config:\n    prefill:\n      tensor-parallel-size: 4\n    decode:\n      data-parallel-size: 8\n"
     "      enable-expert-parallel: true\n      max-num-seqs: 64\n",
     "parallel.dp=8\nserve.max_num_seqs=64\nmodel=Qwen/Qwen3-8B\nserve.engine_version=0.21.0\n"
     "serve.weight_dtype=nvfp4\nserve.attention_dp=true\nworkload=inference\nserve.engine=vllm\nparallel.ep=8\n"
     "hardware.gpus_per_node=4\nhardware.nodes=2\n- hardware.gpus_per_node=8\n- hardware.nodes=1\n",
     ""},
    /* of quantised weights the compute type tells nothing; the checkpoint's name may */
    {"vllm serve x/qwen3-8b-autoround-int4 -q auto_round --dtype float16\n",
     "model=x/qwen3-8b-autoround-int4\nserve.weight_dtype=w4a16\nworkload=inference\nserve.engine=vllm\n"
     "- hardware.gpus_per_node=1\n- hardware.nodes=1\n",
     ""},
    /* a script that an entry point starts with the command's words, whose names are not commands */
    {"services:\n  a:\n    image: ${IMAGE:-vllm/vllm-openai:v0.19.1}\n    entrypoint:\n      - bash\n"
     "      - -c\n      - |\n"
     "        N=\"$${SPEC_N:-3}\"\n        exec vllm serve --max-num-seqs $$N \"$$@\"\n      - --\n"
     "    command: [--model, Qwen/Qwen3-8B, --served-model-name, q, --max-model-len, '8192']\n",
     "serve.max_num_seqs=3\nmodel=Qwen/Qwen3-8B\nserve.max_model_len=8192\nworkload=inference\nserve.engine=vllm\n"
     "serve.engine_version=0.19.1\n- hardware.gpus_per_node=1\n- hardware.nodes=1\n",
     "served-model-name"},
    {"services:\n  a:\n    image: vllm/vllm-openai:v0.19.1\n"
     "    command: [--served-model-name, q, --model, Qwen/Qwen3-8B]\n",
     "model=Qwen/Qwen3-8B\nworkload=inference\nserve.engine=vllm\nserve.engine_version=0.19.1\n"
     "- hardware.gpus_per_node=1\n- hardware.nodes=1\n",
     "served-model-name"},
    /* a backend of dispatch spreads the experts over all ranks of tp */
    {"python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 16 --dp 4 --enable-dp-attention "
     "--moe-a2a-backend deepep\n",
     "model=Qwen/Qwen3-8B\nserve.attention_dp=true\nparallel.tp=4\nparallel.dp=4\nworkload=inference\n"
     "serve.engine=sglang\nparallel.ep=16\n- hardware.gpus_per_node=8\n- hardware.nodes=2\n",
     ""},
    /* beginnings of flags, settings of settings, what a template fills in, a prompt before the command */
    {"$ VLLM_RPC_TIMEOUT=1 vllm serve Qwen/Qwen3-8B --tensor-parallel 2 --max-num-seq 64 --max-model-len '{{ .n }}' "
     "--limit-mm-per-prompt.image 0 --speculative-config.num_speculative_tokens 3 --block-size ''\n",
     "model=Qwen/Qwen3-8B\nparallel.tp=2\nserve.max_num_seqs=64\nserve.image_tokens=0\nserve.spec_tokens=3\n"
     "workload=inference\nserve.engine=vllm\n- hardware.gpus_per_node=2\n- hardware.nodes=1\n",
     ""},
    /* LMCache's images have versions of their own */
    {"docker run lmcache/vllm-openai:v0.3.9 --model Qwen/Qwen3-8B --max-model-len 8192\n",
     "model=Qwen/Qwen3-8B\nserve.max_model_len=8192\nworkload=inference\nserve.engine=vllm\n"
     "- hardware.gpus_per_node=1\n- hardware.nodes=1\n",
     ""},
    /* what no key has is asked where it decides memory; weights on the host leave more for the cache */
    {"vllm serve Qwen/Qwen3-8B --cpu-offload-gb 10 --max-loras 1 --decode-context-parallel-size 1 --port 1\n",
     "model=Qwen/Qwen3-8B\nserve.other_gib=-10\nworkload=inference\nserve.engine=vllm\n"
     "- hardware.gpus_per_node=1\n- hardware.nodes=1\n",
     "max-loras decode-context-parallel-size port"},
    /* flags count more than the file of vLLM */
    {"cat > c.yaml <<EOF\nmodel: Qwen/Qwen3-8B\nmax-model-len: 8192\nmax-num-seqs: 64\nEOF\n"
     "vllm serve --config c.yaml --max-num-seqs 32\n",
     "model=Qwen/Qwen3-8B\nserve.max_model_len=8192\nserve.max_num_seqs=32\n"
     "workload=inference\nserve.engine=vllm\n- hardware.gpus_per_node=1\n- hardware.nodes=1\n",
     "config"},
    {"services:\n  a:\n    image: vllm/vllm-openai:v0.19.1\n"
     "    command: --model Qwen/Qwen3-8B --max-model-len 8192\nvolumes: {}\n",
     "model=Qwen/Qwen3-8B\nserve.max_model_len=8192\nworkload=inference\nserve.engine=vllm\n"
     "serve.engine_version=0.19.1\n"
     "- hardware.gpus_per_node=1\n- hardware.nodes=1\n",
     ""},
    {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {MAX_LEN: '64', SEQS: '9'}\n---\napiVersion: v1\n"
     "kind: Pod\nspec:\n  containers:\n  - image: vllm/vllm-tpu\n    command: [python3, -m, "
     "vllm.entrypoints.openai.api_server]\n"
     "    args: [--model, Qwen/Qwen3-8B, --max-model-len, $(LEN), --max-num-seqs, $(SEQS)]\n"
     "    env: [{name: LEN, valueFrom: {configMapKeyRef: {name: c, key: MAX_LEN}}}]\n"
     "    envFrom: [{configMapRef: {name: c}}]\n",
     "model=Qwen/Qwen3-8B\nserve.max_model_len=64\nserve.max_num_seqs=9\nworkload=inference\nserve.engine=vllm\n"
     "- hardware.gpus_per_node=1\n- hardware.nodes=1\n",
     ""},
    {"apiVersion: apps/v1\nkind: Deployment\nspec:\n  replicas: 2\n  template:\n    spec:\n      containers:\n"
     "      - image: vllm/vllm-openai:v0.11.0\n        args: [\"--model\", \"Qwen/Qwen3-8B\", "
     "\"--tensor-parallel-size\", \"2\"]\n"
     "        resources: {limits: {nvidia.com/gpu: \"2\"}}\n",
     "model=Qwen/Qwen3-8B\nparallel.tp=2\nworkload=inference\nserve.engine=vllm\nhardware.nodes=2\n"
     "hardware.gpus_per_node=2\n"
     "serve.engine_version=0.11.0\n- hardware.gpus_per_node=2\n- hardware.nodes=1\n",
     ""},
};

static void servers_are_read_wherever_they_are_started(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct outcome out = read_text(cases[i].text);
        assert_that(strcmp(out.settings, cases[i].settings) == 0, "%s\n%s\n%s", cases[i].text, out.settings,
                    out.messages);
        assert_string_equal(out.unused, cases[i].unused);
        outcome_free(&out);
    }
}

/* What stands for a server without being its command: charts' values and KServe's objects. */
static const struct {
    const char *text, *settings[6];
} described[] = {
    {"servingEngineSpec:\n  modelSpec:\n  - name: a\n    tag: v0.9.2\n    modelURL: meta-llama/Llama-3.1-8B-Instruct\n"
     "    replicaCount: 2\n    requestGPU: 4\n    vllmConfig:\n      tensorParallelSize: 4\n      maxModelLen: 16384\n"
     "      extraArgs: [--disable-log-requests, --max-num-seqs, '64']\n",
     {"model=meta-llama/Llama-3.1-8B-Instruct\n", "parallel.tp=4\n", "serve.max_model_len=16384\n",
      "serve.max_num_seqs=64\n", "hardware.nodes=2\n", "serve.engine_version=0.9.2\n"}},
    {"modelArtifacts:\n  uri: hf://Qwen/Qwen3-32B\ndecode:\n  replicas: 1\n  parallelism:\n    tensor: 2\n"
     "  containers:\n  - image: vllm/vllm-openai:v0.11.0\n    args:\n    - --max-model-len\n    - '16384'\n"
     "    - --gpu-memory-utilization=0.95\nprefill:\n  replicas: 4\n",
     {"model=Qwen/Qwen3-32B\n", "parallel.tp=2\n", "serve.max_model_len=16384\n", "serve.memory_share=0.95\n",
      "serve.engine_version=0.11.0\n", "serve.engine=vllm\n"}},
    {"apiVersion: serving.kserve.io/v1alpha1\nkind: LLMInferenceService\nspec:\n  model:\n"
     "    uri: hf://Qwen/Qwen3-32B\n  replicas: 2\n  parallelism: {tensor: 4, pipeline: 1}\n  template:\n"
     "    containers:\n    - name: main\n      image: vllm/vllm-openai:v0.11.0\n      args: [--max-model-len=8192]\n"
     "      resources: {limits: {nvidia.com/gpu: 4}}\n",
     {"model=Qwen/Qwen3-32B\n", "parallel.tp=4\n", "parallel.pp=1\n", "serve.max_model_len=8192\n",
      "hardware.nodes=2\n", "hardware.gpus_per_node=4\n"}},
    {"apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nspec:\n  predictor:\n    model:\n"
     "      modelFormat: {name: huggingface}\n      args: [--model_name=q, --model_id=Qwen/Qwen3-8B, "
     "--tensor-parallel-size=2]\n      resources: {limits: {nvidia.com/gpu: 2}}\n",
     {"model=Qwen/Qwen3-8B\n", "parallel.tp=2\n", "hardware.gpus_per_node=2\n", "serve.engine=vllm\n"}},
    {"apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nspec:\n  replicas: 1\n"
     "  leaderWorkerTemplate:\n    size: 2\n    leaderTemplate:\n      spec:\n        containers:\n"
     "        - image: vllm/vllm-openai:v0.10.1\n          command: [sh, -c, 'bash x.sh leader; "
     "vllm serve Qwen/Qwen3-8B -tp 8 -pp 2']\n          resources: {limits: {nvidia.com/gpu: 8}}\n"
     "    workerTemplate:\n      spec:\n        containers:\n        - command: [sh, -c, bash x.sh worker]\n"
     "          resources: {limits: {nvidia.com/gpu: 8}}\n",
     {"model=Qwen/Qwen3-8B\n", "parallel.tp=8\n", "parallel.pp=2\n", "hardware.nodes=2\n",
      "hardware.gpus_per_node=8\n", "serve.engine_version=0.10.1\n"}},
    {"apiVersion: serving.kserve.io/v1alpha2\nkind: LLMInferenceService\nspec:\n  model: {uri: 'pvc://a', "
     "name: deepseek-ai/DeepSeek-R1}\n  parallelism: {data: 32, dataLocal: 8, expert: true, tensor: 1}\n  template:\n"
     "    containers:\n    - name: side\n      command: [sh, -c, sleep 1]\n    - name: main\n      env:\n"
     "      - {name: VLLM_ADDITIONAL_ARGS, value: \"--max-model-len 8192\\n--enforce-eager\"}\n"
     "      resources: {limits: {nvidia.com/gpu: 8}}\n  prefill:\n    replicas: 3\n    template:\n      containers:\n"
     "      - resources: {limits: {nvidia.com/gpu: 8}}\n",
     {"model=deepseek-ai/DeepSeek-R1\n", "parallel.dp=32\n", "parallel.ep=32\n", "serve.max_model_len=8192\n",
      "serve.enforce_eager=true\n", "hardware.nodes=4\n"}},
    {"apiVersion: production-stack.vllm.ai/v1alpha1\nkind: VLLMRuntime\nspec:\n  model: {modelURL: Qwen/Qwen3-8B, "
     "maxModelLen: 4096, maxNumSeqs: 32}\n  vllmConfig: {tensorParallelSize: 2, gpuMemoryUtilization: \"0.8\"}\n"
     "  deploymentConfig:\n    replicas: 2\n    resources: {gpu: \"2\"}\n",
     {"model=Qwen/Qwen3-8B\n", "serve.max_model_len=4096\n", "parallel.tp=2\n", "serve.memory_share=0.8\n",
      "hardware.nodes=2\n", "hardware.gpus_per_node=2\n"}},
    {"apiVersion: production-stack.vllm.ai/v1alpha1\nkind: VLLMRuntime\nspec:\n  tensorParallelSize: 2\n"
     "  extraArgs: [--max-num-seqs, \"64\"]\n  model: {modelURL: Qwen/Qwen3-8B}\n",
     {"model=Qwen/Qwen3-8B\n", "parallel.tp=2\n", "serve.max_num_seqs=64\n"}},
    {"scenario:\n- name: a\n  common:\n    model: {name: Qwen/Qwen3-32B, path: Qwen/Qwen3-32B, maxModelLen: 16000, "
     "gpuMemoryUtilization: 0.95}\n  decode:\n    parallelism: {tensor: 2, dataLocal: 4, workers: 2}\n    vllm:\n"
     "      customCommand: vllm serve $MODEL_PATH --max-model-len $VLLM_MAX_MODEL_LEN -tp $TP_SIZE "
     "--data-parallel-size $((LWS_GROUP_SIZE * DP_SIZE_LOCAL))\n",
     {"model=Qwen/Qwen3-32B\n", "serve.max_model_len=16000\n", "parallel.tp=2\n", "parallel.dp=8\n"}},
    {"apiVersion: orchestration.aibrix.ai/v1alpha1\nkind: StormService\nmetadata: {name: prefill-decode}\nspec:\n"
     "  replicas: 1\n  template:\n    spec:\n      roles:\n      - name: prefill\n        replicas: 4\n"
     "        template:\n          containers:\n          - command: [sh, -c, vllm serve Qwen/Qwen3-8B -tp 1]\n"
     "            resources: {limits: {nvidia.com/gpu: 1}}\n      - name: decode\n        replicas: 3\n"
     "        podGroupSize: 2\n        template:\n          containers:\n          - command: [sh, -c, "
     "vllm serve Qwen/Qwen3-8B -tp 2]\n            resources: {limits: {nvidia.com/gpu: 1}}\n",
     {"model=Qwen/Qwen3-8B\n", "parallel.tp=2\n", "hardware.nodes=6\n"}},
    {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, labels: {llm-d.ai/role: prefill}}\nspec:\n"
     "  replicas: 4\n  template:\n    spec: {containers: [{command: [vllm, serve, Qwen/Qwen3-8B], resources: "
     "{limits: {nvidia.com/gpu: 1}}}]}\n"
     "---\nkind: Deployment\nmetadata: {name: b, labels: {llm-d.ai/role: decode}}\nspec:\n  replicas: 2\n"
     "  template:\n    spec: {containers: [{command: [vllm, serve, Qwen/Qwen3-8B], resources: "
     "{limits: {nvidia.com/gpu: 1}}}]}\n",
     {"model=Qwen/Qwen3-8B\n", "hardware.nodes=2\n"}},
    {"apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nspec:\n  services:\n    Decode:\n"
     "      replicas: 2\n      resources: {limits: {gpu: \"4\"}}\n      extraPodSpec: {mainContainer: {command: "
     "[python3, -m, dynamo.vllm], args: [--model, Qwen/Qwen3-8B, --tensor-parallel-size, \"4\"]}}\n"
     "    Prefill:\n      replicas: 3\n      resources: {limits: {gpu: \"1\"}}\n      extraPodSpec: {mainContainer: "
     "{command: [python3, -m, dynamo.vllm], args: [--model, Qwen/Qwen3-8B, --is-prefill-worker]}}\n",
     {"model=Qwen/Qwen3-8B\n", "parallel.tp=4\n", "hardware.nodes=2\n", "hardware.gpus_per_node=4\n"}},
    {"scenario:\n- name: a\n  model: {huggingfaceId: Qwen/Qwen3-8B, blockSize: 64, maxModelLen: 8192}\n"
     "  standalone: {enabled: false}\n",
     {"model=Qwen/Qwen3-8B\n", "serve.kv_block_size=64\n", "serve.max_model_len=8192\n"}},
};

static void servers_are_read_from_what_describes_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(described); i++) {
        struct outcome out = read_text(described[i].text);
        for (size_t k = 0; k < COUNT(described[i].settings) && described[i].settings[k]; k++)
            assert_that(strstr(out.settings, described[i].settings[k]), "%s: %s: %s", described[i].settings[k],
                        out.settings, out.messages);
        outcome_free(&out);
    }
}

/* Every name that is exported is read as the model that it stands for. */
static void names_of_the_hub_are_read_back(void **state)
{
    static const char *const pairs[][2] = {
#define HUB(preset, name) {preset, name},
#include "src/export/hub.def"
    };
    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        struct plan plan;
        struct errors errors = {0};
        char *text = xasprintf("vllm serve %s\n", pairs[i][1]);
        plan_clear(&plan);
        plan_read(&plan, text, strlen(text), "f", NULL, &errors);
        assert_that(strcmp(plan.text[TEXT_MODEL], pairs[i][0]) == 0, "%s is read as %s, not %s", pairs[i][1],
                    plan.text[TEXT_MODEL], pairs[i][0]);
        errors_free(&errors);
        free(text);
    }
}

static void faults_name_the_flag(void **state)
{
    (void)state;
    struct outcome out = read_text("vllm serve Qwen/Qwen3-8B \\\n  --max-model-len many\n");
    assert_message(out.messages,
                   "f:2: max-model-len: 'many' is not a number; write one such as 8192 or 32K\n");
    outcome_free(&out);
}

static char *export_to(const char *format, const char *settings, struct errors *notes)
{
    struct plan plan, resolved;
    struct buffer out = {0};
    check_plan(&plan, settings);
    snprintf(plan.text[TEXT_MODEL], PLAN_TEXT_MAX, "llama3-8b");
    plan_resolve(&plan, &resolved);
    buffer_puts(&out, "");
    export_plan(export_find(format), &plan, &resolved, &out, notes);
    return out.text;
}

#define SERVED LLAMA3_8B "dp=1 tp=2 gpus_per_node=2 nodes=1 workload=inference engine=vllm max_model_len=4096 "

static void plans_that_serve_become_commands_of_servers(void **state)
{
    static const char *const names[] = {"vllm", "sglang", "trtllm"},
                            *const has[] = {"--max-model-len 4096", "--context-length 4096", "--max_seq_len 4096"};
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        struct errors notes = {0};
        char *text = export_to(names[i], SERVED, &notes);
        assert_that(!errors_any(&notes) && strstr(text, has[i]) && !strstr(text, "pretrain"), "%s: %s", names[i], text);
        assert_that(notes.count == 0, "%s", notes.line[0]); /* it was read again, and nothing is lost */
        errors_free(&notes);
        free(text);
    }
}

/* Sizes of the cache are flags of their own engine, and stay as comments with others. */
static void sizes_of_the_cache_are_exported(void **state)
{
    static const char *const sizes[][3] = {
        {"vllm", "engine=vllm kv_cache_memory_bytes=21474836480", "--kv-cache-memory-bytes 21474836480"},
        {"vllm", "engine=vllm num_gpu_blocks=4096", "--num-gpu-blocks-override 4096"},
        {"sglang", "engine=sglang max_total_tokens=65536", "--max-total-tokens 65536"},
        {"trtllm", "engine=trtllm max_total_tokens=65536", "  max_tokens: 65536\nEOF"},
        {"trtllm", "engine=trtllm enforce_eager=true spec_tokens=3 kv_block_size=64",
         "cuda_graph_config: null\nkv_cache_config:\n  free_gpu_memory_fraction: 0.9\n  tokens_per_block: 64\n"
         "speculative_config:\n  decoding_type: NGram\n  max_draft_len: 3\n"}};
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct errors notes = {0};
        char settings[512];
        snprintf(settings, sizeof settings, LLAMA3_8B "dp=1 tp=1 nodes=1 gpus_per_node=1 workload=inference %s",
                 sizes[i][1]);
        char *text = export_to(sizes[i][0], settings, &notes);
        assert_that(strstr(text, sizes[i][2]) && notes.count == 0, "%s: %s", sizes[i][0], text);
        errors_free(&notes);
        free(text);
    }
}

/* vLLM's --data-parallel-size shares experts: replicas that share none are servers of their own. */
static void replicas_of_experts_are_servers_of_their_own(void **state)
{
    static const char *const layouts[][2] = {
        {MIXTRAL_8X7B "tp=2 dp=4 attention_dp=true", "--data-parallel-size 4"},
        {LLAMA3_8B "tp=2 dp=4", "--data-parallel-size 4"},
        {MIXTRAL_8X7B "tp=2 dp=4", "# shardtop: parallel.dp=4"}};
    (void)state;
    for (size_t i = 0; i < COUNT(layouts); i++) {
        struct errors notes = {0};
        char settings[512];
        snprintf(settings, sizeof settings, "%s nodes=1 workload=inference engine=vllm", layouts[i][0]);
        char *text = export_to("vllm", settings, &notes);
        assert_that(strstr(text, layouts[i][1]), "%s", text);
        assert_int_equal(strstr(text, "--data-parallel-size") != NULL, i < 2);
        errors_free(&notes);
        free(text);
    }
}

static void a_plan_that_serves_never_becomes_a_training(void **state)
{
    (void)state;
    struct errors notes = {0};
    char *text = export_to("megatron", SERVED, &notes);
    assert_string_equal(text, "");
    assert_message(notes.line[0], "workload: this plan serves a model, and Megatron's flags start a training; use "
                                  "--to vllm, sglang or trtllm");
    errors_free(&notes);
    free(text);
    text = export_to("vllm", LLAMA3_8B "dp=1", &notes);
    assert_string_equal(text, "");
    errors_free(&notes);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(servers_are_read_wherever_they_are_started),
        cmocka_unit_test(servers_are_read_from_what_describes_them),
        cmocka_unit_test(names_of_the_hub_are_read_back),
        cmocka_unit_test(faults_name_the_flag),
        cmocka_unit_test(plans_that_serve_become_commands_of_servers),
        cmocka_unit_test(sizes_of_the_cache_are_exported),
        cmocka_unit_test(replicas_of_experts_are_servers_of_their_own),
        cmocka_unit_test(a_plan_that_serves_never_becomes_a_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
