/* The files of a profile converted: they are summed up as for a summary, which finds the steps, and
 * read once more for what is written. */
#include "ingest/captures.h"
#include "ingest/convert/convert.h"
#include "ingest/formats.h"
#include "ingest/memory/memory.h"
#include "ingest/source/source.h"
#include "ingest/tables/tables.h"

/* The one format of all files. */
static bool format_find(const struct profile_files *files, const struct ingest_options *options,
                        const struct profile_format **ret_format, struct err *err)
{
    const struct profile_format *format = NULL, *other;
    for (size_t i = 0; i < files->file_count; i++) {
        const char *path = files->files[i];
        if (!format_of_file(path, files->file_count > 1, &other, err) ||
            !format_has_ranges(other, options, path, err))
            return false;
        if (other->open == memory_open)
            return err_set(err, ERR_INPUT,
                           "'%s' is a device memory profile, which tells what is in use at one "
                           "moment: a trace shows times (`stepledger table allocations` lists it)",
                           path);
        if (format != NULL && format != other)
            return err_set(err, ERR_INPUT,
                           "'%s' is a %s and '%s' a %s, which cannot be one trace: name one of "
                           "them",
                           files->files[i - 1], format->what, path, other->what);
        format = other;
    }
    *ret_format = format;
    return format != NULL ||
           err_set(err, ERR_MISSING, "'%s' holds no file of a profile", files->path);
}

/* What of the files is not in the trace. */
static struct string_list notes_of(const struct profile *profile, struct arena *arena)
{
    struct notes said = {.arena = arena};
    for (size_t s = 0; s < profile->space_count; s++) {
        const struct xspace *space = &profile->spaces[s];
        const struct string_list lists[] = {space->warnings, space->notes};
        if (space->unread_bytes > 0)
            NOTE(&said, "'%s' is cut off or broken: what is whole of it was converted.",
                 space->input.path);
        for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++)
            for (size_t i = 0; i < lists[l].count; i++)
                NOTE(&said, "%s", lists[l].items[i]);
    }
    return notes_list(&said);
}

/* One reading of the files. */
struct attempt {
    const struct convert_request *request;
    const struct profile_files *files;
    const struct ingest_options *options;
    struct file_opener opener;
    bool has_clocks; /* devices are read by clocks of their own … */
    bool differ;     /* … and have to be: nothing was written */
};

static bool attempt_run(struct attempt *attempt, struct arena *arena, struct convert_report *report,
                        struct err *err)
{
    struct summary summary = {0};
    struct cut cut;
    double totals[PART_COUNT];
    scoped_profile profile = {0};
    if (!profile_open(attempt->files, &attempt->opener, attempt->options, arena, &profile, err))
        return false;
    profile.checks_clocks = !attempt->has_clocks;
    if (attempt->has_clocks && !stream_clocks(&profile, err))
        return false;
    if (!stream_sums(&profile, err) || !steps_find(&profile, err))
        return false;
    const struct window_list *windows = cut_windows_keep(&profile);
    if (!stream_ops(&profile, totals, err))
        return false;
    attempt->differ = stream_clocks_differ(&profile);
    if (attempt->differ)
        return true;
    if (!device_table_build(&profile, &summary, err))
        return false;
    step_table_build(&profile, &summary);
    if (!cut_make(&profile, attempt->request, &summary, windows, &cut, err) ||
        !convert_write(&profile, &cut, attempt->request, report, err))
        return false;
    report->notes = notes_of(&profile, arena);
    return arena_ok(arena, "the trace of a profile", err);
}

bool ingest_convert(const struct convert_request *request, const struct profile_files *files,
                    const struct ingest_options *options, struct arena *arena,
                    struct convert_report *ret_report, struct err *err)
{
    struct ingest_options complete = *options;
    const struct profile_format *format = NULL;
    limits_complete(&complete.limits);
    complete.exact_events = 0; /* for the order of sums, of which none is shown */
    if (!format_find(files, &complete, &format, err) ||
        !capture_check(files, &complete, arena, err))
        return false;
    struct attempt attempt = {request, files, &complete,
                              .opener = {.open = format->open, .told = true}};
    const struct arena_mark begin = arena_mark(arena);
    if (!attempt_run(&attempt, arena, ret_report, err))
        return false;
    if (!attempt.differ)
        return true;
    arena_rewind(arena, begin);
    attempt.has_clocks = true;
    return attempt_run(&attempt, arena, ret_report, err);
}
