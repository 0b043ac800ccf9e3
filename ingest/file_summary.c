/* One file of a profiler read: index, sums, steps, ops, and what follows from them. A file whose
 * index was too quick about its lines is read again, and one whose devices have clocks of their own
 * by those. */
#include "ingest/formats.h"
#include "ingest/made_tables.h"
#include "ingest/reference/reference.h"
#include "ingest/steps/steps.h"
#include "ingest/tables/tables.h"
#include "ingest/timeline/timeline.h"
#include "ingest/wire/wire.h"

/* The reference's members, then ours but for those that need the hashes. */
static bool document_build(struct profile *profile, const double totals[PART_COUNT],
                           struct summary *summary, struct err *err)
{
    provenance_build(profile, summary);
    step_time_build(profile, summary);
    if (!breakdown_build(profile, totals, summary, err))
        return false;
    hot_ops_build(profile, summary);
    families_build(profile->options->hot_op_limit, profile->arena, summary);
    gap_table_build(profile, summary);
    gap_contexts_build(profile, summary);
    region_table_build(profile, summary);
    candidates_build(profile->arena, summary);
    if (!device_table_build(profile, summary, err))
        return false;
    step_table_build(profile, summary);
    return environment_build(profile, summary, err);
}

/* One reading of the files. */
struct attempt {
    const struct profile_files *files;
    const struct ingest_options *options;
    struct arena *arena;
    struct hash_job hashes;
    struct file_opener opener; /* the index is quick … */
    bool late;                 /* … and was too quick: nothing of the attempt counts */
    bool has_clocks;           /* devices are read by clocks of their own … */
    bool differ;               /* … and have to be: nothing of the attempt counts */
};

/* What is only asked makes a summary on its way, which nobody sees: it has neither hashes of files
 * and programs nor figures. */
static bool is_kept(const struct ingest_options *options)
{
    return options->question == NULL || options->question->measures;
}

static bool attempt_run(struct attempt *attempt, struct summary *summary, struct err *err)
{
    scoped_profile profile = {0};
    double totals[PART_COUNT];
    if (!profile_open(attempt->files, &attempt->opener, attempt->options, attempt->arena, &profile,
                      err))
        return false;
    const struct host_question *question = attempt->options->question;
    profile.is_kept = is_kept(attempt->options);
    profile.program_bytes_most = profile.is_kept ? OP_PROGRAM_BYTES_MOST : 0;
    if (attempt->options->tells_launches || measured_needs_launches(&profile))
        launches_ask(&profile);
    profile.checks_clocks = !attempt->has_clocks;
    if (attempt->has_clocks && !stream_clocks(&profile, err))
        return false;
    if (!stream_sums(&profile, err) || !steps_find(&profile, err) ||
        !stream_ops(&profile, totals, err))
        return false;
    attempt->late = stream_is_late(&profile);
    attempt->differ = stream_clocks_differ(&profile);
    if (attempt->late || attempt->differ)
        return true;
    if (!document_build(&profile, totals, summary, err))
        return false;
    op_table_build(&profile, summary);
    copies_build(&profile, summary);
    if (profile.is_kept && !hash_finish(&attempt->hashes, &profile.progress, err))
        return false;
    progress_tell(&profile.progress);
    if ((profile.is_kept || question->programs) && !program_ops_build(&profile, summary, err))
        return false;
    summary->sources = arena_new(profile.arena, struct source_file);
    summary->sources[0] = (struct source_file){
        attempt->files->files[0], profile.spaces[0].host, attempt->hashes.digests[0],
        profile.is_kept ? attempt->hashes.sizes[0] : profile.spaces[0].input.size_bytes};
    summary->source_count = 1;
    summary->trace_provenance.trace_sha256 = summary->sources[0].sha256;
    coverage_build(&profile, summary);
    capture_build(&profile, summary);
    if ((profile.is_kept && !measured_build(&profile, summary, err)) ||
        !arena_ok(profile.arena, "the summary of a profile", err))
        return false;
    if (attempt->options->leaves_broken && summary->trace_overview.num_complete_events == 0)
        return ingest_no_events(summary, attempt->files->path, "", err);
    return question == NULL || question->read(&profile, summary, question->context, err);
}

static void attempt_done(struct attempt *attempt)
{
    hash_cancel(&attempt->hashes);
}

bool file_summarize(const struct profile_format *format, const struct profile_files *files,
                    const struct ingest_options *options, struct arena *arena,
                    struct summary *summary, struct err *err)
{
    __attribute__((cleanup(attempt_done))) struct attempt attempt = {
        .files = files,
        .options = options,
        .arena = arena,
        .opener = {.open = format->open, .may_skip = true},
    };
    const struct summary empty = *summary;
    const bool on_thread = options->threads > 1 && is_kept(options);
    hash_start(&attempt.hashes, files, on_thread, arena);
    const struct arena_mark begin = arena_mark(arena);
    do {
        arena_rewind(arena, begin);
        attempt.opener.may_skip = attempt.opener.may_skip && !attempt.late;
        attempt.has_clocks = attempt.has_clocks || attempt.differ;
        *summary = empty;
        if (!attempt_run(&attempt, summary, err))
            return false;
    } while (attempt.late || attempt.differ);
    return true;
}
