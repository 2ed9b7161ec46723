/* Settings in Python programs and notebooks (src/import/python.c). */
#include "tests/check.h"

#include "core/plan/param.h"
#include "src/import/program.h"
#include "src/plan/plan_io.h"
#include "src/text/errors.h"
#include "src/text/text.h"

static const char program[] =
    "import torch\nfrom trl import SFTConfig\nlength = 2048  # any\nmodel = AutoModelForCausalLM.from_pretrained(\n"
    "    'Qwen/Qwen2.5-7B', torch_dtype=torch.bfloat16)\nt = AutoTokenizer.from_pretrained('other/model-1b')\n"
    "peft = LoraConfig(r=16, lora_alpha=32, target_modules=['q_proj', 'v_proj'])  # r=4\n"
    "args = SFTConfig(per_device_train_batch_size=2, max_seq_length=length, bf16=True,\n"
    "                 gradient_accumulation_steps=steps(32), packing=False)\n";
static const char notebook[] =
    "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"from unsloth import FastLanguageModel\\n\", "
    "\"import x\\n\", \"model, t = FastLanguageModel.from_pretrained(model_name = \\\"unsloth/Meta-Llama-3.1-8B\\\", "
    "max_seq_length = 1024, load_in_4bit = True)\\n\"]}, {\"cell_type\": \"code\", \"source\": [\"m = "
    "FastLanguageModel.get_peft_model(model, r = 8)\\n\", \"a = TrainingArguments(per_device_train_batch_size = 4)\"]}"
    "], \"nbformat\": 4}";

static const char again[] =
    "import torch\nfrom unsloth import FastModel\nm = FastModel.from_pretrained(model_name='unsloth/Qwen3-4B',\n"
    "    load_in_4bit=True)\nm = FastModel.get_peft_model(m, r=16)\na = SFTConfig(per_device_train_batch_size=2)\n"
    "if False:\n    m = FastModel.from_pretrained('adapter', load_in_4bit=False)\n\n"
    "    x = SFTConfig(per_device_train_batch_size=8)\nm = AutoModel.from_pretrained('adapter')\n";
static const char xtuner[] =
    "import torch\nfrom peft import LoraConfig\npretrained_model_name_or_path = (\n    'Qwen/Qwen2.5-7B'  # a base\n)\n"
    "max_length = 1024\nbatch_size = 2\nsequence_parallel_size = 4\naccumulative_counts = 2\n"
    "accumulative_counts *= sequence_parallel_size\nmodel = dict(type=SupervisedFinetune, llm=dict(\n"
    "    quantization_config=dict(type=B, load_in_4bit=True)), lora=dict(type=LoraConfig, r=64))\n";
static const char internevo[] =
    "SEQ = 2048\nRATIO = 8 / 3\ndata = dict(seq_len=SEQ, micro_num=4, micro_bsz=2)  # packed\n"
    "model = dict(num_layers=32, hidden_size=4096, num_attention_heads=32, vocab_size=103168, mlp_ratio=RATIO)\n"
    "parallel = dict(zero1=dict(size=-1), tensor=dict(size=2, mode='msp'), pipeline={'size': 2})\n";

/* Values that a condition chooses, a block or a later call changes; loops without the Trainer; dictionaries. */
static const char chosen[] =
    "import trl\nimport x\nfast = False\nsize = 4\nif big:\n    size = 8\nsteps = 2\ndef f(a):\n    steps = len(a)\n"
    "m = AutoModelForCausalLM.from_pretrained('Qwen/Qwen2.5-7B', load_in_4bit=True)\n"
    "m = prepare_model_for_kbit_training(m)\nc = LoraConfig(r=6 if not fast else 8)\n"
    "a = TrainingArguments(per_device_train_batch_size=size, gradient_accumulation_steps=steps,\n"
    "                      bf16=True if fast else False)\nt = SFTTrainer(model=m, args=a)\n";
static const char loop[] =
    "import torch\nimport x\nmax_length = 64\nm = AutoModelForCausalLM.from_pretrained('Qwen/Qwen2.5-7B')\n"
    "m = get_peft_model(m, LoraConfig(r=8))\nd = DataLoader(rows, batch_size=2)\ne = DataLoader(tests, batch_size=9)\n"
    "for b in d:\n    loss.backward()\n";
static const char dictionary[] =
    "import x\nimport y\nDEFAULTS = {\n    'model_name_or_path': 'Qwen/Qwen2.5-7B',\n"
    "    'per_device_train_batch_size': 4,  # each\n    'bf16': True,\n}\n";
static const char any[] = "import xturing\nimport y\nm = BaseModel.create('x')\nc = m.config()\nc.batch_size = 4\n"
                          "m.finetune(dataset=d)\n";
static const char art[] = "from art import text2art\nimport x\nprint(text2art('a', batch_size=4, lr=1, model='x'))\n";

/* Programs of known trainers: assignments, keyword arguments, parameters, conditions. */
static const char bridge[] =
    "from megatron.bridge import AutoBridge\n\n\ndef qwen3_8b_pretrain_config():\n    \"\"\"seq_length = 1\"\"\"\n"
    "    cfg = common()\n    cfg.model = AutoBridge.from_hf_pretrained('Qwen/Qwen3-8B').config()\n"
    "    cfg.model.tensor_model_parallel_size = 2  # of 8\n    cfg.model.sequence_parallel = True\n"
    "    cfg.model.pipeline_model_parallel_size, x = 1, 2\n    cfg.train.micro_batch_size = 2 ** 2 // 2\n"
    "    cfg.model.seq_length = 8 * 1_024\n    cfg.mixed_precision = bf16_with_fp8_mixed()\n"
    "    cfg.model.recompute_granularity = 'full'\n    if large:\n        cfg.model.context_parallel_size = 2\n"
    "    cfg.dist = DistConfig(num_nodes=4)\n    return cfg\n\n\ndef qwen3_14b_config():\n"
    "    cfg.model.tensor_model_parallel_size = 8\n    cfg.model.expert_model_parallel_size = 4\n";
static const char nemo[] =
    "import nemo_run as run\nfrom nemo.collections import llm\nNAME = 'llama31_70b'\n"
    "def pretrain_recipe(tensor_parallelism: int = 4, pipeline_parallelism: Optional[int] = 4, num_nodes: int = 2,\n"
    "                    sequence_parallelism: bool = True, global_batch_size=512, micro_batch_size=1):\n"
    "    return run.Partial(model=model(), data=run.Config(Mock, seq_length=8192, micro_batch_size=mbs))\n";
static const char nemo_drop[] =
    "from nemo.collections import llm\nfrom nemo.lightning.pytorch.callbacks import (\n    MegatronTokenDropCallback)\n"
    "def recipe():\n    recipe = llm.mixtral_8x7b.pretrain_recipe(num_nodes=8)\n"
    "    recipe.trainer.callbacks.append(run.Config(MegatronTokenDropCallback))\n";
static const char nemo_dropless[] =
    "from nemo.collections import llm\nfrom nemo.lightning.pytorch.callbacks import (\n    MegatronTokenDropCallback)\n"
    "recipe = llm.mixtral_8x7b.pretrain_recipe(num_nodes=8)\n";
static const char bridge_drop[] =
    "from megatron.bridge import x\ndef qwen3_30b_a3b_config():\n    cfg.model.expert_model_parallel_size = 8\n"
    "    apply_moe_token_drop(cfg.model, moe_expert_capacity_factor=1.5, moe_pad_expert_input_to_capacity=False)\n";
static const char renamed[] =
    "from megatron.bridge import x\ntp = 4\ntp = args.tp\npp = 2\nif big:\n    pp = 8\ncp = 1+1\nvpp = -2\n"
    "def f(size=2):\n    ep = 4\n\ndef pretrain_config(ep):\n    cfg.model.tensor_model_parallel_size = tp\n"
    "    cfg.model.pipeline_model_parallel_size = pp\n    cfg.model.context_parallel_size = cp\n"
    "    cfg.model.expert_model_parallel_size = ep\n    cfg.model.num_layers = 3_2\n"
    "    cfg.model.kv_channels = int(1e2)\n";
static const char olmo[] =
    "from olmo_core.train import TrainerConfig\nSEQUENCE_LENGTH = 4096\nGLOBAL_BATCH_SIZE = 1024 * SEQUENCE_LENGTH\n"
    "def model():\n    return TransformerConfig.olmo2_7B(vocab_size=x)\n"
    "dp_config = DP(name=DataParallelType.hsdp)\nac_config = AC(\n    mode=Mode.selected_modules, modules=['x'])\n"
    "train = TrainModule(rank_microbatch_size=2 * SEQUENCE_LENGTH, dp_config=dp_config, ac_config=ac_config)\n";
static const char trlx[] =
    "import trlx\nfrom trlx.data import TRLConfig\nconfig = TRLConfig(\n"
    "    train=TrainConfig(seq_length=1024, batch_size=4),\n"
    "    model=ModelConfig(model_path=\"EleutherAI/gpt-j-6B\"), optimizer=O(name=\"adamw\", kwargs=dict(lr=8e-6)),\n"
    "    method=PPOConfig(chunk_size=16))\n";

static const char shell_cells[] =
    "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"!pip install x\\n\", \"!swift sft --model "
    "Qwen/Qwen2.5-7B \\\\\\n\", \"  --tuner_type lora --max_length 512\"]}, {\"cell_type\": \"code\", \"source\": "
    "[\"print(1)\"]}]}";
static const char bash_cell[] =
    "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"%%bash\\n\", \"X=4\\n\", \"torchrun --nproc_per_node $X "
    "qlora.py --source_max_len 16 --target_max_len 48 --model_name_or_path huggyllama/llama-7b\"]}, {\"cell_type\": "
    "\"code\", \"source\": [\"swift = 1\"]}]}";

static void check(const char *text, const char *const expected[][2], size_t count)
{
    struct plan plan;
    struct errors errors = {0};
    plan_clear(&plan);
    int result = plan_read(&plan, text, strlen(text), "f", NULL, &errors);
    assert_that(result == 0, "%s\n%s", text, errors.count ? errors.line[0] : "");
    for (size_t i = 0; i < count; i++) {
        char value[PARAM_TEXT_MAX];
        param_print(&plan, (enum param)param_find(expected[i][0]), value, sizeof value);
        assert_that(strcmp(value, expected[i][1]) == 0, "%s is %s", expected[i][0], value);
    }
    errors_free(&errors);
}

static void programs_of_known_trainers_are_read(void **state)
{
    (void)state;
    static const char *const of_bridge[][2] = {
        {"parallel.tp", "2"},       {"parallel.sp", "true"},       {"train.micro_batch_size", "2"},
        {"train.seq_length", "8192"}, {"train.dtype", "fp8"},        {"train.recompute", "full"},
        {"hardware.nodes", "4"},    {"model.num_layers", "36"},    {"parallel.ep", "1"}};
    static const char *const of_nemo[][2] = {
        {"parallel.tp", "4"},   {"parallel.pp", "4"},           {"train.global_batch_size", "512"},
        {"hardware.nodes", "2"}, {"train.seq_length", "8192"}, {"model.num_layers", "80"}};
    static const char *const of_olmo[][2] = {
        {"train.seq_length", "4096"}, {"train.global_batch_size", "1024"}, {"train.micro_batch_size", "2"},
        {"train.recompute", "selective"},
        {"parallel.fsdp", "hybrid"},  {"model.num_layers", "32"}};
    static const char *const of_trlx[][2] = {
        {"train.seq_length", "1024"}, {"train.micro_batch_size", "4"}, {"model.num_layers", "28"}};
    static const char *const drops[][2] = {
        {"model.num_experts", "8"}, {"model.moe_capacity_factor", "1"}, {"framework.moe_pad_to_capacity", "true"}};
    static const char *const drops_not[][2] = {
        {"model.num_experts", "8"}, {"model.moe_capacity_factor", ""}, {"framework.moe_pad_to_capacity", ""}};
    static const char *const drops_more[][2] = {
        {"parallel.ep", "8"}, {"model.moe_capacity_factor", "1.5"}, {"framework.moe_pad_to_capacity", "false"}};
    check(nemo_drop, drops, COUNT(drops));
    check(nemo_dropless, drops_not, COUNT(drops_not));
    check(bridge_drop, drops_more, COUNT(drops_more));
    check(bridge, of_bridge, COUNT(of_bridge));
    check(nemo, of_nemo, COUNT(of_nemo));
    check(olmo, of_olmo, COUNT(of_olmo));
    check(trlx, of_trlx, COUNT(of_trlx));
}

/* A name that becomes unknown, that a condition changes or that is a parameter has no old value. */
static void names_that_change_are_open(void **state)
{
    (void)state;
    static const char *const expected[][2] = {
        {"model.tensor_model_parallel_size", "???"}, {"model.pipeline_model_parallel_size", "???"},
        {"model.context_parallel_size", "2"},        {"model.expert_model_parallel_size", "???"},
        {"model.num_layers", "3_2"},
        {"model.kv_channels", "100"}};
    struct program read = {0};
    program_look(renamed, &read);
    for (size_t i = 0; i < COUNT(expected); i++) {
        const struct keyval *value = keyvals_last(&read.settings, expected[i][0]);
        assert_that(value && strcmp(value->value, expected[i][1]) == 0, "%s is %s", expected[i][0],
                    value ? value->value : "not there");
    }
    keyvals_free(&read.settings);
}

/* What is nested or repeated costs no more than its length, and a type without an end is not read past it. */
static void hostile_programs_are_given_up(void **state)
{
    (void)state;
    struct program read = {0};
    struct buffer text = {0};
    char *open = xstrdup("import megatron.bridge\nx: a[b");
    program_look(open, &read);
    keyvals_free(&read.settings);
    free(open);
    buffer_puts(&text, "from megatron.bridge import x\n");
    for (int i = 0; i < 40000; i++)
        buffer_puts(&text, "a=");
    read = (struct program){0};
    program_look(text.text, &read);
    assert_int_equal(read.kind, KIND_PYTHON);
    keyvals_free(&read.settings);
    buffer_free(&text);
}

/* Every beginning of a program, and nested calls without end, are read in no time. */
static void broken_programs_end(void **state)
{
    (void)state;
    struct errors errors = {0};
    struct buffer deep = {0};
    buffer_puts(&deep, "import trlx\nimport x\nx = ");
    for (int i = 0; i < 20000; i++)
        buffer_puts(&deep, i % 2 ? "f(a=from_pretrained(" : "{'b': -(");
    for (size_t n = 0; n <= strlen(bridge); n++) {
        struct plan plan;
        char *part = xstrndup(bridge, n);
        plan_clear(&plan);
        plan_read(&plan, part, n, "f", NULL, &errors);
        free(part);
    }
    struct plan plan;
    plan_clear(&plan);
    plan_read(&plan, deep.text, deep.size, "f", NULL, &errors);
    buffer_free(&deep);
    errors_free(&errors);
}

static void arguments_of_constructors_are_settings(void **state)
{
    (void)state;
    static const char *const of_program[][2] = {
        {"model.name", "qwen2.5-7b"}, {"train.lora_rank", "16"}, {"train.peft", "lora"},
        {"train.lora_targets", "[q,v]"},
        {"train.micro_batch_size", "2"}, {"train.seq_length", "2048"}, {"train.dtype", "bf16"},
        {"train.gradient_accumulation_steps", ""}};
    static const char *const of_notebook[][2] = {
        {"model.name", "llama3.1-8b"}, {"framework.name", "unsloth"}, {"train.peft", "qlora"}, {"train.lora_rank", "8"},
        {"train.seq_length", "1024"}, {"train.micro_batch_size", "4"}, {"train.recompute", "full"},
        {"train.optimizer", "adam"}};
    static const char *const of_again[][2] = {{"model.name", "qwen3-4b"},
                                              {"train.peft", "qlora"},
                                              {"train.lora_rank", "16"},
                                              {"train.micro_batch_size", "2"}};
    static const char *const of_xtuner[][2] = {
        {"model.name", "qwen2.5-7b"},    {"train.peft", "qlora"},        {"train.lora_rank", "64"},
        {"train.seq_length", "1024"},    {"train.micro_batch_size", "2"}, {"train.gradient_accumulation_steps", "8"},
        {"train.upcast", "all"}};
    static const char *const of_internevo[][2] = {
        {"model.num_layers", "32"}, {"model.ffn_hidden_size", "11008"}, {"parallel.tp", "2"}, {"parallel.pp", "2"},
        {"parallel.sp", "true"},    {"train.micro_batch_size", "2"},    {"train.seq_length", "2048"}};
    static const char *const of_cells[][2] = {{"framework.name", "ms-swift"},
                                              {"train.peft", "lora"},
                                              {"train.seq_length", "512"}};
    static const char *const of_bash[][2] = {{"train.seq_length", "64"}, {"hardware.gpus_per_node", "4"}};
    static const char *const of_chosen[][2] = {
        {"model.name", "qwen2.5-7b"},
        {"train.micro_batch_size", "1"}, {"train.gradient_accumulation_steps", "2"}, {"train.lora_rank", "6"},
        {"train.recompute", "full"},     {"train.seq_length", "1024"},               {"train.dtype", "fp32"}};
    static const char *const of_loop[][2] = {{"train.micro_batch_size", "2"}, {"train.seq_length", "64"},
                                             {"train.lora_targets", "[q,v]"}};
    static const char *const of_dictionary[][2] = {{"model.name", "qwen2.5-7b"}, {"train.micro_batch_size", "4"}};
    static const char *const of_any[][2] = {{"framework.name", "other"}, {"train.micro_batch_size", "4"}};
    check(chosen, of_chosen, COUNT(of_chosen));
    check(loop, of_loop, COUNT(of_loop));
    check(dictionary, of_dictionary, COUNT(of_dictionary));
    check(any, of_any, COUNT(of_any));
    check(shell_cells, of_cells, COUNT(of_cells));
    check(bash_cell, of_bash, COUNT(of_bash));
    check(again, of_again, COUNT(of_again));
    check(xtuner, of_xtuner, COUNT(of_xtuner));
    check(internevo, of_internevo, COUNT(of_internevo));
    check(program, of_program, COUNT(of_program));
    check(notebook, of_notebook, COUNT(of_notebook));
}

static void other_programs_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"import a\nimport b\nprint(1)\n", "import a\nimport b\nTrainingArguments(",
                                        "import a\nimport b\nSFTConfig(per_device='x\n", art};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct plan plan;
        struct errors errors = {0};
        plan_clear(&plan);
        assert_int_equal(plan_read(&plan, texts[i], strlen(texts[i]), "f", NULL, &errors), -1);
        assert_that(check_mentions(errors.line[0], "looks like a Python program"), "%s", errors.line[0]);
        errors_free(&errors);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_of_known_trainers_are_read),
        cmocka_unit_test(names_that_change_are_open), cmocka_unit_test(hostile_programs_are_given_up),
        cmocka_unit_test(broken_programs_end), cmocka_unit_test(arguments_of_constructors_are_settings),
        cmocka_unit_test(other_programs_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
