/* What the hosts of a capture say of themselves: the first that knows a fact is taken, and where
 * they differ it is noted. */
#include "ingest/merge/merging.h"

#include "ingest/source/source.h"
#include "ingest/steps/steps.h"
#include "ingest/tables/tables.h"

#include <stdlib.h>
#include <string.h>

/* So many differences are named one by one, the rest only counted. */
enum { MOST_NAMED = 8 };

bool merging_shift(const struct merging *merging, size_t host, int64_t *ret_ps)
{
    int64_t least = INT64_MAX, most = INT64_MIN, ps;
    for (size_t h = 0; h < merging->count; h++) {
        int64_t base = host_of(merging->hosts[h])->base_ns;
        least = base < least ? base : least;
        most = base > most ? base : most;
    }
    *ret_ps = 0;
    if (__builtin_sub_overflow(most, least, &ps) || __builtin_mul_overflow(ps, (int64_t)1000, &ps))
        return false;
    *ret_ps = (host_of(merging->hosts[host])->base_ns - least) * 1000;
    return true;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void facts_merge(struct merging *merging, struct fact_list *facts)
{
    size_t differ = 0;
    for (size_t h = 0; h < merging->count; h++) {
        const struct environment *own = &merging->hosts[h]->environment;
        for (size_t i = 0; i < own->fact_count; i++) {
            const struct fact *known = fact_find(facts->environment, own->facts[i].name);
            bool other = known != NULL && strcmp(known->value, own->facts[i].value) != 0;
            if (other && ++differ <= MOST_NAMED)
                NOTE(&merging->notes, "Hosts differ in %s: '%s', and on %s '%s'.", known->name,
                     known->value, merging->names[h], own->facts[i].value);
            if (known == NULL)
                fact_add(facts, own->facts[i]);
        }
    }
    if (differ > MOST_NAMED)
        NOTE(&merging->notes, "%zu more facts differ among the hosts.", differ - MOST_NAMED);
}

static void peaks_merge(struct merging *merging, struct environment *environment)
{
    size_t total = 0;
    for (size_t h = 0; h < merging->count; h++)
        total += merging->hosts[h]->environment.peak_count;
    environment->peaks = arena_array(merging->arena, struct device_peak, total);
    for (size_t h = 0; h < merging->count; h++) {
        const struct environment *own = &merging->hosts[h]->environment;
        for (size_t i = 0; i < own->peak_count; i++) {
            struct device_peak *peak = &environment->peaks[environment->peak_count++];
            *peak = own->peaks[i];
            peak->device =
                arena_printf(merging->arena, "%s%s", merging->names[h], own->peaks[i].device);
        }
    }
    if (total == 0)
        environment->peaks = NULL;
}

void merge_environment(struct merging *merging)
{
    struct environment *environment = &merging->summary->environment;
    struct fact_list facts = {merging->arena, environment, 0};
    const char **hosts = arena_array(merging->arena, const char *, merging->count);
    memcpy(hosts, merging->names, merging->count * sizeof *hosts);
    qsort(hosts, merging->count, sizeof *hosts, compare_texts);
    *environment = (struct environment){.hosts = {hosts, merging->count}};
    environment->host_count = some_i64((int64_t)merging->count);
    for (size_t h = 0; h < merging->count; h++) {
        const struct environment *own = &merging->hosts[h]->environment;
        if (environment->device_type == NULL)
            environment->device_type = own->device_type;
        if (environment->topology == NULL)
            environment->topology = own->topology;
        if (own->device_count.set)
            environment->device_count =
                some_i64(environment->device_count.value + own->device_count.value);
    }
    double *bases_us = arena_array(merging->arena, double, merging->count);
    for (size_t h = 0; h < merging->count; h++) {
        int64_t shift; /* when it is known, times count from one base */
        __int128 base_ns = host_of(merging->hosts[h])->base_ns;
        if (!merging_shift(merging, h, &shift))
            bases_us[h] = (double)(base_ns - host_of(merging->hosts[0])->base_ns) / 1e3;
    }
    const struct skew_hosts skew = {merging->names, merging->first_devices, merging->count,
                                    bases_us};
    facts_merge(merging, &facts);
    size_t total = 0;
    for (size_t h = 0; h < merging->count; h++)
        total += merging->hosts[h]->environment.program_count;
    struct hlo_program *programs = arena_array(merging->arena, struct hlo_program, total);
    total = 0;
    for (size_t h = 0; h < merging->count; h++) {
        const struct environment *own = &merging->hosts[h]->environment;
        for (size_t i = 0; i < own->program_count; i++)
            programs[total++] = own->programs[i];
    }
    program_rows_unite(environment, programs, total);
    peaks_merge(merging, environment);
    host_skew_build(merging->summary, &skew, &facts);
    facts_sort(environment);
}
