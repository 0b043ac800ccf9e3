/* Counts over all events, run ids, source files and warnings (profile_summary.v1 §3, §14). */
#include "ingest/reference/reference.h"
#include "ingest/source/source.h"
#include "ops/runtime/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOP_ROWS = 20 };
/* Export caps of known collectors. */
static const int64_t collector_caps[] = {1000000, 5000000};

/* ---- overview -------------------------------------------------------------------------------- */

/* Distinct line ids of a plane. */
static int64_t thread_count(struct profile *profile, const struct xplane *plane)
{
    struct arena *scratch = &profile->catalog.scratch;
    struct arena_mark mark = arena_mark(scratch);
    int64_t *ids = arena_array(scratch, int64_t, plane->line_count), count = 0;
    for (size_t i = 0; i < plane->line_count; i++)
        ids[i] = plane->lines[i].id;
    qsort(ids, plane->line_count, sizeof *ids, i64_order);
    for (size_t i = 0; i < plane->line_count; i++)
        count += i == 0 || ids[i] != ids[i - 1];
    arena_rewind(scratch, mark);
    return count;
}

static void overview_build(struct profile *profile, struct trace_overview *overview)
{
    const struct stated_counts *said = profile->spaces[0].said;
    overview->display_time_unit = said == NULL ? "us" : said->time_unit;
    overview->duration_basis = "exclusive_duration_per_track";
    overview->num_events_total = profile->event_count;
    overview->num_processes = said == NULL ? (int64_t)profile->plane_count : said->processes;
    overview->num_threads = said == NULL ? 0 : said->threads;
    for (size_t p = 0; p < profile->plane_count && said == NULL; p++)
        overview->num_threads += thread_count(profile, profile->planes[p].plane);
    for (size_t i = 0; i < profile->line_count; i++) {
        const struct line_sums *line = &profile->lines[i];
        if (line->count == 0)
            continue;
        overview->num_complete_events += line->count;
        if (!overview->profile_start_ts.set || line->start_us < overview->profile_start_ts.value)
            overview->profile_start_ts = some_f64(line->start_us);
        if (!overview->profile_end_ts.set || line->end_us > overview->profile_end_ts.value)
            overview->profile_end_ts = some_f64(line->end_us);
    }
}

/* ---- warnings -------------------------------------------------------------------------------- */

/* The reference aborts on these lines of an XPlane file, those of a trace it sorts; we sort all. */
static void disorder_warn(const struct profile *profile, struct notes *warnings)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        for (size_t i = 0; i < plane->line_count; i++) {
            const struct xline *line = &plane->lines[i];
            bool detailed = line->role == LINE_OPS || (line->role == LINE_DEVICE &&
                                                       profile->options->mode == BREAKDOWN_GLOBAL);
            if (line->unsorted_us && plane->space->store == NULL)
                NOTE(warnings,
                     "Events on %s track (%u, %lld) were not in timeline "
                     "order; they were sorted.",
                     detailed ? "trace" : "XPlane", plane->pid, (long long)line->id);
        }
    }
}

static void warnings_build(struct profile *profile, struct trace_overview *overview)
{
    struct notes warnings = {.arena = profile->arena};
    for (size_t i = 0; i < sizeof collector_caps / sizeof collector_caps[0]; i++) {
        char number[FORMAT_BYTES];
        if (overview->num_complete_events != collector_caps[i])
            continue;
        overview->suspected_truncation = true;
        NOTE(&warnings,
             "Trace contains exactly %s complete events; this often "
             "indicates export truncation at a collector cap.",
             format_count(collector_caps[i], number));
    }
    for (size_t s = 0; s < profile->space_count; s++) {
        const struct string_list lists[] = {profile->spaces[s].warnings, profile->spaces[s].errors};
        for (size_t l = 0; l < 2; l++) {
            for (size_t i = 0; i < lists[l].count; i++)
                note_add(&warnings, lists[l].items[i]);
        }
    }
    if (overview->num_complete_events == 0 && profile->spaces[0].store == NULL)
        note_add(&warnings, "XPlane protobuf contained no direct timeline events with "
                            "offset/duration data.");
    disorder_warn(profile, &warnings);
    for (size_t s = 0; s < profile->space_count; s++) {
        const struct xspace *space = &profile->spaces[s];
        if (space->unread_bytes > 0)
            NOTE(&warnings, "'%s' is cut off: what is whole in its %lld bytes was read.",
                 space->input.path, (long long)space->input.size_bytes);
    }
    overview->quality_warnings = notes_list(&warnings);
}

/* ---- provenance ------------------------------------------------------------------------------ */

/* The first rows of a counter of texts. */
static struct string_list top_rows(struct profile *profile, struct counter *counter)
{
    counter_sort(counter);
    size_t count = counter->item_count < TOP_ROWS ? counter->item_count : TOP_ROWS;
    const char **items = arena_array(profile->arena, const char *, count);
    for (size_t i = 0; i < count; i++)
        items[i] = catalog_text(&profile->catalog, (uint32_t)counter->items[i].key);
    return (struct string_list){count == 0 ? NULL : items, count};
}

static void runs_collect(struct profile *profile, const struct plane_state *state,
                         struct counter *counter)
{
    for (int stage = 0; stage < STAGE_COUNT; stage++) {
        const struct counter *numbers = &state->run_numbers[stage];
        const struct counter *texts = &state->run_texts[stage];
        for (size_t i = 0; i < numbers->item_count; i++) {
            const struct count *item = &numbers->items[i];
            char digits[24];
            int length = snprintf(digits, sizeof digits, "%" PRId64, item->key);
            uint32_t text = strings_add(&profile->catalog.strings, digits, (size_t)length);
            counter_add(counter, text, item->count, item->first_seen);
        }
        for (size_t i = 0; i < texts->item_count; i++) {
            const struct count *item = &texts->items[i];
            counter_add(counter, item->key, item->count, item->first_seen);
        }
    }
}

static void sources_collect(const struct plane_state *state, struct counter *counter)
{
    const struct plane_ops *ops = &state->plane->ops;
    for (size_t i = 0; i < ops->count; i++) {
        const struct op_seen *seen = &ops->seen[i];
        const struct op_tally *tally = ops->is_device ? &ops->tallies[i] : NULL;
        uint32_t source = ops->ops[i].source;
        if (source == STRING_NONE)
            continue;
        if (seen->count > 0)
            counter_add(counter, source, seen->count, seen->first_seen);
        if (tally != NULL && tally->count > 0)
            counter_add(counter, source, tally->count, tally->first_seen);
    }
}

void provenance_build(struct profile *profile, struct summary *summary)
{
    struct counter runs, sources;
    counter_init(&runs, profile->arena);
    counter_init(&sources, profile->arena);
    for (size_t p = 0; p < profile->plane_count; p++) {
        runs_collect(profile, &profile->planes[p], &runs);
        sources_collect(&profile->planes[p], &sources);
    }
    summary->trace_provenance.run_ids = top_rows(profile, &runs);
    summary->trace_provenance.source_file_hints = top_rows(profile, &sources);
    overview_build(profile, &summary->trace_overview);
    warnings_build(profile, &summary->trace_overview);
}
