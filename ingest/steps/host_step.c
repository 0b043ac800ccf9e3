/* See host_step.h. */
#include "ingest/steps/host_step.h"

#include <stdlib.h>

static int compare_lengths(const void *a, const void *b)
{
    const int64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

struct usual_steps steps_usual(int64_t *lengths, size_t count)
{
    struct usual_steps usual = {0, 0};
    if (count == 0)
        return usual;
    qsort(lengths, count, sizeof *lengths, compare_lengths);
    usual.middle_ps = lengths[(count - 1) / 2];
    for (size_t i = 0; i < count; i++) {
        if (lengths[i] / 2 <= usual.middle_ps)
            usual.longest_ps = lengths[i];
    }
    return usual;
}
