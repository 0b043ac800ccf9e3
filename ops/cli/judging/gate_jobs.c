/* Implements jobs: the options first, then what a section of a matrix file changes. */
#include "ops/cli/judging/gate_jobs.h"

#include "ops/cli/operand/operand.h"
#include "ops/net/section.h"

#include <stdio.h>
#include <string.h>

/* What the options say; a matrix needs no project yet. */
static struct gate_job options_job(const struct cli *cli)
{
    const struct cli_value *baselines = cli_value(cli, "baseline");
    return (struct gate_job){
        .branch = cli_text(cli, "branch"),
        .commit = cli_text(cli, "commit"),
        .run = cli_text(cli, "run"),
        .label = cli_text(cli, "label"),
        .baseline_branch = cli_text(cli, "baseline-branch"),
        .merge_base = cli_text(cli, "merge-base"),
        .policy = cli_text(cli, "policy"),
        .last = cli_int(cli, "last"),
        .strict_provenance = cli_given(cli, "strict-provenance"),
        .paired = cli_given(cli, "paired"),
        .baselines = {baselines->list, baselines->count},
    };
}

/* What holds for all jobs of a call. */
struct common {
    struct collection collection;
    struct reading reading;
    const char *reason, *by; /* for other facts of known profiles; NULL: there is none */
};

/* What was said elsewhere of the candidates that are ingested. */
static bool job_collect(struct cli *cli, const struct common *common, struct gate_job *job,
                        struct err *err)
{
    const struct collection *collection = &common->collection;
    job->collection = collection;
    job->reading = &common->reading;
    job->reason = common->reason;
    job->reason_by = common->by;
    if (job->run == NULL)
        job->run = collection->run;
    return origin_of_options(cli, collection, job->commit, job->branch, &job->origin, err);
}

static bool common_load(struct cli *cli, const struct common **ret_common, struct err *err)
{
    struct common *common = arena_new(&cli->arena, struct common);
    *ret_common = common;
    if (cli_text(cli, "reason") != NULL) {
        common->by = decide_person(cli);
        if (!decide_reason(cli, &common->reason, err))
            return false;
    }
    if (!collect_of_options(cli, &common->collection, err) ||
        !summarize_reading(cli, &common->reading, err))
        return false;
    common->reading.options.memory_profile = cli_text(cli, "memory-profile");
    return true;
}

static bool job_check(const struct gate_job *job, const char *place, struct err *err)
{
    if (job->baselines.count > 0 && job->merge_base != NULL)
        return err_set(err, ERR_USAGE,
                       "%s: --baseline and --merge-base exclude each other: both name the baseline",
                       place);
    if (job->paired && job->baselines.count == 0)
        return err_set(
            err, ERR_USAGE,
            "%s: --paired needs --baseline: the runs that the candidates took turns with", place);
    if (job->candidates.count == 0)
        return err_set(err, ERR_USAGE, "%s: no candidate: name a profile to judge", place);
    return job->last >= 1 ||
           err_set(err, ERR_USAGE, "%s: %lld runs are no baseline", place, (long long)job->last);
}

bool gate_job_of_options(struct cli *cli, struct gate_job_list *ret_jobs, struct err *err)
{
    const struct common *common;
    struct gate_job *job = arena_new(&cli->arena, struct gate_job);
    *job = options_job(cli);
    job->candidates = (struct string_list){cli->operands, cli->operand_count};
    if (!cli_scope(cli, &job->project, &job->workload, err) ||
        !job_check(job, "the command line", err) || !common_load(cli, &common, err) ||
        !job_collect(cli, common, job, err))
        return false;
    *ret_jobs = (struct gate_job_list){job, 1};
    return true;
}

/* ---- matrix ---------------------------------------------------------------------------------- */

/* The words of a value; several lines with one key are one list. */
static void words_add(const char *value, struct string_list *list, struct arena *arena)
{
    size_t room = strlen(value) / 2 + 1;
    const char **items = arena_array(arena, const char *, list->count + room);
    if (list->count > 0)
        memcpy(items, list->items, list->count * sizeof *items);
    list->items = items;
    for (const char *at = value + strspn(value, " \t"); *at != '\0'; at += strspn(at, " \t")) {
        size_t length = strcspn(at, " \t");
        items[list->count++] = arena_strndup(arena, at, length);
        at += length;
    }
}

static bool candidates_add(void *target, const struct conf_entry *entry, struct arena *arena,
                           struct err *err)
{
    (void)err;
    words_add(entry->value, &((struct gate_job *)target)->candidates, arena);
    return true;
}

static bool baselines_add(void *target, const struct conf_entry *entry, struct arena *arena,
                          struct err *err)
{
    (void)err;
    words_add(entry->value, &((struct gate_job *)target)->baselines, arena);
    return true;
}

#define TEXT(key, help) SECTION_KEY_TEXT(#key, struct gate_job, key, help)
static const struct section_key keys[] = {
    TEXT(project, "as --project"),
    TEXT(workload, "as --workload; default: the section's name"),
    TEXT(branch, "as --branch"),
    TEXT(commit, "as --commit"),
    TEXT(run, "as --run"),
    TEXT(label, "as --label"),
    TEXT(baseline_branch, "as --baseline-branch"),
    TEXT(merge_base, "as --merge-base"),
    TEXT(policy, "as --policy"),
    SECTION_KEY_OWN("candidate", candidates_add, "profiles to judge; may go on in further lines"),
    SECTION_KEY_OWN("baseline", baselines_add, "as --baseline; may go on in further lines"),
    SECTION_KEY_NUMBER("last", struct gate_job, last, 1, INT32_MAX, 1, "as --last"),
};
#undef TEXT

static struct gate_job *job_find(struct gate_job_list *jobs, const char *name)
{
    for (size_t i = 0; i < jobs->count; i++) {
        if (strcmp(jobs->items[i].name, name) == 0)
            return &jobs->items[i];
    }
    return NULL;
}

static bool jobs_check(struct cli *cli, const struct gate_job_list *jobs, const char *path,
                       struct err *err)
{
    const struct common *common;
    if (jobs->count == 0)
        return err_set(err, ERR_USAGE, "%s: no [section]: each one is a workload to judge", path);
    if (!common_load(cli, &common, err))
        return false;
    for (size_t i = 0; i < jobs->count; i++) {
        struct gate_job *job = &jobs->items[i];
        enum { PLACE_BYTES = 300 };
        char place[PLACE_BYTES];
        (void)snprintf(place, sizeof place, "%s: [%s]", path, job->name);
        if (job->project[0] == '\0')
            return err_set(err, ERR_USAGE, "%s: project is missing", place);
        if (!job_check(job, place, err) || !job_collect(cli, common, job, err))
            return false;
    }
    return true;
}

bool gate_jobs_of_matrix(struct cli *cli, const char *path, struct gate_job_list *ret_jobs,
                         struct err *err)
{
    struct conf_file file = {0};
    if (cli->operand_count > 0)
        return err_set(err, ERR_USAGE, "--matrix takes no operands: candidates stand in the file");
    if (!conf_file_read(path, &cli->arena, &file, err))
        return false;
    /* A section that stands twice would be one job with the candidates of both. */
    for (size_t i = 0; i < file.header_count; i++) {
        const struct conf_header *header = &file.headers[i];
        for (size_t j = 0; j < i; j++) {
            if (strcmp(file.headers[j].name, header->name) == 0)
                return err_set(err, ERR_USAGE,
                               "%s:%d: [%s] stands twice, first in line %d: give it another name "
                               "and `workload = ...`",
                               header->file, header->line, header->name, file.headers[j].line);
        }
    }
    if (!conf_sections_check(&file, err))
        return false;
    struct gate_job_list jobs = {arena_array(&cli->arena, struct gate_job, file.count), 0};
    for (size_t i = 0; i < file.count; i++) {
        const struct conf_entry *entry = &file.entries[i];
        if (entry->section[0] == '\0')
            return err_set(err, ERR_USAGE, "%s:%d: '%s' stands before the first [section]",
                           entry->file, entry->line, entry->key);
        struct gate_job *job = job_find(&jobs, entry->section);
        if (job == NULL) {
            const char *project = cli_text(cli, "project");
            job = &jobs.items[jobs.count++];
            *job = options_job(cli);
            job->name = job->workload = entry->section;
            job->project = project != NULL ? project : conf_text(&cli->conf, CONF_project);
        }
        /* Lists may go on in further lines; of anything else only one could hold. */
        const struct section section = {.what = arena_printf(&cli->arena, "[%s]", entry->section),
                                        .keys = SECTION_KEYS(keys),
                                        .target = job};
        bool is_list = strcmp(entry->key, "candidate") == 0 || strcmp(entry->key, "baseline") == 0;
        if ((!is_list && !conf_entry_once(&file, i, err)) ||
            !section_apply(&section, entry, &cli->arena, err) ||
            !arena_ok(&cli->arena, "the matrix", err))
            return false;
    }
    *ret_jobs = jobs;
    return jobs_check(cli, &jobs, path, err);
}
