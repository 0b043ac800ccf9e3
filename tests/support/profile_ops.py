"""The instructions of one training step of a decoder-only transformer, as a table.

What: one row per HLO instruction of a compiled `train_step`, in program order, with what a profile
shows of it: instruction stem, category, shapes, JAX name stack, source line, flops, and the GPU
kernel. Why a table: the same rows give the TPU-like and the GPU-like profile, and a reader of a
test can see what the step consists of. What it does not do: numbers, times and texts, which
workload.py adds.
Source of the shapes of names: README.md, "The XPlane format".
"""

from typing import NamedTuple, Optional, Tuple

# Roles. `container` holds other ops; `*-start` and `*-done` with the same `pair` bound a flight.
COMPUTE, CONTAINER, COPY = "compute", "container", "copy"
COLLECTIVE, COLLECTIVE_START, COLLECTIVE_DONE = "collective", "collective-start", "collective-done"
COPY_START, COPY_DONE = "copy-start", "copy-done"

STEP = "jit(train_step)"
FORWARD = f"{STEP}/jvp(Transformer)"
BACKWARD = f"{STEP}/transpose(jvp(Transformer))"
LAYER_FORWARD = f"{FORWARD}/layers/while/body/closed_call/checkpoint"
LAYER_BACKWARD = f"{BACKWARD}/layers/while/body/closed_call/checkpoint"
LAYER_RECOMPUTE = f"{LAYER_BACKWARD}/rematted_computation"
OPTIMIZER = f"{STEP}/optimizer/adamw"


class Row(NamedTuple):
    """One instruction. `tpu` and `gpu` are (stem of the name, category); None = not in the program.

    Shapes are format strings over the model's dimensions (workload.Model.names); `act` is the
    activation type. `flops` is a product of the same names. `efficiency` is the share of peak
    flop/s that the op reaches, for a `*-done` the share of the transfer that is exposed. An empty
    `kernel` means that the GPU kernel is named after the instruction, as XLA's own fusions are.
    """

    label: str
    tpu: Optional[Tuple[str, str]]
    gpu: Optional[Tuple[str, str]]
    result: str
    operands: Tuple[str, ...]
    path: str
    source: str
    flops: str = "0"
    efficiency: float = 0.6
    kernel: str = ""
    role: str = COMPUTE
    pair: str = ""
    body: Tuple["Row", ...] = ()


X = "{act}[{B},{S},{D}]"
GEMM_GPU = ("custom-call", "custom-call")
LOOP = "loop fusion"
CONV = ("fusion", "convolution fusion")

FORWARD_BODY = (
    Row("qkv_fwd", CONV, GEMM_GPU, "{act}[{B},{S},{D3}]", (X, "{act}[{D},{D3}]"),
        f"{LAYER_FORWARD}/attention/qkv/dot_general", "model/attention.py:71",
        "6*T*D*D", 0.62, "nvjet_tst_192x192_64x4_2x1_v_bz_coopA_NNT"),
    Row("attention_fwd", ("flash_attention", "custom-call"), ("cudnn-fmha", "custom-call"),
        "{act}[{B},{H},{S},{K}]", ("{act}[{B},{H},{S},{K}]",) * 3,
        f"{LAYER_FORWARD}/attention/flash_attention/pallas_call", "model/attention.py:118",
        "2*B*H*S*S*K", 0.16, "cudnn_generated_sdpa_sm90_flash_fprop_wgmma_128x128x64_4x1x1"),
    Row("out_proj_fwd", CONV, GEMM_GPU, X, ("{act}[{B},{H},{S},{K}]", "{act}[{D},{D}]", X),
        f"{LAYER_FORWARD}/attention/out/dot_general", "model/attention.py:131",
        "2*T*D*D", 0.55, "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NNN"),
    Row("mlp_fwd", CONV, GEMM_GPU, X, (X, "{act}[{D},{F}]", "{act}[{F},{D}]"),
        f"{LAYER_FORWARD}/mlp/dot_general", "model/mlp.py:44",
        "4*T*D*F", 0.66, "nvjet_tst_256x128_64x4_2x1_v_bz_coopB_NNT"),
)

BACKWARD_BODY = (
    Row("attention_recompute", ("flash_attention", "custom-call"), ("cudnn-fmha", "custom-call"),
        "({act}[{B},{H},{S},{K}], f32[{B},{H},{S}])", ("{act}[{B},{H},{S},{K}]",) * 3,
        f"{LAYER_RECOMPUTE}/attention/flash_attention/pallas_call", "model/attention.py:118",
        "2*B*H*S*S*K", 0.16, "cudnn_generated_sdpa_sm90_flash_fprop_stats_wgmma_128x128x64_4x1x1"),
    Row("mlp_bwd", CONV, GEMM_GPU, "({act}[{B},{S},{D}], {act}[{D},{F}], {act}[{F},{D}])",
        (X, X, "{act}[{D},{F}]", "{act}[{F},{D}]"),
        f"{LAYER_BACKWARD}/mlp/dot_general", "model/mlp.py:44",
        "10*T*D*F", 0.64, "nvjet_tst_256x128_64x4_1x2_h_bz_coopB_NTN"),
    Row("attention_bwd", ("flash_attention_dkv", "custom-call"), ("cudnn-fmha-bwd", "custom-call"),
        "({act}[{B},{H},{S},{K}], {act}[{B},{H},{S},{K}], {act}[{B},{H},{S},{K}])",
        ("{act}[{B},{H},{S},{K}]",) * 4 + ("f32[{B},{H},{S}]",),
        f"{LAYER_BACKWARD}/attention/flash_attention/pallas_call", "model/attention.py:152",
        "5*B*H*S*S*K", 0.17, "cudnn_generated_sdpa_sm90_flash_bprop_wgmma_128x64x64_4x1x1"),
    Row("qkv_bwd", CONV, GEMM_GPU, "({act}[{B},{S},{D}], {act}[{D},{D4}])",
        ("{act}[{B},{S},{D3}]", X, "{act}[{D},{D4}]"),
        f"{LAYER_BACKWARD}/attention/qkv/dot_general", "model/attention.py:71",
        "16*T*D*D", 0.6, "nvjet_tst_192x128_64x5_2x1_v_bz_TNT"),
    Row("norm_bwd", ("fusion", LOOP), ("loop_multiply_reduce_fusion", LOOP), X, (X, X, "f32[{D}]"),
        f"{LAYER_BACKWARD}/norm/mul", "model/norm.py:23", "12*T*D"),
    Row("grad_reduce_scatter", ("reduce-scatter", "reduce-scatter"),
        ("reduce-scatter", "reduce-scatter"), "{act}[{D12},{Dn}]", ("{act}[{D12},{D}]",),
        f"{LAYER_BACKWARD}/grad_shard/psum_scatter", "train/step.py:97", "12*D*D",
        kernel="ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        role=COLLECTIVE),
)

STEP_ROWS = (
    Row("copy_tokens_start", ("copy-start", "copy-start"), None,
        "(s32[{B},{S}], s32[{B},{S}], u32[])", ("s32[{B},{S}]",), "", "", role=COPY_START,
        pair="tokens"),
    Row("gather_embedding_start", ("all-gather-start", "all-gather-start"),
        ("all-gather-start", "all-gather-start"), "({act}[{Vn},{D}], {act}[{V},{D}])",
        ("{act}[{Vn},{D}]",), f"{FORWARD}/embedding/all_gather", "model/embedding.py:19",
        kernel="ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        role=COLLECTIVE_START, pair="embedding"),
    Row("cast_params", ("convert_element_type_fusion", LOOP), ("loop_convert_fusion", LOOP),
        "{act}[{L},{D12},{Dn}]", ("f32[{L},{D12},{Dn}]",), f"{FORWARD}/convert_element_type",
        "train/precision.py:31", "L*12*D*Dn"),
    Row("copy_tokens_done", ("copy-done", "copy-done"), None, "s32[{B},{S}]",
        ("(s32[{B},{S}], s32[{B},{S}], u32[])",), "", "", role=COPY_DONE, pair="tokens"),
    Row("gather_embedding_done", ("all-gather-done", "all-gather-done"),
        ("all-gather-done", "all-gather-done"), "{act}[{V},{D}]",
        ("({act}[{Vn},{D}], {act}[{V},{D}])",), f"{FORWARD}/embedding/all_gather",
        "model/embedding.py:19", efficiency=0.08, role=COLLECTIVE_DONE, pair="embedding"),
    Row("embedding_fwd", ("fusion", "custom fusion"), ("loop_gather_fusion", LOOP), X,
        ("{act}[{V},{D}]", "s32[{B},{S}]"), f"{FORWARD}/embedding/take", "model/embedding.py:27"),
    Row("layers_fwd", ("while", "while"), ("while", "while"), "(s32[], {act}[{B},{S},{D}])",
        ("(s32[], {act}[{B},{S},{D}])",), f"{FORWARD}/layers/while", "model/transformer.py:88",
        role=CONTAINER, body=FORWARD_BODY),
    Row("final_norm", ("multiply_reduce_fusion", LOOP),
        ("input_multiply_reduce_fusion", "input fusion"), X, (X, "f32[{D}]"),
        f"{FORWARD}/final_norm/mul", "model/norm.py:23", "6*T*D"),
    Row("lm_head_fwd", CONV, GEMM_GPU, "{act}[{B},{S},{V}]", (X, "{act}[{V},{D}]"),
        f"{FORWARD}/lm_head/dot_general", "model/lm_head.py:15", "2*T*D*V", 0.68,
        "nvjet_tst_256x256_64x4_2x1_v_bz_coopA_NNT"),
    Row("loss", ("exponential_reduce_fusion", "input fusion"),
        ("input_exponential_reduce_fusion", "input fusion"),
        "f32[{B},{S}]", ("{act}[{B},{S},{V}]", "s32[{B},{S}]"),
        f"{FORWARD}/softmax_cross_entropy/reduce_sum", "train/loss.py:52", "5*T*V"),
    Row("lm_head_bwd", CONV, GEMM_GPU, "({act}[{B},{S},{D}], {act}[{V},{D}])",
        ("{act}[{B},{S},{V}]", X, "{act}[{V},{D}]"), f"{BACKWARD}/lm_head/dot_general",
        "model/lm_head.py:15", "4*T*D*V", 0.66, "nvjet_tst_256x192_64x4_2x1_v_bz_coopA_NTT"),
    Row("layers_bwd", ("while", "while"), ("while", "while"),
        "(s32[], {act}[{B},{S},{D}], {act}[{L},{D12},{Dn}])",
        ("(s32[], {act}[{B},{S},{D}], {act}[{L},{D12},{Dn}])",), f"{BACKWARD}/layers/while",
        "model/transformer.py:88", role=CONTAINER, body=BACKWARD_BODY),
    Row("embedding_bwd", ("scatter_fusion", "scatter fusion"),
        ("input_scatter_fusion", "input fusion"), "f32[{V},{D}]", (X, "s32[{B},{S}]"),
        f"{BACKWARD}/embedding/scatter-add", "model/embedding.py:27", "T*D"),
    Row("grad_allreduce_start", ("all-reduce-start", "all-reduce-start"),
        ("all-reduce-start", "all-reduce-start"), "f32[{V},{D}]", ("f32[{V},{D}]",),
        f"{BACKWARD}/grad_mean/psum", "train/step.py:97", "V*D",
        kernel="ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        role=COLLECTIVE_START, pair="grad_mean"),
    Row("adam_matrices", ("fusion", LOOP), ("loop_add_sqrt_fusion", LOOP),
        "(f32[{L},{D12},{Dn}], f32[{L},{D12},{Dn}], f32[{L},{D12},{Dn}])",
        ("f32[{L},{D12},{Dn}]",) * 3 + ("{act}[{L},{D12},{Dn}]",), f"{OPTIMIZER}/update/mul",
        "train/adamw.py:63", "14*L*12*D*Dn"),
    Row("grad_allreduce_done", ("all-reduce-done", "all-reduce-done"),
        ("all-reduce-done", "all-reduce-done"), "f32[{V},{D}]", ("f32[{V},{D}]",),
        f"{BACKWARD}/grad_mean/psum", "train/step.py:97", efficiency=0.1, role=COLLECTIVE_DONE,
        pair="grad_mean"),
    Row("grad_norm", ("reduce_fusion", "input fusion"), ("input_reduce_fusion", "input fusion"),
        "f32[]", ("{act}[{L},{D12},{Dn}]",), f"{OPTIMIZER}/clip_by_global_norm/reduce_sum",
        "train/adamw.py:41", "2*L*12*D*Dn"),
    Row("grad_norm_allreduce", ("all-reduce", "all-reduce"), ("all-reduce", "all-reduce"), "f32[]",
        ("f32[]",), f"{OPTIMIZER}/clip_by_global_norm/psum", "train/adamw.py:41", "1",
        kernel="ncclDevKernel_AllReduce_Sum_f32_RING_LL_small(ncclDevKernelArgsStorage<4096ul>)",
        role=COLLECTIVE),
    Row("adam_embedding", ("fusion", LOOP), ("loop_add_sqrt_embedding_fusion", LOOP),
        "(f32[{Vn},{D}], f32[{Vn},{D}], f32[{Vn},{D}])", ("f32[{Vn},{D}]",) * 4,
        f"{OPTIMIZER}/update/mul", "train/adamw.py:63", "14*Vn*D"),
    Row("loss_copy", ("copy", "data formatting"), None, "f32[{B},{S}]", ("f32[{B},{S}]",),
        f"{STEP}/metrics/copy", "train/step.py:110", role=COPY),
)
