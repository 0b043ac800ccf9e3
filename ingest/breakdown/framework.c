/* See framework.h. */
#include "ingest/breakdown/framework.h"

#include <string.h>

enum framework framework_of(const struct profile *profile)
{
    for (size_t i = 0; i < profile->space_count; i++)
        if (profile->spaces[i].is_torch)
            return FRAMEWORK_TORCH;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        if (plane->ops.program_count > 0 || strncmp(plane->name, "/device:TPU", 11) == 0)
            return FRAMEWORK_XLA;
    }
    return FRAMEWORK_ANY;
}
