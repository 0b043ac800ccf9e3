/* Finds the roots of hierarchical regions by binary search. */
#include "ops/present/summary/region_roots.h"

#include <stdlib.h>
#include <string.h>

/* Rows of one list: where paths are equal, the address is the place in the document. */
static int root_compare(const void *left, const void *right)
{
    const struct hierarchical_region *a = *(const struct hierarchical_region *const *)left;
    const struct hierarchical_region *b = *(const struct hierarchical_region *const *)right;
    int by_path = strcmp(a->path, b->path);
    return by_path != 0 ? by_path : (a > b) - (a < b);
}

struct region_roots region_roots_make(const struct summary *summary, struct arena *arena)
{
    size_t count = summary->hierarchical_region_count;
    struct region_roots roots = {arena_array(arena, const struct hierarchical_region *, count), 0,
                                 0};
    for (size_t i = 0; i < count; i++) {
        const struct hierarchical_region *region = &summary->hierarchical_regions[i];
        if (region->depth != 1)
            continue;
        roots.items[roots.count++] = region;
        if (region->inclusive_duration > roots.largest)
            roots.largest = region->inclusive_duration;
    }
    qsort(roots.items, roots.count, sizeof *roots.items, root_compare);
    return roots;
}

/* strcmp of the first part of a path with a root's path. */
static int head_compare(const char *path, size_t length, const char *root)
{
    int order = strncmp(path, root, length);
    return order != 0 || root[length] == '\0' ? order : -1;
}

double region_share(const struct region_roots *roots, const struct hierarchical_region *region,
                    double duration)
{
    const char *path = region->path;
    const char *arrow = strstr(path, "=>");
    size_t length = arrow == NULL ? strlen(path) : (size_t)(arrow - path);
    size_t low = 0;
    size_t high = roots->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (head_compare(path, length, roots->items[middle]->path) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < roots->count && head_compare(path, length, roots->items[low]->path) == 0;
    double root = found ? roots->items[low]->inclusive_duration : roots->largest;
    return root > 0 ? duration / root : 0;
}
