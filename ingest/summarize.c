/* One host's file in, one summary out; and of several hosts the summary of their capture. */
#include "ingest/beside.h"
#include "ingest/formats.h"
#include "ingest/made_tables.h"
#include "ingest/memory/memory.h"
#include "ingest/merge/merge.h"
#include "ingest/nsight/nsight.h"
#include "ingest/source/source.h"
#include "ingest/tables/tables.h"
#include "ingest/wire/wire.h"
#include "ingest/xprof/xprof.h"

#include "ops/runtime/clock.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text.h"
#include "schema/documents/figures.h"

#include <stdlib.h>
#include <string.h>

/* Of our measures; figures of different definitions are never compared.
 * 2: warm-up is read from the data instead of from step numbers below 5, unless a number is given;
 *    program_launch, host_annotation and host_call find steps where 1 found none; a step that the
 *    host measured is host_annotation, no longer step_annotation.
 * 3: MFU and throughput are by the time from step to step; what waits for input is of steps that
 *    another one follows, where 2 had the last one as long as it takes itself. */
enum { DEFINITION_VERSION = 3 };

static const size_t DOCUMENT_BYTES_MAX = (size_t)512 << 20;

void ingest_options_init(struct ingest_options *options)
{
    *options = (struct ingest_options){
        .warmup_steps = 5,
        .hot_op_limit = 25,
        .threads = 1,
        .skip_file_bytes = SKIP_FILE_BYTES,
        .skip_line_bytes = SKIP_LINE_BYTES,
        .ahead_line_bytes = AHEAD_LINE_BYTES,
        .exact_events = EXACT_EVENTS,
    };
    limits_complete(&options->limits);
}

void ingest_options_configure(struct ingest_options *options, const struct conf *conf)
{
    options->threads = (int)conf_int(conf, CONF_threads);
    if (!options->warmup_fixed && conf_int(conf, CONF_warmup_steps) >= 0)
        ingest_options_fix_warmup(options, conf_int(conf, CONF_warmup_steps));
#define LIMIT_SET(name, type, standard, min, max, help) \
    options->limits.name = conf_int(conf, CONF_##name);
    CONF_LIMITS(LIMIT_SET)
#undef LIMIT_SET
}

void ingest_options_fix_warmup(struct ingest_options *options, int64_t steps)
{
    options->warmup_steps = steps;
    options->warmup_fixed = true;
}

bool ingest_options_name_steps(struct ingest_options *options, const char *expression,
                               struct err *err)
{
    options->step_range = expression;
    return nsight_step_range_check(expression, err);
}

/* Failures of memory know nothing of files. */
bool failure_name(const char *path, struct err *err)
{
    return strstr(err->text, path) == NULL && err_prefix(err, "'%s'", path);
}

/* What is in use on the devices of the host, as the file itself or those beside it tell. */
static bool memory_summarize(const char *path, const struct profile_format *format,
                             const struct ingest_options *options, struct arena *arena,
                             struct summary *summary, struct err *err)
{
    static const char *no_times[] = {
        "A device memory profile tells what is in use at one moment, and no times."};
    const char *const *named = format->open == memory_open       ? &path
                               : options->memory_profile != NULL ? &options->memory_profile
                                                                 : NULL;
    const struct memory_files files = {
        .paths = named != NULL ? named : options->memory_beside,
        .count = named != NULL ? 1 : options->memory_beside_count,
        .strict = named != NULL || options->strict_input,
    };
    if (format->open == memory_open) { /* what is said of times that are missing says nothing */
        summary->coverage.warnings = (struct string_list){no_times, 1};
        summary->trace_overview.quality_warnings = (struct string_list){0};
        summary->optimization_candidates = NULL;
        summary->optimization_candidate_count = 0;
    }
    return memory_take(&files, arena, summary, err);
}

/* What tables of xprof tell, as the file itself, or beside it where that is asked for. */
static bool tables_summarize(const char *path, const struct profile_format *format,
                             const struct ingest_options *options, struct arena *arena,
                             struct summary *summary, struct err *err)
{
    struct xprof_tables tables;
    const bool named = options->table_count == 0;
    if (format->open != xprof_open)
        return named || ingest_tables_merge(options->tables, options->table_count, options, arena,
                                            summary, err);
    return xprof_read(named ? &path : options->tables, named ? 1 : options->table_count, arena,
                      &tables, err) &&
           xprof_alone(&tables, options, arena, summary, err);
}

static bool host_summarize(const char *path, const struct ingest_options *options,
                           struct arena *arena, struct summary *ret_summary, struct err *err)
{
    struct ingest_options complete = *options;
    limits_complete(&complete.limits);
    struct profile_files *file = arena_new(arena, struct profile_files);
    if (!file_alone(path, arena, file, err))
        return false;
    const struct profile_format *format;
    if (!format_of_file(path, options->may_be_empty, &format, err))
        return false;
    if (!format_has_ranges(format, options, path, err))
        return false;
    char now[CLOCK_ISO_BYTES];
    struct summary summary = {
        .schema_version = "profile_summary.v1",
        .generated_at_utc = arena_strdup(arena, clock_iso(clock_wall_us(), now)),
        .source_format = format->name,
        .source_path = file->path,
        .has_ours = true,
        .producer = {.version = STEPLEDGER_VERSION,
                     .definition_version = DEFINITION_VERSION,
                     .breakdown_mode = options->mode == BREAKDOWN_GLOBAL ? "exclusive_global"
                                                                         : "exclusive_per_track",
                     .warmup_steps = options->warmup_steps,
                     .warmup_fixed = options->warmup_fixed,
                     .has_step_range = options->step_range != NULL,
                     .step_range = options->step_range,
                     .hot_op_limit = options->hot_op_limit},
    };
    if (!file_summarize(format, file, &complete, arena, &summary, err))
        return failure_name(path, err);
    if (!memory_summarize(file->path, format, &complete, arena, &summary, err))
        return false;
    if (!tables_summarize(file->path, format, &complete, arena, &summary, err))
        return false;
    if (!collected_apply(&complete, arena, &summary, err))
        return false;
    summary.capture.key = options->capture_key;
    *ret_summary = summary;
    return figures_record(ret_summary, arena, err);
}

struct ingest_options ingest_options_of(const struct ingest_options *options,
                                        const struct profile_files *files, size_t index)
{
    struct ingest_options own = *options;
    if (index > 0)
        own.memory_profile = NULL;
    own.leaves_broken = options->leaves_broken && files->file_count > 1;
    own.may_be_empty = !own.leaves_broken && files->file_count > 1;
    own.memory_beside = files->memory;
    own.memory_beside_count = index == 0 ? files->memory_count : 0;
    own.programs = files->programs;
    own.program_count = files->program_count;
    own.tables = files->tables;
    own.table_count = files->table_count;
    return own;
}

/* The work of reading a file is large, its summary is small: it moves as a document. */
bool ingest_host(const char *path, const struct ingest_options *options, struct arena *arena,
                 struct summary *ret_summary, struct err *err)
{
    struct summary summary;
    scoped_text document;
    scoped_arena work;
    arena_init_within(&work, arena);
    text_init(&document, DOCUMENT_BYTES_MAX);
    if (xprof_is_table(path))
        return err_set(err, ERR_INPUT,
                       "'%s' is a table that was made of a profile, and no profile: give the "
                       "*.xplane.pb (`summarize` and `table` read it by itself)",
                       path);
    if (!host_summarize(path, options, &work, &summary, err))
        return false;
    summary_print(&summary, JSON_STYLE_LINE, &document);
    if (!text_ok(&document, "the summary of a host", err))
        return false;
    arena_done(&work);
    scoped_json *root = json_parse(text_string(&document), document.length, path, err);
    return root != NULL && summary_from_json(root, path, arena, ret_summary, err);
}

void ingest_host_move(struct summary *host, const char *path, struct arena *arena)
{
    host->source_path = host->sources[0].path = arena_strdup(arena, path);
    if (!host->capture.hosts[0].process.set)
        host->capture.hosts[0].process = file_place_of(path, arena).process;
}

static struct opt_i64 stated_hosts(const struct ingest_options *options)
{
    struct opt_i64 count = {0};
    for (size_t i = 0; i < options->meta_count; i++) {
        const struct fact *meta = &options->meta[i];
        bool named = strcmp(meta->name, "host_count") == 0 || strcmp(meta->name, "num_hosts") == 0;
        count.set = (named && text_parse_i64(meta->value, &count.value)) || count.set;
    }
    return count;
}

bool ingest_capture(const struct summary *hosts, const struct profile_files *files,
                    const struct ingest_options *options, struct arena *arena,
                    struct summary *ret_summary, struct err *err)
{
    const struct capture_context context = {
        .stated_count = stated_hosts(options),
        .unread = files->unread,
        .unread_count = files->unread_count,
        .aside = files->aside,
        .aside_count = files->aside_count,
        .left = files->left,
        .left_count = files->left_count,
        .programs = files->programs,
        .program_count = files->program_count,
        .broken = files->broken,
        .broken_why = files->broken_why,
    };
    struct summary summary;
    if (!summaries_merge(hosts, files->file_count, files->path, arena, &summary, err))
        return false;
    capture_complete(&summary, &context, arena);
    if (!environment_counts(&summary, options, err) || !figures_record(&summary, arena, err))
        return false;
    *ret_summary = summary;
    return arena_ok(arena, "the summary of a capture", err);
}

/* One host of a profile, or what is read instead: that is told in *told. */
static bool host_take(struct profile_files *told, size_t index,
                      const struct ingest_options *options, struct arena *arena,
                      struct summary *ret_host, struct err *err)
{
    const char *path = told->files[index];
    struct ingest_options own = ingest_options_of(options, told, index);
    struct profile_files other;
    bool (*const read)(const char *, const struct ingest_options *, struct arena *,
                       struct summary *, struct err *) =
        told->file_count == 1 ? host_summarize : ingest_host;
    if (read(path, &own, arena, ret_host, err) &&
        (options->strict_input || ingest_tells(told, index, ret_host, err)))
        return true;
    const struct err broken = *err;
    if (options->strict_input || !ingest_instead(told, index, &broken, arena, &other))
        return false;
    own = ingest_options_of(options, &other, 0);
    if (!read(other.files[0], &own, arena, ret_host, err) ||
        !ingest_tells(&other, 0, ret_host, err))
        return ingest_failed_both(&broken, err);
    if (options->warn != NULL)
        options->warn(path, broken.text);
    told->broken = other.broken;
    told->broken_why = other.broken_why;
    return true;
}

bool capture_summarize(const struct profile_files *profile, const struct ingest_options *options,
                       struct arena *arena, struct profile_files *ret_told,
                       struct summary *ret_summary, struct err *err)
{
    struct profile_files told;
    struct summary *hosts = arena_array(arena, struct summary, profile->file_count);
    copies_leave(profile, options, arena, &told);
    for (size_t i = 0; i < told.file_count;) {
        if (host_take(&told, i, options, arena, &hosts[i], err))
            i++;
        else if (!options->leaves_broken || !broken_leave(&told, i, options, arena, err))
            return false;
    }
    for (size_t i = 0; options->warn != NULL && i < told.aside_count; i++)
        if (aside_export_reason(told.aside[i]) != NULL)
            options->warn(told.aside[i], aside_export_reason(told.aside[i]));
    *ret_told = told;
    return (told.is_known || join_check(hosts, told.file_count, told.path, arena, err)) &&
           ingest_capture(hosts, &told, options, arena, ret_summary, err);
}

bool ingest_summarize(const struct profile_files *profile, const struct ingest_options *options,
                      struct arena *arena, struct summary *ret_summary, struct err *err)
{
    struct profile_files told;
    return capture_summarize(profile, options, arena, &told, ret_summary, err);
}
