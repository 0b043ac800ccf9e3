/* See host_skew.h. Steps are aligned by number, which no clock can spoil (spec/xprof.md E.1). */
#include "ingest/host_skew.h"

#include <stdlib.h>
#include <string.h>

/* A step on one host: its first begin and its longest device. */
struct host_part {
    bool any;
    int64_t start_ps, longest_ps;
};

struct comparison {
    struct profile *profile;
    const struct summary *summary;
    size_t *host_of_device;
    struct host_part *parts; /* [step][host] */
    double *values;          /* scratch, one per step */
};

static size_t host_index(const struct profile *profile, const struct xspace *space)
{
    return (size_t)(space - profile->spaces);
}

static struct host_part *part_of(const struct comparison *comparison, size_t step, size_t host)
{
    return &comparison->parts[step * comparison->profile->space_count + host];
}

static bool comparison_init(struct comparison *comparison)
{
    struct profile *profile = comparison->profile;
    const struct step_table *steps = &comparison->summary->steps;
    size_t hosts = profile->space_count, devices = comparison->summary->device_count;
    comparison->host_of_device = arena_array(profile->arena, size_t, devices);
    comparison->parts =
        arena_zalloc(profile->arena, steps->count, hosts * sizeof *comparison->parts);
    comparison->values = arena_array(profile->arena, double, steps->count);
    if (comparison->host_of_device == NULL || comparison->parts == NULL ||
        comparison->values == NULL)
        return false;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        if (state->device != UINT32_MAX)
            comparison->host_of_device[state->device] = host_index(profile, state->plane->space);
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
    return true;
}

static int compare_values(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_values);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static bool offset_add(const struct comparison *comparison, size_t host, struct fact_list *facts,
                       struct err *err)
{
    const struct xspace *spaces = comparison->profile->spaces;
    const double bases_us = (double)((__int128)spaces[host].base_ns - spaces[0].base_ns) / 1e3;
    size_t count = 0;
    for (size_t i = 0; i < comparison->summary->steps.count; i++) {
        const struct host_part *first = part_of(comparison, i, 0);
        const struct host_part *other = part_of(comparison, i, host);
        if (first->any && other->any)
            comparison->values[count++] =
                bases_us + ((double)other->start_ps - (double)first->start_ps) / 1e6;
    }
    if (count == 0)
        return true;
    return fact_add(
        facts,
        (struct fact){arena_printf(facts->arena, "clock_offset_us/%s", spaces[host].host),
                      arena_printf(facts->arena, "%.3f", median(comparison->values, count)),
                      "derived"},
        err);
}

/* Slowest and fastest host of a step that all hosts have. */
static bool step_extremes(const struct comparison *comparison, size_t step, size_t *ret_slowest,
                          int64_t *ret_skew)
{
    int64_t fastest = INT64_MAX, slowest = -1;
    for (size_t host = 0; host < comparison->profile->space_count; host++) {
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

static bool straggler_add(const struct comparison *comparison, struct fact_list *facts,
                          struct err *err)
{
    struct profile *profile = comparison->profile;
    const struct step_table *steps = &comparison->summary->steps;
    size_t *wins = arena_array(profile->arena, size_t, profile->space_count), count = 0, best = 0;
    if (wins == NULL)
        return arena_failed(profile->arena, "the hosts of a profile", err);
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
        return true;
    const struct fact skew = {"step_skew_us",
                              arena_printf(facts->arena, "%.3f", median(comparison->values, count)),
                              "derived"};
    const struct fact straggler = {"straggler_host", profile->spaces[best].host, "derived"};
    return fact_add(facts, skew, err) && (wins[best] == 0 || fact_add(facts, straggler, err));
}

bool host_skew_build(struct profile *profile, const struct summary *summary,
                     struct fact_list *facts, struct err *err)
{
    struct comparison comparison = {.profile = profile, .summary = summary};
    if (profile->space_count < 2 || summary->steps.count == 0 || summary->device_count == 0)
        return true;
    if (!comparison_init(&comparison))
        return arena_failed(profile->arena, "the hosts of a profile", err);
    for (size_t host = 1; host < profile->space_count; host++) {
        if (!offset_add(&comparison, host, facts, err))
            return false;
    }
    return straggler_add(&comparison, facts, err);
}
