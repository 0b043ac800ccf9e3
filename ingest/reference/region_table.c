/* Hierarchical regions: the tree of scopes, pruned of nodes that say nothing more than their only
 * child (profile_summary.v1 §12).
 */
#include "ingest/reference/reference.h"
#include "ingest/timeline/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double relative_tolerance = 1e-9, absolute_tolerance = 1e-6;
static const char separator[] = "=>";

/* The only child of a region, by index; or how many it has. */
struct children {
    uint32_t count, last;
};

static bool nearly_equal(double a, double b)
{
    double larger = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    double tolerance = relative_tolerance * larger;
    if (tolerance < absolute_tolerance)
        tolerance = absolute_tolerance;
    return a == b || fabs(a - b) <= tolerance;
}

/* The text before the last separator; NULL for a root. */
static const char *last_separator(const char *path)
{
    const char *last = NULL;
    for (const char *p = path; (p = strstr(p, separator)) != NULL; p += strlen(separator))
        last = p;
    return last;
}

int region_order(const void *a, const void *b)
{
    const struct hierarchical_region *left = a, *right = b;
    if (left->inclusive_duration != right->inclusive_duration)
        return left->inclusive_duration > right->inclusive_duration ? -1 : 1;
    if (left->exclusive_duration != right->exclusive_duration)
        return left->exclusive_duration > right->exclusive_duration ? -1 : 1;
    return strcmp(left->path, right->path);
}

void region_table_build(struct profile *profile, struct summary *summary)
{
    const struct running_totals *totals = profile->running;
    struct strings *strings = &profile->catalog.strings;
    struct children *children = arena_array(profile->arena, struct children, totals->region_count);
    struct hierarchical_region *rows =
        arena_array(profile->arena, struct hierarchical_region, totals->region_count);
    size_t count = 0;
    for (size_t i = 0; i < totals->region_count; i++) {
        const char *path = strings_text(strings, totals->regions[i].path);
        const char *last = last_separator(path);
        if (last == NULL)
            continue;
        uint32_t text = strings_add(strings, path, (size_t)(last - path));
        int32_t parent = id_map_find(&totals->region_by_path, text);
        if (parent == ID_MAP_ABSENT)
            continue;
        children[parent].count++;
        children[parent].last = (uint32_t)i;
    }
    for (size_t i = 0; i < totals->region_count; i++) {
        const struct region *region = &totals->regions[i];
        if (region->depth > 1 && children[i].count == 1 &&
            nearly_equal(region->inclusive_us, totals->regions[children[i].last].inclusive_us))
            continue;
        rows[count++] = (struct hierarchical_region){catalog_text(&profile->catalog, region->path),
                                                     region->depth, region->count,
                                                     region->inclusive_us, region->exclusive_us};
    }
    qsort(rows, count, sizeof *rows, region_order);
    summary->hierarchical_region_count =
        slice_count_least(count, profile->options->hot_op_limit, REGIONS_LEAST);
    summary->hierarchical_regions = summary->hierarchical_region_count == 0 ? NULL : rows;
}
