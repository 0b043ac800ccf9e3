/* Tables of opcodes and of kernel names. */
#include "ingest/hlo/device_class.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

struct prefix_class {
    const char *prefix;
    enum device_class device_class;
};

/* HLO opcodes and categories; `-start`, `-done` and ` fusion` variants have the same beginning. A
 * plain `copy` runs on the core like any other op: it computes. */
static const struct prefix_class opcodes[] = {
    {"all-reduce", DEVICE_COMMUNICATION},
    {"all-gather", DEVICE_COMMUNICATION},
    {"all-to-all", DEVICE_COMMUNICATION},
    {"reduce-scatter", DEVICE_COMMUNICATION},
    {"ragged-all-to-all", DEVICE_COMMUNICATION},
    {"collective-permute", DEVICE_COMMUNICATION},
    {"collective-broadcast", DEVICE_COMMUNICATION},
    {"async-collective", DEVICE_COMMUNICATION},
    {"send", DEVICE_COMMUNICATION},
    {"recv", DEVICE_COMMUNICATION},
    {"copy-start", DEVICE_COPY},
    {"copy-done", DEVICE_COPY},
    {"async-copy", DEVICE_COPY},
    {"infeed", DEVICE_COPY},
    {"outfeed", DEVICE_COPY},
    {"host send", DEVICE_COPY},
    {"host recv", DEVICE_COPY},
    {"while", DEVICE_CONTAINER},
    {"call", DEVICE_CONTAINER},
    {"conditional", DEVICE_CONTAINER},
};

/* Beginnings of GPU kernel names, any case. */
static const struct prefix_class kernels[] = {
    {"nccl", DEVICE_COMMUNICATION},
    {"rccl", DEVICE_COMMUNICATION},
    {"nvshmem", DEVICE_COMMUNICATION},
    {"memcpyp2p", DEVICE_COMMUNICATION},
    {"memcpyptop", DEVICE_COMMUNICATION},
    {"ragged_all_to_all", DEVICE_COMMUNICATION},
    {"memcpy", DEVICE_COPY},
    {"memset", DEVICE_COPY},
    {"copybuffer", DEVICE_COPY},
    {"copyhostto", DEVICE_COPY}, /* ROCm: CopyHostToDevice, CopyDeviceToDevice … */
    {"copydeviceto", DEVICE_COPY},
    {"memory_copy_", DEVICE_COPY}, /* … and MEMORY_COPY_HOST_TO_DEVICE since ROCm 6 */
    {"__amd_rocclr_copybuffer", DEVICE_COPY},
    {"__amd_rocclr_fillbuffer", DEVICE_COPY},
};

/* What stands anywhere in the names of collective kernels. */
static const char *const collective_words[] = {"all_reduce_kernel", "AllReduceKernel", "one_shot",
                                               "multimem"};

/* Whether the first characters may be the same but for their case; what is no letter is let pass.
 */
static bool begins_alike(const char *text, const char *prefix)
{
    return (*text | 0x20) == (*prefix | 0x20);
}

/* true when the text is the prefix, or goes on as HLO names do: `all-reduce-start.3`, `all-reduce
 * fusion`. A kernel named `send_to_cache` sends nothing. */
static bool is_instruction(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);
    return begins_alike(text, prefix) && strncasecmp(text, prefix, length) == 0 &&
           (text[length] == '\0' || strchr("-. ", text[length]) != NULL);
}

static enum device_class instruction_class(const char *text)
{
    for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++) {
        if (is_instruction(text, opcodes[i].prefix))
            return opcodes[i].device_class;
    }
    return DEVICE_COMPUTE;
}

static enum device_class kernel_class(const char *name)
{
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        if (begins_alike(name, kernels[i].prefix) &&
            strncasecmp(name, kernels[i].prefix, strlen(kernels[i].prefix)) == 0)
            return kernels[i].device_class;
    }
    for (size_t i = 0; i < sizeof collective_words / sizeof collective_words[0]; i++) {
        if (strstr(name, collective_words[i]) != NULL)
            return DEVICE_COMMUNICATION;
    }
    return DEVICE_COMPUTE;
}

enum device_class device_class_of(const char *opcode, const char *category, const char *name)
{
    enum device_class found = DEVICE_COMPUTE;
    if (opcode != NULL)
        found = instruction_class(opcode);
    if (found == DEVICE_COMPUTE && category != NULL)
        found = instruction_class(category);
    return found == DEVICE_COMPUTE ? kernel_class(name) : found;
}

const char *device_class_name(enum device_class device_class)
{
    switch (device_class) {
    case DEVICE_COMMUNICATION:
        return "communication";
    case DEVICE_COPY:
        return "copy";
    case DEVICE_CONTAINER:
        return "container";
    case DEVICE_COMPUTE:
        break;
    }
    return "compute";
}

enum device_class device_class_told(const char *told, const char *opcode, const char *category,
                                    const char *name)
{
    static const enum device_class all[] = {DEVICE_COMPUTE, DEVICE_COMMUNICATION, DEVICE_COPY,
                                            DEVICE_CONTAINER};
    for (size_t i = 0; told != NULL && i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(told, device_class_name(all[i])) == 0)
            return all[i];
    }
    return device_class_of(opcode, category, name);
}

enum copy_way copy_way_told(const char *name, const char *opcode, const char *category,
                            enum hlo_way way)
{
    const enum copy_way told = copy_way_of(name, opcode, category);
    if (told != COPY_ON_DEVICE || way == HLO_ON_DEVICE)
        return told;
    return way == HLO_FROM_HOST ? COPY_HOST_TO_DEVICE : COPY_DEVICE_TO_HOST;
}
