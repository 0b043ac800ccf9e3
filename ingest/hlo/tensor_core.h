/* Which kernels compute on the matrix units of a GPU (Tensor Cores), by their names, and which ops
 * could.
 */
#ifndef INGEST_HLO_TENSOR_CORE_H
#define INGEST_HLO_TENSOR_CORE_H

enum tensor_core { TENSOR_CORE_NO, TENSOR_CORE_YES, TENSOR_CORE_UNKNOWN };

/* By a kernel's name: what a compiler made, and kernels of AMD, do not tell it. */
enum tensor_core tensor_core_of_kernel(const char *kernel);

/* Whether what the op computes can be computed there, by its path; unknown without one. */
enum tensor_core tensor_core_of_op(const char *path);

#endif
