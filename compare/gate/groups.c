/* Implements the groups: each kind is a function that lists what one profile has of it; cells of
 * all profiles are sorted and averaged per name.
 *
 * Phases and categories are self time of ops inside steady steps, per step and device. Collectives,
 * gaps (before ops that run on the device) and regions are totals of profile_summary.v1 over the
 * whole capture, divided by all its device steps, and left out where much of a capture belongs to
 * no step. Hosts and devices are median steady steps. Each is the mean of the runs that have it:
 * the others say nothing of its time.
 */
#include "compare/gate/groups.h"
#include "compare/runs/runs.h"
#include "schema/documents/op_semantics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum group_kind {
    GROUP_PHASE,
    GROUP_CATEGORY,
    GROUP_COLLECTIVE,
    GROUP_GAP,
    GROUP_REGION,
    GROUP_HOST,
    GROUP_DEVICE,
    GROUP_KIND_COUNT
};

static const char *const kind_names[GROUP_KIND_COUNT] = {
    [GROUP_PHASE] = "phase",   [GROUP_CATEGORY] = "category", [GROUP_COLLECTIVE] = "collective",
    [GROUP_GAP] = "gap",       [GROUP_REGION] = "region",     [GROUP_HOST] = "host",
    [GROUP_DEVICE] = "device",
};

/* A part of one group's time in one profile. */
struct group_cell {
    enum group_kind kind;
    const char *name;
    bool after; /* of the candidate */
    size_t run; /* of its side */
    double us;  /* the sum over a run is its own */
};

struct cell_list {
    struct group_cell *items;
    size_t count, capacity;
    struct gate_state *judgement;
    bool after, whole; /* whole captures tell of steps */
    size_t run;
    double weight; /* of the profile in its run's mean */
};

/* ---- what one profile has -------------------------------------------------------------------- */

static void cell_add(struct cell_list *list, enum group_kind kind, const char *name, double us)
{
    struct group_cell *items = arena_grow(list->judgement->arena, list->items, list->count,
                                          &list->capacity, sizeof *items);
    list->items = items;
    items[list->count++] = (struct group_cell){kind, name == NULL ? "unknown" : name, list->after,
                                               list->run, us * list->weight};
}

static void ops_collect(struct cell_list *list, const struct summary *summary)
{
    double divisor = (double)summary->steps.steady_spans * 1e6;
    for (size_t i = 0; i < summary->op_count && divisor > 0; i++) {
        const struct op_row *row = &summary->ops[i];
        if (row->asynchronous || row->steady_self_ps <= 0)
            continue;
        cell_add(list, GROUP_PHASE, row->phase, (double)row->steady_self_ps / divisor);
        cell_add(list, GROUP_CATEGORY, row->category, (double)row->steady_self_ps / divisor);
    }
}

/* Between operations in flight there is no gap of a device. */
static bool is_in_flight(const struct summary *summary, const char *name)
{
    for (size_t i = 0; i < summary->op_count; i++) {
        if (summary->ops[i].asynchronous && strcmp(summary->ops[i].name, name) == 0)
            return true;
    }
    return false;
}

static void totals_collect(struct cell_list *list, const struct summary *summary)
{
    size_t spans = 0;
    for (size_t i = 0; i < summary->steps.count; i++)
        spans += summary->steps.rows[i].span_count;
    if (spans == 0)
        return;
    double divisor = (double)spans;
    for (size_t i = 0; i < summary->communication_op_count; i++)
        cell_add(list, GROUP_COLLECTIVE, summary->communication_ops[i].collective,
                 summary->communication_ops[i].total_duration / divisor);
    /* By what the ops are called without the numbers that every compilation deals out anew. */
    for (size_t i = 0; i < summary->gap_before_op_count; i++) {
        const struct gap_before_op *gap = &summary->gap_before_ops[i];
        if (is_in_flight(summary, gap->name))
            continue;
        const char *name = op_canonical_name(list->judgement->arena, gap->name);
        cell_add(list, GROUP_GAP, name, gap->total_gap_duration / divisor);
    }
    for (size_t i = 0; i < summary->hierarchical_region_count; i++)
        cell_add(list, GROUP_REGION, summary->hierarchical_regions[i].path,
                 summary->hierarchical_regions[i].exclusive_duration / divisor);
}

/* How many devices of the host have steps. */
static size_t host_device_count(const struct summary *summary, const char *host)
{
    size_t count = 0;
    for (size_t i = 0; i < summary->device_count; i++)
        count += summary->devices[i].host != NULL &&
                 summary->devices[i].steady_step_median_ps > 0 &&
                 strcmp(summary->devices[i].host, host) == 0;
    return count;
}

/* A host's step is the mean of its devices', which mostly stand together: they are counted once. */
static void devices_collect(struct cell_list *list, const struct summary *summary)
{
    const char *host = NULL;
    size_t of_host = 0;
    for (size_t i = 0; i < summary->device_count; i++) {
        const struct device_row *device = &summary->devices[i];
        if (device->steady_step_median_ps <= 0)
            continue;
        double us = (double)device->steady_step_median_ps / 1e6;
        cell_add(list, GROUP_DEVICE, device->name, us);
        if (device->host == NULL)
            continue;
        if (host == NULL || strcmp(host, device->host) != 0)
            of_host = host_device_count(summary, device->host);
        host = device->host;
        cell_add(list, GROUP_HOST, host, us / (double)of_host);
    }
}

static void side_collect(struct cell_list *list, const struct gate_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        const struct gate_run *run = &runs->items[i];
        list->run = i;
        list->weight = 1 / (double)run->profile_count;
        for (size_t j = 0; j < run->profile_count; j++) {
            ops_collect(list, run->profiles[j]->summary);
            if (list->whole)
                totals_collect(list, run->profiles[j]->summary);
            devices_collect(list, run->profiles[j]->summary);
        }
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* By size last: the order in which a profile lists its ops must not change a sum. */
static int cell_order(const void *left, const void *right)
{
    const struct group_cell *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    int order = strcmp(a->name, b->name);
    if (order != 0 || a->after != b->after)
        return order != 0 ? order : a->after - b->after;
    if (a->run != b->run)
        return a->run < b->run ? -1 : 1;
    return (a->us > b->us) - (a->us < b->us);
}

struct ranked_group {
    enum group_kind kind;
    struct verdict_group row;
};

static int group_order(const void *left, const void *right)
{
    const struct ranked_group *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    double x = fabs(a->row.delta_us), y = fabs(b->row.delta_us);
    if (x != y)
        return x > y ? -1 : 1;
    return strcmp(a->row.name, b->row.name);
}

/* The time of the side's runs that have the group, of which cells[*at] is the first; *at: the first
 * cell behind them. 0: none has it. */
static double side_mean(const struct cell_list *cells, size_t *at, bool after, size_t *ret_runs)
{
    const struct group_cell *first = &cells->items[*at], *before = NULL;
    double sum = 0;
    size_t runs = 0;
    for (; *at < cells->count; ++*at) {
        const struct group_cell *cell = &cells->items[*at];
        if (cell->kind != first->kind || cell->after != after ||
            strcmp(cell->name, first->name) != 0)
            break;
        runs += before == NULL || before->run != cell->run;
        sum += cell->us;
        before = cell;
    }
    *ret_runs = runs;
    return runs == 0 ? 0 : sum / (double)runs;
}

/* Whether nearly all that devices did belongs to steps. */
static bool steps_hold_all(const struct gate_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        for (size_t j = 0; j < runs->items[i].profile_count; j++) {
            if (profile_apart_share(runs->items[i].profiles[j]->summary) >= apart_share_told)
                return false;
        }
    }
    return true;
}

void groups_compare(struct gate_state *judgement)
{
    const struct op_sides *sides = &judgement->op_sides;
    struct cell_list cells = {.judgement = judgement,
                              .whole =
                                  steps_hold_all(&sides->before) && steps_hold_all(&sides->after)};
    if (sides->per_call)
        return;
    side_collect(&cells, &sides->before);
    cells.after = true;
    side_collect(&cells, &sides->after);
    struct ranked_group *groups = arena_array(judgement->arena, struct ranked_group, cells.count);
    judgement->verdict->groups = arena_array(judgement->arena, struct verdict_group, cells.count);
    if (cells.count == 0)
        return;
    qsort(cells.items, cells.count, sizeof *cells.items, cell_order);
    /* What half of the past runs do without, and the candidate, too, is not gone now. */
    const size_t past = sides->before.count, candidate = sides->after.count;
    size_t count = 0;
    for (size_t at = 0; at < cells.count;) {
        const struct group_cell *first = &cells.items[at];
        size_t before_runs, after_runs;
        const double before = side_mean(&cells, &at, false, &before_runs);
        double after = 0;
        after_runs = 0;
        if (at < cells.count && cells.items[at].kind == first->kind &&
            strcmp(cells.items[at].name, first->name) == 0)
            after = side_mean(&cells, &at, true, &after_runs);
        if (after_runs == 0 && 2 * before_runs <= past)
            continue;
        groups[count++] =
            (struct ranked_group){first->kind,
                                  {.kind = kind_names[first->kind],
                                   .name = first->name,
                                   .before_us = before,
                                   .after_us = after,
                                   .delta_us = after - before,
                                   .before_runs = verdict_part_of(before_runs, past),
                                   .after_runs = verdict_part_of(after_runs, candidate)}};
    }
    struct verdict *verdict = judgement->verdict;
    double shown[GROUP_KIND_COUNT] = {0};
    qsort(groups, count, sizeof *groups, group_order);
    for (size_t i = 0; i < count; i++) {
        if (groups[i].row.delta_us == 0 || shown[groups[i].kind]++ >= judgement->policy->op_limit)
            continue;
        verdict->groups[verdict->group_count++] = groups[i].row;
    }
}
