/* Names of TensorFlow's events are those of xprof's own rule; the others are those of JAX and PJRT,
 * and what people call their loaders. */
#include "ingest/breakdown/host_states.h"

#include "ingest/hlo/hlo.h"
#include "ops/runtime/text.h"

#include <string.h>
#include <strings.h>

struct named_state {
    const char *text;
    enum host_state state;
};

/* Beginnings, any case. What wraps others says nothing. */
static const struct named_state beginnings[] = {
    {"EagerExecute", HOST_SAYS_NOTHING},
    {"EagerLocalExecute", HOST_SAYS_NOTHING},
    {"EagerKernelExecute", HOST_SAYS_NOTHING},
    {"FunctionRun", HOST_SAYS_NOTHING},
    {"MemcpyHToD", HOST_SENDS},
    {"ExecutorState::Process", HOST_LAUNCHES},
    {"IteratorGetNext", HOST_WAITS_FOR_INPUT},
    {"next(", HOST_WAITS_FOR_INPUT},
    {"PjitFunction(", HOST_LAUNCHES},
};

/* Parts of names, as they are written. */
static const struct named_state parts[] = {
    {"Infeed", HOST_SENDS},
    {"BufferFromHost", HOST_SENDS},
    {"TransferToDevice", HOST_SENDS},
    {"CpuBuffer::CopyToDevice", HOST_SENDS},
    {"Buffer::CopyToDevice", HOST_COMPUTES}, /* what lies on a device: it copies itself */
    {"CopyToDevice", HOST_SENDS},
    {"BatchedDevicePut", HOST_SENDS},
    {"device_put", HOST_SENDS},
    {"data_load", HOST_LOADS},
    {"load_batch", HOST_LOADS},
    {"next_batch", HOST_LOADS},
    {"get_batch", HOST_LOADS},
    {"dataloader", HOST_LOADS},
    {"DataLoader", HOST_LOADS},
    {"input_pipeline", HOST_LOADS},
    {"__next__", HOST_WAITS_FOR_INPUT},
    {"LoadedExecutable::Execute", HOST_LAUNCHES},
    {"save_checkpoint", HOST_SAVES},
    {"checkpoint_save", HOST_SAVES},
    {"write_checkpoint", HOST_SAVES},
    {"CheckpointManager.save", HOST_SAVES},
    {"Checkpointer.save", HOST_SAVES},
};

bool host_event_is_mark(const char *name)
{
    return strchr(name, '/') == NULL &&
           (strncmp(name, "train", strlen("train")) == 0 ||
            strncmp(name, "test", strlen("test")) == 0 ||
            strncmp(name, "TraceContext", strlen("TraceContext")) == 0);
}

enum host_state host_state_of(const char *name, bool has_correlation)
{
    const enum host_word word = host_word_of(name);
    if (word == HOST_WORD_COMPILE)
        return HOST_COMPILES;
    /* What the tracer of Python says of Orbax and others: `$checkpoint_manager.py:1216 save`. */
    if (name[0] == '$' && text_ends_with(name + 1, " save") &&
        strcasestr(name, "checkpoint") != NULL)
        return HOST_SAVES;
    if (word == HOST_WORD_WAIT || host_event_is_mark(name) || name[0] == '$')
        return HOST_SAYS_NOTHING;
    if (has_correlation)
        return HOST_LAUNCHES;
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
        if (strncasecmp(name, beginnings[i].text, strlen(beginnings[i].text)) == 0)
            return beginnings[i].state;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(name, parts[i].text) != NULL)
            return parts[i].state;
    return HOST_COMPUTES;
}
