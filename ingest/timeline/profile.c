/* Opening a profile: files to planes and lines with roles and numbers. */
#include "ingest/timeline/profile.h"
#include "ingest/timeline/line_work.h"
#include "ingest/timeline/running_totals.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    /* Ids that a viewer gives to the lines it derives: from 0xdeadbeef on, maybe sign-extended. */
    DERIVED_IDS = 400,
};
static const uint32_t derived_first_id = UINT32_C(0xDEADBEEF);

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* ---- roles ----------------------------------------------------------------------------------- */

static bool is_stream(const struct xline *line)
{
    return starts_with(line->name, "Stream #");
}

static bool has_streams(const struct xplane *plane)
{
    for (size_t i = 0; i < plane->line_count; i++) {
        if (is_stream(&plane->lines[i]))
            return true;
    }
    return false;
}

/* A GPU's ops are recorded on streams; the other lines of such a plane are made from them. */
static bool is_derived(const struct xline *line, bool streams)
{
    uint32_t id = (uint32_t)line->id - derived_first_id;
    return id < DERIVED_IDS || (streams && !is_stream(line));
}

static void line_classify(const struct xplane *plane, struct xline *line)
{
    bool ops = is_stream(line) || strcmp(line->name, "XLA Ops") == 0 ||
               strcmp(line->name, "Async XLA Ops") == 0;
    line->is_steps = strcmp(line->name, "Steps") == 0;
    line->asynchronous = strcmp(line->name, "Async XLA Ops") == 0;
    line->derived = plane->is_device && is_derived(line, plane->has_streams);
    line->role = plane->is_host      ? LINE_HOST
                 : !plane->is_device ? LINE_UNKNOWN
                 : ops               ? LINE_OPS
                 : line->is_steps    ? LINE_STEPS
                                     : LINE_DEVICE;
}

static void plane_classify(struct profile *profile, struct xplane *plane)
{
    plane->is_device = starts_with(plane->process, "/device:");
    plane->is_host = starts_with(plane->process, "/host:");
    plane->pid = (uint32_t)++profile->plane_count;
    plane->has_streams = has_streams(plane);
    for (size_t i = 0; i < plane->line_count; i++) {
        struct xline *line = &plane->lines[i];
        line->ordinal = (uint32_t)profile->line_count++;
        line_classify(plane, line);
        progress_expect(&profile->progress, line->end - line->begin);
    }
}

/* ---- time base ------------------------------------------------------------------------------- */

/* false when there is none. */
static bool smallest_timestamp(const struct profile *profile, bool ops_only, int64_t *ret_ns)
{
    bool found = false;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        for (size_t i = 0; i < plane->line_count; i++) {
            const struct xline *line = &plane->lines[i];
            if (!line_has_events(line) || (ops_only && line->role != LINE_OPS) ||
                (found && line->timestamp_ns >= *ret_ns))
                continue;
            *ret_ns = line->timestamp_ns;
            found = true;
        }
    }
    return found;
}

static bool ops_in_range(const struct profile *profile)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        for (size_t i = 0; i < plane->line_count; i++) {
            int64_t ps;
            if (plane->lines[i].role == LINE_OPS && line_has_events(&plane->lines[i]) &&
                !line_base_ps(plane->space, &plane->lines[i], &ps))
                return false;
        }
    }
    return true;
}

/* The smallest timestamp of all lines. Device ops must have a place in picoseconds whatever clock
 * other planes have; when they would not, the base is the smallest of theirs. */
static void base_find(struct profile *profile)
{
    for (int ops_only = 0; ops_only < 2; ops_only++) {
        int64_t base_ns = 0;
        (void)smallest_timestamp(profile, ops_only, &base_ns);
        for (size_t s = 0; s < profile->space_count; s++)
            profile->spaces[s].base_ns = base_ns;
        if (ops_in_range(profile))
            return;
    }
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Each file is looked through, streamed, and hashed if that has no thread of its own; what of it
 * needs not be is taken back once it is known. */
static void files_expect(struct profile *profile, const struct profile_files *files)
{
    const int64_t times = profile->options->threads > 1 ? 2 : 3;
    for (size_t i = 0; i < files->file_count; i++) {
        struct stat info;
        if (stat(files->files[i], &info) == 0)
            progress_expect(&profile->progress, times * (int64_t)info.st_size);
    }
}

static bool spaces_open(struct profile *profile, const struct profile_files *files, struct err *err)
{
    const struct index_options index = {profile->options, profile->opener->may_skip,
                                        &profile->progress, &profile->catalog};
    profile->spaces = arena_array(profile->arena, struct xspace, files->file_count);
    for (size_t i = 0; i < files->file_count; i++) {
        struct xspace *space = &profile->spaces[profile->space_count++];
        if (!profile->opener->open(files->files[i], &index, profile->arena, space, err))
            return false;
        progress_expect(&profile->progress, -space->input.size_bytes); /* lines are less */
        if (space->hostnames.count > 0 && space->hostnames.items[0][0] != '\0')
            space->host = space->hostnames.items[0];
        profile->event_count += space->event_count;
        profile->skipped_count += space->skipped_count;
    }
    return true;
}

static void state_init(struct profile *profile, struct plane_state *state, struct xplane *plane)
{
    *state = (struct plane_state){.plane = plane, .device = UINT32_MAX};
    arena_init_within(&state->arena, profile->arena);
    spill_init(&state->spill);
    gap_list_init(&state->gaps, &state->arena, profile->exact);
    extents_init(&state->extents, &state->arena);
    state->ops_end_ps = INT64_MIN;
    counter_init(&state->unplaced, &state->arena);
    for (int stage = 0; stage < STAGE_COUNT; stage++) {
        counter_init(&state->run_numbers[stage], &state->arena);
        counter_init(&state->run_texts[stage], &state->arena);
    }
}

static void planes_number(struct profile *profile)
{
    size_t plane_total = 0;
    for (size_t s = 0; s < profile->space_count; s++)
        plane_total += profile->spaces[s].plane_count;
    profile->planes = arena_array(profile->arena, struct plane_state, plane_total);
    profile->running = arena_new(profile->arena, struct running_totals);
    profile->exact =
        profile->skipped_count == 0 && profile->event_count <= profile->options->exact_events;
    for (size_t s = 0; s < profile->space_count; s++) {
        int64_t most = profile->spaces[s].exact_most;
        profile->exact = profile->exact && (most == 0 || profile->event_count <= most);
    }
    for (size_t s = 0; s < profile->space_count; s++) {
        for (size_t i = 0; i < profile->spaces[s].plane_count; i++) {
            struct xplane *plane = &profile->spaces[s].planes[i];
            state_init(profile, &profile->planes[profile->plane_count], plane);
            plane_classify(profile, plane);
        }
    }
    profile->lines = arena_array(profile->arena, struct line_sums, profile->line_count);
    running_totals_init(profile->running, &profile->catalog, profile->arena);
}

static bool open_all(struct profile *profile, const struct profile_files *files, struct err *err)
{
    int64_t entries = 0;
    catalog_init(&profile->catalog, profile->arena);
    profile->catalog.keeps_told = profile->opener->told;
    if (!spaces_open(profile, files, err))
        return false;
    planes_number(profile);
    base_find(profile);
    for (size_t i = 0; i < profile->plane_count; i++)
        entries += profile->planes[i].plane->entry_count;
    catalog_expect(&profile->catalog, entries);
    for (size_t i = 0; i < profile->plane_count; i++) {
        struct xplane *plane = profile->planes[i].plane;
        if (!plane->space->ops_load(plane, &profile->catalog, &profile->options->limits, err))
            return false;
    }
    return true;
}

bool profile_open(const struct profile_files *files, const struct file_opener *opener,
                  const struct ingest_options *options, struct arena *arena,
                  struct profile *ret_profile, struct err *err)
{
    *ret_profile =
        (struct profile){.files = files, .options = options, .arena = arena, .opener = opener};
    progress_init(&ret_profile->progress, options);
    files_expect(ret_profile, files);
    if (open_all(ret_profile, files, err))
        return true;
    profile_close(ret_profile);
    return false;
}

static void state_done(struct plane_state *state)
{
    line_work_close(state, 0);
    free(state->marks.items);
    arena_release(&state->arena, state->marks.capacity * sizeof *state->marks.items);
    spill_done(&state->spill);
    arena_done(&state->arena);
}

void profile_close(struct profile *profile)
{
    for (size_t i = 0; i < profile->plane_count; i++)
        state_done(&profile->planes[i]);
    for (size_t i = 0; i < profile->space_count; i++)
        xspace_close(&profile->spaces[i]);
    interval_list_done(&profile->cover);
    arena_done(&profile->op_arena);
    catalog_done(&profile->catalog);
    *profile = (struct profile){0};
}
