/* See tensor_core.h. The words are those of xprof's kernel_stats, and names that came after them:
 * of cuBLAS and CUTLASS for Hopper and Blackwell, and JAX's primitives. */
#include "ingest/hlo/tensor_core.h"

#include "ops/runtime/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static bool holds_one(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(text, words[i]) != NULL)
            return true;
    return false;
}

enum tensor_core tensor_core_of_kernel(const char *kernel)
{
    static const char *const using[] = {"16816",        "c1688",
                                        "conv1x1",      "conv2d_c1_k1",
                                        "direct_group", "dgrad_1x1_stride_2x2",
                                        "h1688",        "first_layer_wgrad_kernel",
                                        "h884",         "hmma",
                                        "i16832",       "i8816",
                                        "s884",         "s1688",
                                        "xmma_gemm",    "xmma_implicit_gemm",
                                        "xmma_sparse_", "xmma_warp_specialized_implicit_gemm",
                                        "nvjet_",       "tensorop",
                                        "wgmma",        "tcgen05"};
    static const char *const silent[] = {"fusion", "triton", "Cijk_",  "_dot_",
                                         "flash",  "fmha",   "cutlass"};
    if (holds_one(kernel, using, sizeof using / sizeof using[0]))
        return TENSOR_CORE_YES;
    return holds_one(kernel, silent, sizeof silent / sizeof silent[0]) ? TENSOR_CORE_UNKNOWN
                                                                       : TENSOR_CORE_NO;
}

enum tensor_core tensor_core_of_op(const char *path)
{
    static const char *const ends[] = {"Conv2D",
                                       "Conv3D",
                                       "DepthwiseConv2dNative",
                                       "/MatMul",
                                       "FusedMatMul",
                                       "/CudnnRNN",
                                       "XlaDot",
                                       "XlaDotV2",
                                       "/dot_general",
                                       "/conv_general_dilated"};
    static const char *const parts[] = {
        "Conv2DBackprop",  "Conv3DBackprop", "DepthwiseConv2dNativeBackprop",
        "BatchMatMul",     "CudnnRNNV",      "CudnnRNNForward",
        "CudnnRNNBackprop"};
    if (path == NULL || path[0] == '\0')
        return TENSOR_CORE_UNKNOWN;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (text_ends_with(path, ends[i]))
            return TENSOR_CORE_YES;
    return holds_one(path, parts, sizeof parts / sizeof parts[0]) ? TENSOR_CORE_YES
                                                                  : TENSOR_CORE_NO;
}
