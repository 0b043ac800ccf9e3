/* How the hosts of one capture differ. Steps are aligned by number, which no clock can spoil. */
#include "ingest/tables/tables.h"

#include "ingest/lookup/lookup.h"

#include <stdlib.h>
#include <string.h>

/* A step on one host: its first begin and its longest device. */
struct host_part {
    bool any;
    int64_t start_ps, longest_ps;
};

struct comparison {
    const struct summary *summary;
    const struct skew_hosts *hosts;
    struct arena *arena;
    size_t *host_of_device;
    struct host_part *parts; /* [step][host] */
    double *values;          /* scratch, one per step */
};

static struct host_part *part_of(const struct comparison *comparison, size_t step, size_t host)
{
    return &comparison->parts[step * comparison->hosts->count + host];
}

static void comparison_init(struct comparison *comparison)
{
    const struct step_table *steps = &comparison->summary->steps;
    const struct skew_hosts *hosts = comparison->hosts;
    comparison->host_of_device =
        arena_array(comparison->arena, size_t, comparison->summary->device_count);
    comparison->parts =
        arena_zalloc(comparison->arena, steps->count, hosts->count * sizeof *comparison->parts);
    comparison->values = arena_array(comparison->arena, double, steps->count);
    for (size_t host = 0; host < hosts->count; host++) {
        for (uint32_t d = hosts->first_devices[host]; d < hosts->first_devices[host + 1]; d++)
            comparison->host_of_device[d] = host;
    }
    for (size_t i = 0; i < steps->count; i++) {
        for (size_t s = 0; s < steps->rows[i].span_count; s++) {
            const struct step_span *span = &steps->rows[i].spans[s];
            struct host_part *part =
                part_of(comparison, i, comparison->host_of_device[span->device]);
            if (!part->any || span->start_ps < part->start_ps)
                part->start_ps = span->start_ps;
            if (span->duration_ps > part->longest_ps)
                part->longest_ps = span->duration_ps;
            part->any = true;
        }
    }
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, f64_order);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static void offset_add(const struct comparison *comparison, size_t host, struct fact_list *facts)
{
    size_t count = 0;
    for (size_t i = 0; i < comparison->summary->steps.count; i++) {
        const struct host_part *first = part_of(comparison, i, 0);
        const struct host_part *other = part_of(comparison, i, host);
        if (first->any && other->any)
            comparison->values[count++] = comparison->hosts->bases_us[host] +
                                          ((double)other->start_ps - (double)first->start_ps) / 1e6;
    }
    if (count > 0)
        fact_add(
            facts,
            (struct fact){
                arena_printf(facts->arena, "clock_offset_us/%s", comparison->hosts->names[host]),
                arena_printf(facts->arena, "%.3f", median(comparison->values, count)), "derived"});
}

/* Slowest and fastest host of a step that all hosts have. */
static bool step_extremes(const struct comparison *comparison, size_t step, size_t *ret_slowest,
                          int64_t *ret_skew)
{
    int64_t fastest = INT64_MAX, slowest = -1;
    for (size_t host = 0; host < comparison->hosts->count; host++) {
        const struct host_part *part = part_of(comparison, step, host);
        if (!part->any)
            return false;
        fastest = part->longest_ps < fastest ? part->longest_ps : fastest;
        if (part->longest_ps > slowest) {
            slowest = part->longest_ps;
            *ret_slowest = host;
        }
    }
    *ret_skew = slowest - fastest;
    return true;
}

static void straggler_add(const struct comparison *comparison, struct fact_list *facts)
{
    const struct step_table *steps = &comparison->summary->steps;
    size_t *wins = arena_array(comparison->arena, size_t, comparison->hosts->count);
    size_t count = 0, best = 0;
    for (size_t i = 0; i < steps->count; i++) {
        size_t slowest = 0;
        int64_t skew;
        if (steps->rows[i].warmup || !step_extremes(comparison, i, &slowest, &skew))
            continue;
        comparison->values[count++] = (double)skew / 1e6;
        wins[slowest] += skew > 0;
        if (wins[slowest] > wins[best])
            best = slowest;
    }
    if (count == 0)
        return;
    const struct fact skew = {"step_skew_us",
                              arena_printf(facts->arena, "%.3f", median(comparison->values, count)),
                              "derived"};
    const struct fact straggler = {"straggler_host", comparison->hosts->names[best], "derived"};
    fact_add(facts, skew);
    if (wins[best] > 0)
        fact_add(facts, straggler);
}

void host_skew_build(const struct summary *summary, const struct skew_hosts *hosts,
                     struct fact_list *facts)
{
    struct comparison comparison = {.summary = summary, .hosts = hosts, .arena = facts->arena};
    if (hosts->count < 2 || summary->steps.count == 0 || summary->device_count == 0)
        return;
    comparison_init(&comparison);
    for (size_t host = 1; host < hosts->count; host++)
        offset_add(&comparison, host, facts);
    straggler_add(&comparison, facts);
}
