/* Gathers the edges: changes of level first, then the ends of drifts that are none of these. */
#include "compare/changes/edges.h"

#include <math.h>

/* A drift is fitted by itself, so its end and a change of level there may be so many values apart.
 */
enum { BESIDE = 2 };

static bool matters_more(double before, double after, double matters)
{
    return fabs(log(after / before)) > matters;
}

static bool is_there(const struct course_edge *edge, size_t place)
{
    return edge->shift == NULL
               ? edge->place == place
               : place + BESIDE >= edge->shift->first && place <= edge->shift->last + BESIDE;
}

/* The edge at that place, which is added where there is none. */
static struct course_edge *edge_at(struct course_edges *edges, size_t place)
{
    size_t at = edges->count;
    for (size_t i = 0; i < edges->count; i++) {
        if (is_there(&edges->items[i], place))
            return &edges->items[i];
    }
    for (; at > 0 && edges->items[at - 1].place > place; at--)
        edges->items[at] = edges->items[at - 1];
    edges->items[at] = (struct course_edge){.place = place};
    edges->count++;
    return &edges->items[at];
}

void course_edges_find(const struct course_findings *found, size_t count, double matters,
                       struct arena *arena, struct course_edges *ret_edges)
{
    struct course_edges edges = {
        arena_array(arena, struct course_edge, found->shift_count + 2 * found->slope_count), 0};
    for (size_t i = 0; i < found->shift_count; i++) {
        const struct course_shift *shift = &found->shifts[i];
        if (shift->confirmed && matters_more(shift->before, shift->after, matters))
            edges.items[edges.count++] =
                (struct course_edge){.place = shift->index, .shift = shift};
    }
    for (size_t i = 0; i < found->slope_count; i++) {
        const struct course_slope *slope = &found->slopes[i];
        if (!slope->is_sure || !matters_more(slope->before, slope->after, matters))
            continue;
        if (slope->first > 0)
            edge_at(&edges, slope->first)->begins = slope;
        if (slope->end < count)
            edge_at(&edges, slope->end)->ends = slope;
    }
    *ret_edges = edges;
}
