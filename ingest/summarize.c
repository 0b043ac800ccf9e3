/* One profile in, one summary out: the story. */
#include "ingest/collected.h"
#include "ingest/document.h"
#include "ingest/formats.h"
#include "ingest/hash.h"
#include "ingest/ours.h"
#include "ingest/steps.h"
#include "ingest/stream.h"

#include "ops/runtime/clock.h"

#include <stdlib.h>
#include <string.h>

/* Of our measures; figures of different definitions are never compared. */
enum { DEFINITION_VERSION = 1 };

void ingest_options_init(struct ingest_options *options)
{
    *options = (struct ingest_options){
        .warmup_steps = 5,
        .hot_op_limit = 25,
        .threads = 1,
        .skip_file_bytes = SKIP_FILE_BYTES,
        .skip_line_bytes = SKIP_LINE_BYTES,
        .exact_events = EXACT_EVENTS,
    };
    limits_complete(&options->limits);
}

void ingest_options_configure(struct ingest_options *options, const struct conf *conf)
{
    options->threads = (int)conf_int(conf, CONF_threads);
#define LIMIT_SET(name, type, standard, min, max, help) \
    options->limits.name = conf_int(conf, CONF_##name);
    CONF_LIMITS(LIMIT_SET)
#undef LIMIT_SET
}

/* The reference's members, then ours but for those that need the hashes. */
static bool document_build(struct profile *profile, const double totals[PART_COUNT],
                           struct summary *summary, struct err *err)
{
    return provenance_build(profile, summary, err) && step_time_build(profile, summary, err) &&
           breakdown_build(profile, totals, summary, err) && hot_ops_build(profile, summary, err) &&
           families_build(profile, summary, err) && gap_table_build(profile, summary, err) &&
           gap_contexts_build(profile, summary, err) && region_table_build(profile, summary, err) &&
           candidates_build(profile, summary, err) && device_table_build(profile, summary, err) &&
           step_table_build(profile, summary, err) && op_table_build(profile, summary, err) &&
           environment_build(profile, summary, err);
}

static bool sources_build(const struct profile *profile, const struct hash_job *hashes,
                          struct summary *summary, struct err *err)
{
    size_t count = profile->space_count;
    summary->sources = arena_array(profile->arena, struct source_file, count);
    if (summary->sources == NULL)
        return arena_failed(profile->arena, "the files of a profile", err);
    for (size_t i = 0; i < count; i++)
        summary->sources[i] = (struct source_file){hashes->files->files[i], profile->spaces[i].host,
                                                   hashes->digests[i], hashes->sizes[i]};
    summary->source_count = count;
    return true;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Of one file its own hash; of several the hash of the sorted lines `hash  host`. */
static bool trace_hash(const struct summary *summary, struct arena *arena, const char **ret_hash,
                       struct err *err)
{
    const char **lines = arena_array(arena, const char *, summary->source_count);
    char *digest = arena_alloc(arena, SHA256_HEX_BYTES);
    scoped_text text;
    text_init(&text, SIZE_MAX / 2);
    *ret_hash = summary->sources[0].sha256;
    if (summary->source_count == 1)
        return true;
    for (size_t i = 0; lines != NULL && i < summary->source_count; i++)
        lines[i] =
            arena_printf(arena, "%s  %s\n", summary->sources[i].sha256, summary->sources[i].host);
    if (lines == NULL || digest == NULL || lines[summary->source_count - 1] == NULL)
        return arena_failed(arena, "the hashes of a profile", err);
    qsort(lines, summary->source_count, sizeof *lines, compare_lines);
    for (size_t i = 0; i < summary->source_count; i++)
        text_add(&text, lines[i]);
    *ret_hash = digest;
    return text_ok(&text, "the hashes of a profile", err) &&
           sha256_hex(text.data, text.length, digest, err);
}

/* One reading of the files. */
struct attempt {
    const struct profile_files *files;
    const struct ingest_options *options;
    struct arena *arena;
    struct hash_job hashes;
    bool may_skip; /* the index is quick … */
    bool late;     /* … and was too quick: nothing of the attempt counts */
};

static bool attempt_run(struct attempt *attempt, struct summary *summary, struct err *err)
{
    scoped_profile profile = {0};
    double totals[PART_COUNT];
    if (!profile_open(attempt->files, attempt->options, attempt->may_skip, attempt->arena, &profile,
                      err) ||
        !stream_sums(&profile, err) || !steps_find(&profile, err) ||
        !stream_ops(&profile, totals, err))
        return false;
    attempt->late = stream_is_late(&profile);
    if (attempt->late)
        return true;
    if (!document_build(&profile, totals, summary, err) ||
        !hash_finish(&attempt->hashes, &profile.progress, err))
        return false;
    progress_tell(&profile.progress);
    return sources_build(&profile, &attempt->hashes, summary, err) &&
           coverage_build(&profile, summary, err) &&
           trace_hash(summary, attempt->arena, &summary->trace_provenance.trace_sha256, err);
}

static void attempt_done(struct attempt *attempt)
{
    hash_cancel(&attempt->hashes);
}

bool xplane_summarize(const struct profile_files *files, const struct ingest_options *options,
                      struct arena *arena, struct summary *summary, struct err *err)
{
    __attribute__((cleanup(attempt_done))) struct attempt attempt = {
        .files = files, .options = options, .arena = arena, .may_skip = true};
    const struct summary empty = *summary;
    if (!hash_start(&attempt.hashes, files, options->threads > 1, arena, err) ||
        !attempt_run(&attempt, summary, err))
        return false;
    if (!attempt.late)
        return true;
    attempt.may_skip = false;
    *summary = empty;
    return attempt_run(&attempt, summary, err);
}

static const char *mode_name(enum breakdown_mode mode)
{
    return mode == BREAKDOWN_GLOBAL ? "exclusive_global" : "exclusive_per_track";
}

/* Failures of memory know nothing of files. */
static bool failure_name(const char *path, struct err *err)
{
    return strstr(err->text, path) == NULL && err_prefix(err, "'%s'", path);
}

bool ingest_summarize(const struct profile_files *profile, const struct ingest_options *options,
                      struct arena *arena, struct summary *ret_summary, struct err *err)
{
    struct ingest_options complete = *options;
    limits_complete(&complete.limits);
    const struct profile_format *format = format_of_path(profile->files[0]);
    if (format == NULL)
        format = &profile_formats[0];
    char now[CLOCK_ISO_BYTES];
    struct summary summary = {
        .schema_version = "profile_summary.v1",
        .generated_at_utc = arena_strdup(arena, clock_iso(clock_wall_us(), now)),
        .source_format = format->name,
        .source_path = profile->path,
        .has_ours = true,
        .producer = {STEPLEDGER_VERSION, DEFINITION_VERSION, mode_name(options->mode),
                     options->warmup_steps, options->hot_op_limit},
    };
    if (summary.generated_at_utc == NULL)
        return arena_failed(arena, "a summary", err);
    if (!format->summarize(profile, &complete, arena, &summary, err))
        return failure_name(profile->path, err);
    if (!collected_apply(&complete, arena, &summary, err))
        return false;
    *ret_summary = summary;
    return true;
}
