/* See copy_way.h. CUPTI and PyTorch write HtoD and H2D, ROCm HostToDevice and, since version 6,
 * HOST_TO_DEVICE. */
#include "schema/documents/copy_way.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

const char *const copy_way_names[COPY_WAY_COUNT] = {
    [COPY_ON_DEVICE] = "device_to_device",
    [COPY_HOST_TO_DEVICE] = "host_to_device",
    [COPY_DEVICE_TO_HOST] = "device_to_host",
    [COPY_INFEED] = "infeed",
};

/* Whether any word stands in the text, in any case. */
static bool has_word(const char *text, const char *const *words)
{
    for (; text != NULL && *words != NULL; words++)
        if (strcasestr(text, *words) != NULL)
            return true;
    return false;
}

enum copy_way copy_way_of(const char *name, const char *opcode, const char *category)
{
    static const char *const infeeds[] = {"infeed", NULL};
    static const char *const to_device[] = {"HtoD",           "H2D",       "HostToDevice",
                                            "HOST_TO_DEVICE", "host recv", NULL};
    static const char *const to_host[] = {
        "DtoH", "D2H", "DeviceToHost", "DEVICE_TO_HOST", "host send", "outfeed", NULL};
    if (has_word(opcode, infeeds) || has_word(category, infeeds))
        return COPY_INFEED;
    if (has_word(name, to_device) || has_word(category, to_device))
        return COPY_HOST_TO_DEVICE;
    return has_word(name, to_host) || has_word(opcode, to_host) || has_word(category, to_host)
               ? COPY_DEVICE_TO_HOST
               : COPY_ON_DEVICE;
}
