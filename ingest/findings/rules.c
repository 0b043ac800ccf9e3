/* What rules have in common. */
#include "ingest/findings/rules.h"

bool finding_is_cut(const struct examined *host)
{
    for (size_t i = 0; host->profile != NULL && i < host->profile->space_count; i++)
        if (host->profile->spaces[i].unread_bytes > 0)
            return true;
    return false;
}

double finding_share(const struct examined *host, double us)
{
    const double whole_us = step_list_whole_us(host->steps);
    return whole_us > 0 ? us / whole_us : 0;
}

void finding_time(const struct examined *host, double us, struct finding *finding)
{
    finding->share = some_f64(finding_share(host, us));
    finding->time_us = some_f64(us);
}

const char *finding_whole(const struct examined *host, char words[FINDING_WHOLE_BYTES])
{
    char whole[FORMAT_BYTES];
    (void)snprintf(words, FINDING_WHOLE_BYTES, "the %s %s",
                   format_duration(step_list_whole_us(host->steps), FINDING_DIGITS, whole),
                   !host->steps->items[0].times.numbered ? "of the capture"
                   : step_list_followed(host->steps)     ? "from a step to the next"
                                                         : "of the step");
    return words;
}

/* ---- remedies -------------------------------------------------------------------------------- */

#define KEEP_SHAPES \
    "keep shapes, dtypes and static arguments the same from step to step: pad or bucket batches; "
#define LOAD_EARLY "load batches ahead of the step: more workers and prefetching "
#define LOAD_LESS ", decode and augment less in the step's process"
#define ON_ANOTHER_THREAD ", prefetch input, log and save on another thread"
#define SAVE_LATER ": copy to the host, go on, and write on another thread; or save less often"
#define SEND_LESS ", send smaller dtypes, prefetch input, "
#define COPY_BESIDE ", and copy between devices on a stream beside what computes"
#define SEND_OTHERWISE ", shard otherwise, or send less"

static const char *const remedies[REMEDY_COUNT][FRAMEWORK_COUNT] = {
    [REMEDY_RECOMPILES] =
        {
            [FRAMEWORK_XLA] = KEEP_SHAPES "JAX_LOG_COMPILES=1 names what is compiled, and why",
            [FRAMEWORK_TORCH] = KEEP_SHAPES "say what varies (torch.compile(dynamic=True)); "
                                            "TORCH_LOGS=recompiles names what is compiled, and why",
            [FRAMEWORK_ANY] = KEEP_SHAPES "JAX_LOG_COMPILES=1, of PyTorch TORCH_LOGS=recompiles, "
                                          "names what is compiled, and why",
        },
    [REMEDY_LAUNCH_AHEAD] =
        {
            [FRAMEWORK_XLA] = "launch ahead: fetch no result in the step (float(loss), np.asarray, "
                              "block_until_ready)" ON_ANOTHER_THREAD,
            [FRAMEWORK_TORCH] = "launch ahead: fetch no result in the step (loss.item(), .cpu(), "
                                "torch.cuda.synchronize)" ON_ANOTHER_THREAD,
            [FRAMEWORK_ANY] =
                "launch ahead: fetch no result in the step (JAX: float(loss), block_until_ready; "
                "PyTorch: loss.item(), .cpu(), torch.cuda.synchronize)" ON_ANOTHER_THREAD,
        },
    [REMEDY_LOAD_AHEAD] =
        {
            [FRAMEWORK_TORCH] = LOAD_EARLY "(DataLoader with num_workers, prefetch_factor, "
                                           "persistent_workers)" LOAD_LESS,
            [FRAMEWORK_ANY] = LOAD_EARLY "(PyTorch: DataLoader with num_workers, prefetch_factor, "
                                         "persistent_workers; tf.data, Grain: prefetch)" LOAD_LESS,
        },
    [REMEDY_SAVES] =
        {
            [FRAMEWORK_XLA] = "save asynchronously (Orbax's AsyncCheckpointer)" SAVE_LATER,
            [FRAMEWORK_TORCH] =
                "save asynchronously (torch.distributed.checkpoint.async_save)" SAVE_LATER,
            [FRAMEWORK_ANY] = "save asynchronously (Orbax's AsyncCheckpointer, "
                              "torch.distributed.checkpoint.async_save)" SAVE_LATER,
        },
    [REMEDY_TRANSFERS] =
        {
            [FRAMEWORK_XLA] = "keep what steps share on the device (donate buffers, device_put "
                              "once)" SEND_LESS "fetch metrics every n steps",
            [FRAMEWORK_TORCH] =
                "keep what steps share on the device (.to(device) once), pin memory "
                "and copy with non_blocking=True" SEND_LESS "fetch metrics (.item()) every n steps",
            [FRAMEWORK_ANY] = "keep what steps share on the device (JAX: donate buffers, "
                              "device_put once; PyTorch: .to(device) once, pinned "
                              "memory)" SEND_LESS "fetch metrics every n steps",
        },
    [REMEDY_COPIES] =
        {
            [FRAMEWORK_XLA] = "update in place (donate buffers), make no copies in the "
                              "step" COPY_BESIDE,
            [FRAMEWORK_TORCH] = "update in place (out=, add_ and the like), make no clones or "
                                "contiguous copies in the step" COPY_BESIDE,
            [FRAMEWORK_ANY] = "update in place (donate buffers, out= of PyTorch), make no clones "
                              "or contiguous copies in the step" COPY_BESIDE,
        },
    [REMEDY_TINY_KERNELS] =
        {
            [FRAMEWORK_XLA] = "fuse them: jit larger pieces, scan instead of Python loops, a "
                              "custom kernel; command buffers make launches cheaper",
            [FRAMEWORK_TORCH] = "fuse them: torch.compile, fused optimizers (fused=True), a custom "
                                "kernel; CUDA graphs make launches cheaper",
            [FRAMEWORK_ANY] = "fuse them: jit or torch.compile larger pieces, fused optimizers, a "
                              "custom kernel; CUDA graphs make launches cheaper",
        },
    [REMEDY_EXPOSED] =
        {
            [FRAMEWORK_XLA] = "overlap them with compute (latency hiding scheduler, async "
                              "collectives)" SEND_OTHERWISE,
            [FRAMEWORK_TORCH] = "overlap them with compute (buckets of DDP, prefetching of FSDP, "
                                "async_op=True)" SEND_OTHERWISE,
            [FRAMEWORK_ANY] = "overlap them with compute (async collectives, buckets, "
                              "prefetching)" SEND_OTHERWISE,
        },
};

const char *remedy_of(const struct step_list *steps, enum remedy remedy)
{
    return framework_words(steps->framework, remedies[remedy]);
}
