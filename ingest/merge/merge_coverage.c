/* What the summary of a capture does not hold and why: what its hosts say, each sentence once, and
 * what is only seen among them. */
#include "ingest/merge/merging.h"

#include "ingest/tables/tables.h"
#include "ops/runtime/file.h"

#include <string.h>

/* A kind of finding is named so often one by one, the rest only counted. */
enum { MOST_NAMED = 8 };

/* Whether a host says it, and not because it has nothing on devices where others have: of that one
 * note tells. */
static bool says(const struct merging *merging, const struct summary *host, const char *text)
{
    static const char *const begins[] = {"No device planes", "The device type is unknown",
                                         "No steps were found", "None of "};
    bool said = false, implied = false;
    for (size_t i = 0; i < host->coverage.warnings.count && !said; i++)
        said = strcmp(host->coverage.warnings.items[i], text) == 0;
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        implied = implied || strncmp(text, begins[i], strlen(begins[i])) == 0;
    return said && !(implied && host->device_count == 0 && merging->summary->device_count > 0);
}

/* What a host says, once: as it stands when all hosts say it. */
static void warnings_merge(struct merging *merging, struct notes *out)
{
    for (size_t h = 0; h < merging->count; h++) {
        const struct string_list *own = &merging->hosts[h]->coverage.warnings;
        for (size_t i = 0; i < own->count; i++) {
            size_t count = 0, first = merging->count;
            for (size_t other = 0; other < merging->count; other++) {
                bool same = says(merging, merging->hosts[other], own->items[i]);
                first = same && first == merging->count ? other : first;
                count += same;
            }
            if (first != h)
                continue;
            if (count == merging->count)
                note_add(out, own->items[i]);
            else if (count == 1)
                NOTE(out, "Host %s: %s", merging->names[h], own->items[i]);
            else
                NOTE(out, "%zu of %zu hosts (the first: %s): %s", count, merging->count,
                     merging->names[h], own->items[i]);
        }
    }
}

static void silent_hosts_note(struct merging *merging)
{
    size_t count = 0, deviceless = 0, first = 0;
    for (size_t h = 0; h < merging->count; h++) {
        const struct summary *host = merging->hosts[h];
        bool silent = host->trace_overview.num_complete_events == 0;
        if (silent && ++count <= MOST_NAMED)
            NOTE(&merging->notes,
                 "Host '%s' recorded no events: '%s' has %lld bytes and nothing to count.",
                 merging->names[h], path_base(host->sources[0].path),
                 (long long)host->sources[0].size_bytes);
        if (!silent && host->device_count == 0 && deviceless++ == 0)
            first = h;
    }
    if (count > MOST_NAMED)
        NOTE(&merging->notes, "%zu more hosts recorded no events.", count - MOST_NAMED);
    if (merging->summary->device_count > 0 && deviceless > 0)
        NOTE(&merging->notes,
             "%zu of %zu hosts have events, but no device with ops (the first: '%s').", deviceless,
             merging->count, merging->names[first]);
}

void merge_coverage(struct merging *merging)
{
    struct coverage *coverage = &merging->summary->coverage;
    struct notes warnings = {.arena = merging->arena};
    const int64_t limit = merging->summary->producer.hot_op_limit;
    double idle_us = 0, spans = 0, all_ps = 0, joined_ps = 0; /* of the ops of all hosts */
    bool cut = false;
    *coverage = (struct coverage){0};
    for (size_t h = 0; h < merging->count; h++) {
        const struct summary *host = merging->hosts[h];
        const struct coverage *own = &host->coverage;
        double own_spans = (double)host->steps.steady_spans, own_ps = 0;
        coverage->events_dropped_counter += own->events_dropped_counter;
        coverage->events_dropped_zero += own->events_dropped_zero;
        coverage->events_dropped_nameless += own->events_dropped_nameless;
        coverage->events_out_of_range += own->events_out_of_range;
        coverage->unsorted_lines += own->unsorted_lines;
        coverage->bytes_read += own->bytes_read;
        coverage->bytes_unread += own->bytes_unread;
        opt_count_add(&coverage->bytes_behind, own->bytes_behind.value);
        opt_count_add(&coverage->files_unproven, own->files_unproven.value);
        opt_count_add(&coverage->steps_unmarked, own->steps_unmarked.value);
        opt_count_add(&coverage->ops_apart, own->ops_apart.value);
        if (own->ops_apart_us.set)
            coverage->ops_apart_us =
                some_f64(coverage->ops_apart_us.value + own->ops_apart_us.value);
        idle_us += own->steady_idle_us_per_step * own_spans;
        spans += own_spans;
        for (size_t i = 0; i < host->op_count; i++)
            own_ps += host->ops[i].asynchronous ? 0 : (double)host->ops[i].self_ps;
        all_ps += own_ps;
        joined_ps += own_ps * own->joined_time_share.value;
        cut = cut || (limit >= 0 && (int64_t)host->hot_op_count >= limit);
    }
    coverage->steady_idle_us_per_step = spans > 0 ? idle_us / spans : 0;
    if (merging->summary->has_program_ops && all_ps > 0)
        coverage->joined_time_share = some_f64(joined_ps / all_ps);
    warnings_merge(merging, &warnings);
    silent_hosts_note(merging);
    if (cut)
        NOTE(&merging->notes, "hot_ops, semantic_families, regions and gaps of several hosts add "
                              "up the rows that each host's own table has; `ops` is whole.");
    missing_steps_note(merging->summary, &merging->notes);
    for (size_t i = 0; i < merging->notes.count; i++)
        note_add(&warnings, merging->notes.items[i]);
    coverage->warnings = notes_list(&warnings);
}
