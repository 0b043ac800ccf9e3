/* The limits of the reference tool: they cut as Python slices do. */
#ifndef OPS_PRESENT_SUMMARY_SLICE_H
#define OPS_PRESENT_SUMMARY_SLICE_H

#include <stddef.h>
#include <stdint.h>

/* Length of list[:limit] for a list of `count`: a negative limit drops that many at the end. */
static inline size_t slice_count(size_t count, int64_t limit)
{
    uint64_t size = count;
    if (limit >= 0)
        return (uint64_t)limit < size ? (size_t)limit : count;
    uint64_t dropped = (uint64_t) - (limit + 1) + 1;
    return dropped < size ? (size_t)(size - dropped) : 0;
}

#endif
