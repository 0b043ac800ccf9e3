/* Facts of the machine and environment that this process runs in: those that a profile may lack and
 * that decide whether two can be compared.
 */
#ifndef OPS_FLOW_COLLECT_CAPTURE_ENV_H
#define OPS_FLOW_COLLECT_CAPTURE_ENV_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "schema/documents/capture_env.h"

/* The whitelist: no other variable's value is ever kept, for any other may be a secret.
 * X(variable, fact, what it is). */
#define CAPTURE_VARIABLES(X) \
    X(XLA_FLAGS, xla_flags, "compiler flags") \
    X(LIBTPU_INIT_ARGS, libtpu_init_args, "flags of the TPU's compiler and runtime") \
    X(JAX_PLATFORMS, jax_platforms, "which backends jax may use") \
    X(JAX_ENABLE_X64, jax_enable_x64, "64-bit numbers") \
    X(JAX_DEFAULT_MATMUL_PRECISION, jax_default_matmul_precision, "precision of products") \
    X(JAX_DEFAULT_PRNG_IMPL, jax_default_prng_impl, "random numbers") \
    X(JAX_THREEFRY_PARTITIONABLE, jax_threefry_partitionable, "random numbers, sharded") \
    X(JAX_NUMPY_DTYPE_PROMOTION, jax_numpy_dtype_promotion, "rules of promotion") \
    X(JAX_DISABLE_JIT, jax_disable_jit, "no compilation at all") \
    X(JAX_DEBUG_NANS, jax_debug_nans, "checks that slow each step") \
    X(JAX_DEBUG_INFS, jax_debug_infs, "checks that slow each step") \
    X(JAX_ENABLE_CHECKS, jax_enable_checks, "checks that slow each step") \
    X(JAX_ENABLE_PGLE, jax_enable_pgle, "latencies by profile") \
    X(JAX_PGLE_PROFILING_RUNS, jax_pgle_profiling_runs, "steps that it profiles") \
    X(JAX_ENABLE_COMPILATION_CACHE, jax_enable_compilation_cache, "compiled programs are kept") \
    X(JAX_USE_SHARDY_PARTITIONER, jax_use_shardy_partitioner, "which partitioner") \
    X(JAX_EXEC_TIME_OPTIMIZATION_EFFORT, jax_exec_time_optimization_effort, "of the compiler") \
    X(JAX_MEMORY_FITTING_EFFORT, jax_memory_fitting_effort, "of the compiler") \
    X(JAX_OPTIMIZATION_LEVEL, jax_optimization_level, "of the compiler") \
    X(XLA_PYTHON_CLIENT_PREALLOCATE, xla_python_client_preallocate, "device memory at start") \
    X(XLA_PYTHON_CLIENT_MEM_FRACTION, xla_python_client_mem_fraction, "device memory at start") \
    X(XLA_PYTHON_CLIENT_ALLOCATOR, xla_python_client_allocator, "device memory's allocator") \
    X(TF_GPU_ALLOCATOR, tf_gpu_allocator, "device memory's allocator") \
    X(TPU_ACCELERATOR_TYPE, tpu_accelerator_type, "the slice") \
    X(TPU_TOPOLOGY, tpu_topology, "the slice") \
    X(TPU_MEGACORE, tpu_megacore, "cores joined") \
    X(TPU_PREMAPPED_BUFFER_SIZE, tpu_premapped_buffer_size, "host transfers") \
    X(NCCL_ALGO, nccl_algo, "algorithm of collectives") \
    X(NCCL_PROTO, nccl_proto, "protocol of collectives") \
    X(NCCL_NET, nccl_net, "network of collectives") \
    X(NCCL_IB_DISABLE, nccl_ib_disable, "InfiniBand off") \
    X(NCCL_P2P_LEVEL, nccl_p2p_level, "direct transfers") \
    X(NCCL_NVLS_ENABLE, nccl_nvls_enable, "NVLink sharp") \
    X(NCCL_MIN_NCHANNELS, nccl_min_nchannels, "channels") \
    X(NCCL_MAX_NCHANNELS, nccl_max_nchannels, "channels") \
    X(NCCL_BUFFSIZE, nccl_buffsize, "buffers") \
    X(NCCL_DEBUG, nccl_debug, "logging, which slows") \
    X(CUDA_DEVICE_MAX_CONNECTIONS, cuda_device_max_connections, "queues of a device") \
    X(CUDA_LAUNCH_BLOCKING, cuda_launch_blocking, "each launch waits") \
    X(NVTE_FUSED_ATTN, nvte_fused_attn, "attention of Transformer Engine") \
    X(NVTE_FLASH_ATTN, nvte_flash_attn, "attention of Transformer Engine") \
    X(GPU_MAX_HW_QUEUES, gpu_max_hw_queues, "queues of an AMD device") \
    X(HIP_FORCE_DEV_KERNARG, hip_force_dev_kernarg, "arguments of AMD kernels") \
    X(OMP_NUM_THREADS, omp_num_threads, "threads of the host") \
    X(SLURM_JOB_ID, slurm_job_id, "the scheduler's job") \
    X(PBS_JOBID, pbs_job_id, "the scheduler's job") \
    X(LSB_JOBID, lsf_job_id, "the scheduler's job") \
    X(FLUX_JOB_ID, flux_job_id, "the scheduler's job") \
    X(SLURM_STEP_ID, slurm_step_id, "its step") \
    X(SLURM_RESTART_COUNT, slurm_restart_count, "how often it was started again") \
    X(WANDB_RUN_ID, wandb_run_id, "the run at Weights & Biases")

struct capture_env_request {
    const char *repository;  /* asked about the code; NULL: none */
    const char *python;      /* asked about versions, "python3"; NULL: none */
    const char *config_file; /* its hash and facts; NULL: none */
    bool asks_ci;            /* a CI system's variables too, for commit and branch */
};

/* Collects. That there is no python or that the repository is none is no failure: the facts are
 * missing then. ERR_MISSING: there is no such file. */
bool capture_env_collect(const struct capture_env_request *request, struct arena *arena,
                         struct capture_env *ret_capture, struct err *err);

#endif
