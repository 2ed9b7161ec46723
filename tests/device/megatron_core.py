"""A step of megatron.core with its local layers; PyTorch's kernels stand in for apex's and TransformerEngine's."""
import sys
import types

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from measure import start_ranks, tokens


def add_weight_gradient(inputs, gradients, accumulated):
    """apex's product that adds to fp32."""
    inputs, gradients = (x.reshape(-1, x.shape[-1]) for x in (inputs, gradients))
    torch.addmm(accumulated, gradients.t(), inputs, out_dtype=torch.float32, out=accumulated)


sys.modules["fused_weight_gradient_mlp_cuda"] = types.SimpleNamespace(wgrad_gemm_accum_fp32=add_weight_gradient)

from megatron.core import parallel_state  # noqa: E402  these look for apex when they are loaded
from megatron.core.distributed import DistributedDataParallel, DistributedDataParallelConfig, finalize_model_grads
from megatron.core.models.gpt import GPTModel
from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec
from megatron.core.optimizer import OptimizerConfig, clip_grads, get_megatron_optimizer
from megatron.core.pipeline_parallel import get_forward_backward_func
from megatron.core.tensor_parallel.random import model_parallel_cuda_manual_seed
from megatron.core.transformer import torch_norm
from megatron.core.transformer.module import Float16Module
from megatron.core.transformer.transformer_config import TransformerConfig


class FusedAdamW(torch.optim.AdamW):
    def __init__(self, *args, capturable=False, **options):
        super().__init__(*args, fused=True, **options)


def new_norm(_, config, hidden_size, eps=1e-5, **__):
    norm = (torch.nn.RMSNorm if config.normalization == "RMSNorm" else torch.nn.LayerNorm)(hidden_size, eps=eps)
    for weight in norm.parameters():
        weight.sequence_parallel = config.sequence_parallel
    return norm


def gradient_norm(_, __, tensors, ___):
    return torch.linalg.vector_norm(torch.stack(torch._foreach_norm(tensors[0]))).reshape(1), None


torch.optim.AdamW = FusedAdamW
torch_norm.WrappedTorchNorm.__new__ = staticmethod(new_norm)
clip_grads.l2_norm_impl = gradient_norm
clip_grads.multi_tensor_scale_impl = lambda _, __, tensors, scale: torch._foreach_mul_(tensors[1], scale)


def attention(backend):
    class Attention(torch.nn.Module):
        def __init__(self, config, *_, **__):
            super().__init__()

        def forward(self, query, key, value, *_, **__):
            heads_first = (x.contiguous().permute(1, 2, 0, 3) for x in (query, key, value))
            with sdpa_kernel(backend):
                out = F.scaled_dot_product_attention(*heads_first, is_causal=True,
                                                     enable_gqa=key.shape[2] != query.shape[2])
            return out.permute(2, 0, 1, 3).flatten(2)

    return Attention


def transformer_config(plan):
    gated, recompute = plan.true("model.gated_mlp", True), plan.text("train.recompute", "none")
    full, experts = recompute == "full", plan.int("model.num_experts", 0)
    options = {}
    if experts:
        options = dict(num_moe_experts=experts, moe_router_topk=plan.int("model.moe_router_topk"),
                       moe_ffn_hidden_size=plan.int("model.moe_ffn_hidden_size"),
                       moe_token_dispatcher_type=plan.text("parallel.moe_dispatcher"), moe_router_dtype="fp32",
                       moe_router_load_balancing_type="none", moe_router_force_load_balancing=True)
    if recompute == "selective":
        options["recompute_modules"] = plan.text("train.recompute_modules").strip("[]").split(",")
    return TransformerConfig(
        num_layers=plan.int("model.num_layers"), hidden_size=plan.int("model.hidden_size"),
        ffn_hidden_size=plan.int("model.ffn_hidden_size"), num_attention_heads=plan.int("model.num_attention_heads"),
        num_query_groups=plan.int("model.num_query_groups"), kv_channels=plan.int("model.kv_channels"),
        hidden_dropout=float(plan.text("model.hidden_dropout", "0")), attention_dropout=0.0,
        add_bias_linear=plan.true("model.add_bias_linear"), gated_linear_unit=gated,
        activation_func=F.silu if gated else F.gelu,
        normalization={"rmsnorm": "RMSNorm", "layernorm": "LayerNorm"}[plan.text("model.normalization")],
        bf16=True, params_dtype=torch.bfloat16, pipeline_dtype=torch.bfloat16, transformer_impl="local",
        tensor_model_parallel_size=plan.int("parallel.tp"), pipeline_model_parallel_size=plan.int("parallel.pp"),
        virtual_pipeline_model_parallel_size=plan.int("parallel.vpp", 0) or None,
        sequence_parallel=plan.true("parallel.sp"), batch_p2p_comm=True, deallocate_pipeline_outputs=True,
        recompute_granularity=None if recompute == "none" else recompute,
        recompute_method="uniform" if full else None, recompute_num_layers=1 if full else None,
        gradient_accumulation_fusion=plan.true("framework.gradient_accumulation_fusion", True),
        cross_entropy_loss_fusion=plan.text("train.cross_entropy") == "native_fused",
        bias_activation_fusion=True, bias_dropout_fusion=True, **options)


def model_chunks(plan, config):
    normalization = config.normalization
    spec = get_gpt_layer_local_spec(num_experts=config.num_moe_experts, normalization=normalization)
    flash = plan.text("train.attention") == "flash"
    if flash:
        kernels = {"fa2": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION}
        kernel = kernels[plan.text("train.attention_kernel")]
        spec.submodules.self_attention.submodules.core_attention = attention(kernel)
    ddp = DistributedDataParallelConfig(grad_reduce_in_fp32=True,
                                        use_distributed_optimizer=plan.int("parallel.zero_stage", 0) > 0)
    positions = {"rope": "rope", "learned": "learned_absolute"}[plan.text("model.position_embedding")]
    chunks = config.virtual_pipeline_model_parallel_size
    for number in range(chunks or 1):
        stage = number if chunks else None
        module = GPTModel(
            config, spec, plan.int("model.vocab_size"), plan.int("train.seq_length"), vp_stage=stage,
            pre_process=parallel_state.is_pipeline_first_stage(ignore_virtual=False, vp_stage=stage),
            post_process=parallel_state.is_pipeline_last_stage(ignore_virtual=False, vp_stage=stage),
            share_embeddings_and_output_weights=plan.true("model.tied_embeddings"),
            position_embedding_type=positions)
        yield DistributedDataParallel(config, ddp, Float16Module(config, module.cuda()), disable_bucketing=number > 0)


def prepare(plan):
    tp, pp, dp = (plan.int(f"parallel.{name}") for name in ("tp", "pp", "dp"))
    start_ranks(plan, plan.int("measured.stage", 0) * tp * dp)
    parallel_state.initialize_model_parallel(tp, pp, plan.int("parallel.vpp", 0) or None,
                                             create_gloo_process_groups=False)
    model_parallel_cuda_manual_seed(1)
    config = transformer_config(plan)
    chunks = list(model_chunks(plan, config))
    optimizer = get_megatron_optimizer(
        OptimizerConfig(optimizer="adam", lr=1e-5, bf16=True, params_dtype=torch.bfloat16, clip_grad=1.0,
                        use_distributed_optimizer=plan.int("parallel.zero_stage", 0) > 0),
        chunks, use_gloo_process_groups=False)
    config.grad_scale_func, config.finalize_model_grads_func = optimizer.scale_loss, finalize_model_grads
    inputs, labels = tokens(plan)
    length, samples = plan.int("train.seq_length"), plan.int("train.micro_batch_size")
    positions = torch.arange(length, device="cuda").repeat(samples, 1)
    mask = None
    if plan.true("framework.create_attention_mask"):
        mask = torch.ones(samples, 1, length, length, dtype=torch.bool, device="cuda").triu(1)
    run, is_split = get_forward_backward_func(), len(chunks) > 1
    config.no_sync_func = [chunk.no_sync for chunk in chunks] if is_split else chunks[0].no_sync

    def mean_loss(losses):
        mean = losses.float().mean()
        return mean, {"loss": mean.detach()}

    def forward(_, model):
        return model(inputs, positions, mask, labels=labels), mean_loss

    def step():
        for chunk in chunks:
            chunk.zero_grad_buffer()
        optimizer.zero_grad()
        run(forward_step_func=forward, data_iterator=[None] * len(chunks) if is_split else None,
            model=chunks if is_split else chunks[0], num_microbatches=plan.micro_batches(), seq_length=length,
            micro_batch_size=samples, forward_only=False)
        optimizer.step()

    return step
