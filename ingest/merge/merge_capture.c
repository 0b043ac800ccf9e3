/* How complete a capture is, and why its files are one. */
#include "ingest/merge/merge.h"

#include "ingest/ingest.h"
#include "ingest/source/source.h"

#include "ops/runtime/file.h"
#include "ops/runtime/text.h"

#include <string.h>
#include <strings.h>

/* So many hosts are named one by one, the rest only counted. */
enum { MOST_NAMED = 8 };

static void count_raise(int64_t *most, struct opt_i64 count)
{
    if (count.set && count.value > *most)
        *most = count.value;
}

/* As many as anything says: a file, an option, the highest rank. */
static struct opt_i64 expected_count(const struct capture *capture, struct opt_i64 stated)
{
    int64_t most = 0;
    count_raise(&most, stated);
    for (size_t i = 0; i < capture->host_count; i++) {
        const struct capture_host *host = &capture->hosts[i];
        count_raise(&most, host->process_count);
        if (host->process.set && host->process.value < INT32_MAX)
            count_raise(&most, some_i64(host->process.value + 1));
        for (size_t g = 0; g < host->groups.count; g++) {
            /* "0,1,2,3": the highest rank comes last. */
            const char *group = host->groups.items[g], *comma = strrchr(group, ',');
            int64_t last;
            if (text_parse_i64(comma == NULL ? group : comma + 1, &last) && last >= 0 &&
                last < INT32_MAX)
                count_raise(&most, some_i64(last + 1));
        }
    }
    if (most <= 1 && !stated.set)
        return (struct opt_i64){0};
    return some_i64(most < (int64_t)capture->host_count ? (int64_t)capture->host_count : most);
}

/* Hosts ascend by rank. */
static void ranks_note(const struct capture *capture, size_t missing, struct notes *names)
{
    size_t next = 0, named = 0;
    for (int64_t rank = 0; rank < capture->expected_count.value && named < MOST_NAMED; rank++) {
        while (next < capture->host_count && capture->hosts[next].process.value < rank)
            next++;
        if (next < capture->host_count && capture->hosts[next].process.value == rank)
            continue;
        NOTE(names, "process %lld", (long long)rank);
        named++;
    }
    if (missing > named)
        NOTE(names, "%zu more", missing - named);
}

static void missing_note(struct capture *capture, struct notes *warnings)
{
    struct notes names = {.arena = warnings->arena};
    int64_t expected = capture->expected_count.value;
    if (!capture->expected_count.set || expected <= (int64_t)capture->host_count)
        return;
    size_t missing = (size_t)expected - capture->host_count;
    char all[FORMAT_COUNTED_BYTES];
    bool ranked = true;
    for (size_t i = 0; i < capture->host_count; i++)
        ranked = ranked && capture->hosts[i].process.set;
    (void)format_counted(expected, capture_host_kind(capture), all);
    if (ranked)
        ranks_note(capture, missing, &names);
    else
        NOTE(&names, "%zu of %s", missing, all);
    capture->missing = notes_list(&names);
    const char *list = "";
    for (size_t i = 0; i < names.count; i++)
        list = arena_printf(warnings->arena, "%s%s%s", list, i == 0 ? "" : ", ", names.items[i]);
    NOTE(warnings,
         "%zu of %s of this capture %s missing (%s): the step is as slow as the slowest %s that is "
         "here.",
         missing, all, missing == 1 ? "is" : "are", list, capture_host_kind(capture));
}

/* ---- why ------------------------------------------------------------------------------------- */

/* Each host's with those of another one. */
static bool times_overlap(const struct capture *capture)
{
    for (size_t i = 0; i < capture->host_count; i++) {
        const struct capture_host *host = &capture->hosts[i], *other = capture->hosts;
        const struct capture_host *end = other + capture->host_count;
        while (other < end && (other == host || other->begin_ns.value > host->end_ns.value ||
                               host->begin_ns.value > other->end_ns.value))
            other++;
        if (other == end && capture->host_count > 1)
            return false;
    }
    return true;
}

static const char *reason_of(const struct summary *summary, struct arena *arena)
{
    const struct capture *capture = &summary->capture;
    bool timed = true, in_job = true;
    const char *job = NULL;
    for (size_t i = 0; i < capture->host_count; i++) {
        const struct file_place place = file_place_of(summary->sources[i].path, arena);
        timed = timed && capture->hosts[i].begin_ns.set && capture->hosts[i].end_ns.set;
        job = i == 0 ? place.job : job;
        in_job = in_job && job != NULL && place.job != NULL && strcmp(job, place.job) == 0;
    }
    bool numbered =
        summary->steps.method == STEPS_LINE || summary->steps.method == STEPS_ANNOTATION;
    if (capture->key != NULL)
        return "they were given one capture key";
    if (timed && !times_overlap(capture))
        return numbered ? "their step numbers agree, though their times do not overlap"
                        : "they were stored as one, though their times do not overlap";
    if (timed)
        return numbered ? "their times overlap and their step numbers agree"
                        : "their times overlap";
    return in_job ? "they lie in one job's directory" : "they were given together";
}

static bool is_named(const char *name, const char *const *ends, size_t count)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < count; i++) {
        const size_t end = strlen(ends[i]);
        if (length >= end && strcasecmp(name + length - end, ends[i]) == 0)
            return true;
    }
    return false;
}

const char *aside_export_reason(const char *path)
{
    static const char *const exports[] = {".sqlite"};
    return is_named(path, exports, 1)
               ? "of a job with XPlane files no export of another profiler is read; give it by "
                 "name to take it, too"
               : NULL;
}

/* Of another file, by its name, as it was chosen (ingest/discover.c, ingest/traces.c). */
static const char *aside_reason(const char *name, bool has_xplane)
{
    static const char *const traces[] = {"trace.json.gz", "trace.json"};
    if (strstr(name, ".hlo_proto.") != NULL)
        return "a compiled program is no profile";
    if (strstr(name, "after_optimizations.txt") != NULL)
        return "a compiled program is read as a proto alone (--xla_dump_hlo_as_proto)";
    if (!is_named(name, traces, 2))
        return "a table that was made of a profile says nothing beside the profile itself";
    return has_xplane ? "the XPlane file beside it, which tells more, was read; give the trace by "
                        "name to read it instead"
                      : "another trace of its folder was read for its host; give it by name to "
                        "read it instead";
}

/* Whether what a trace tells is read for another file of the capture, and not of one beside it. */
static bool is_told_here(const struct summary *summary, const char *aside, bool has_xplane)
{
    static const char *const traces[] = {".json", ".json.gz"};
    static const char whole[] = "perfetto_trace.json.gz";
    bool found = has_xplane || !is_named(aside, traces, 2) || strcmp(path_base(aside), whole) == 0;
    for (size_t i = 0; i < summary->source_count && !found; i++) {
        const char *source = summary->sources[i].path;
        const size_t length = strlen(aside);
        found = strcmp(path_base(source), whole) == 0 ||
                (strncmp(source, aside, length) == 0 && strcasecmp(source + length, ".gz") == 0);
    }
    return found;
}

/* Exports are among the warnings: they may tell what nothing else does. */
static void aside_note(const struct summary *summary, const struct capture_context *context,
                       struct notes *warnings, struct notes *notes)
{
    static const char *const xplane[] = {".xplane.pb"};
    size_t told = 0, more = 0;
    bool has_xplane = false;
    for (size_t i = 0; i < summary->source_count; i++)
        has_xplane = has_xplane || is_named(summary->sources[i].path, xplane, 1);
    for (size_t i = 0; i < context->aside_count; i++) {
        const char *name = path_base(context->aside[i]);
        bool is_source = false; /* it was read after all, for another that is broken */
        for (size_t s = 0; s < summary->source_count; s++)
            is_source = is_source || strcmp(summary->sources[s].path, context->aside[i]) == 0;
        if (is_source || !is_told_here(summary, context->aside[i], has_xplane))
            continue;
        if (aside_export_reason(name) != NULL)
            NOTE(warnings, "'%s' was left aside: %s.", name, aside_export_reason(name));
        else if (told++ < MOST_NAMED)
            NOTE(notes, "'%s' was left aside: %s.", name, aside_reason(name, has_xplane));
        else
            more++;
    }
    if (more > 0)
        NOTE(notes, "%zu more such files were left aside.", more);
}

/* What lies beside the capture's files and was not read, or only asked. */
static void beside_note(const struct capture_context *context, struct notes *warnings)
{
    for (size_t i = 0; i < context->unread_count && i < MOST_NAMED; i++)
        NOTE(warnings,
             "'%s' was not read: it is in another form than the files beside it. If it is a host "
             "of this capture, decompress or convert it.",
             path_base(context->unread[i]));
    if (context->unread_count > MOST_NAMED)
        NOTE(warnings, "%zu more files beside them were not read.",
             context->unread_count - MOST_NAMED);
    if (context->broken != NULL)
        NOTE(warnings, "'%s' was not read, but the trace beside it, which tells less: %s",
             path_base(context->broken), context->broken_why);
    for (size_t i = 0; i < context->left_count && i < MOST_NAMED; i++)
        NOTE(warnings, "'%s' was left aside, and what lies beside it was read: %s.",
             path_base(context->left[i].path), context->left[i].why);
    if (context->left_count > MOST_NAMED)
        NOTE(warnings, "%zu more files beside them were left aside.",
             context->left_count - MOST_NAMED);
}

void capture_complete(struct summary *summary, const struct capture_context *context,
                      struct arena *arena)
{
    struct capture *capture = &summary->capture;
    struct notes warnings = {.arena = arena}, notes = {.arena = arena};
    capture->expected_count = expected_count(capture, context->stated_count);
    for (size_t i = 0; i < summary->coverage.warnings.count; i++)
        note_add(&warnings, summary->coverage.warnings.items[i]);
    missing_note(capture, &warnings);
    if (capture->host_count > 1) {
        char counted[FORMAT_COUNTED_BYTES];
        NOTE(&notes, "%s are one capture: %s.",
             format_counted((int64_t)capture->host_count, capture_host_kind(capture), counted),
             reason_of(summary, arena));
    }
    beside_note(context, &warnings);
    for (size_t i = 0; summary->has_memory && i < summary->memory.source_count && i < MOST_NAMED;
         i++)
        NOTE(&notes, "Memory in use is that of '%s'.", path_base(summary->memory.sources[i].path));
    if (context->program_count > 0)
        NOTE(&notes,
             "Compiled programs in files of their own: %zu, as '%s'; what the profile itself does "
             "not hold, tables of ops ask of them.",
             context->program_count, path_base(context->programs[0]));
    aside_note(summary, context, &warnings, &notes);
    capture->notes = notes_list(&notes);
    summary->coverage.warnings = notes_list(&warnings);
}
