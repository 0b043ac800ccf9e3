/* The story of a report: each workload is looked at, then what became of verdicts and alerts; what
 * was found is put in order and into words. */
#include "history/reading/reading.h"
#include "ops/flow/reports/making.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text.h"
#include "schema/documents/measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NOISIEST_SHOWN = 5, DOCUMENT_BYTES_MAX = 64 << 20 };

/* ---- order: what matters most first, then by name -------------------------------------------- */

static int names_order(const char *a_workload, const char *a_series, const char *b_workload,
                       const char *b_series)
{
    int order = strcmp(a_workload, b_workload);
    return order != 0 ? order : strcmp(a_series, b_series);
}

static int sizes_order(struct opt_f64 a, struct opt_f64 b)
{
    double by_a = a.set ? fabs(a.value) : 0, by_b = b.set ? fabs(b.value) : 0;
    return (by_a < by_b) - (by_a > by_b);
}

/* What went away needs nobody any more. */
static int change_order(const void *left, const void *right)
{
    const struct report_change *a = left, *b = right;
    int order = a->went_away - b->went_away;
    if (order == 0)
        order = sizes_order(a->change_pct, b->change_pct);
    if (order == 0)
        order = names_order(a->workload, a->series, b->workload, b->series);
    return order != 0 ? order : strcmp(a->at_profile, b->at_profile);
}

static int drift_order(const void *left, const void *right)
{
    const struct report_drift *a = left, *b = right;
    int order = b->loss - a->loss;
    if (order == 0)
        order = sizes_order(a->change_pct, b->change_pct);
    if (order == 0)
        order = names_order(a->workload, a->series, b->workload, b->series);
    return order != 0 ? order : strcmp(a->from_profile, b->from_profile);
}

static int noise_order(const void *left, const void *right)
{
    const struct report_noise *a = left, *b = right;
    int order = (a->noise_pct < b->noise_pct) - (a->noise_pct > b->noise_pct);
    return order != 0 ? order : names_order(a->workload, a->series, b->workload, b->series);
}

static int quiet_order(const void *left, const void *right)
{
    const struct report_quiet *a = left, *b = right;
    return names_order(a->workload, a->series, b->workload, b->series);
}

static int restart_order(const void *left, const void *right)
{
    const struct report_restart *a = left, *b = right;
    int order = names_order(a->workload, a->series, b->workload, b->series);
    return order != 0 ? order : strcmp(a->at_utc, b->at_utc);
}

static int return_order(const void *left, const void *right)
{
    const struct report_return *a = left, *b = right;
    return names_order(a->workload, a->series, b->workload, b->series);
}

static int withdrawn_order(const void *left, const void *right)
{
    const struct report_withdrawn *a = left, *b = right;
    int order = names_order(a->workload, a->series, b->workload, b->series);
    return order != 0 ? order : strcmp(a->at_utc, b->at_utc);
}

/* Those that moved most first. */
static int mfu_order(const void *left, const void *right)
{
    const struct report_mfu *a = left, *b = right;
    double by_a = a->before.set ? fabs(a->now - a->before.value) : 0,
           by_b = b->before.set ? fabs(b->now - b->before.value) : 0;
    int order = (by_a < by_b) - (by_a > by_b);
    return order != 0 ? order : strcmp(a->workload, b->workload);
}

static int newcomer_order(const void *left, const void *right)
{
    const struct report_newcomer *a = left, *b = right;
    return names_order(a->workload, a->series, b->workload, b->series);
}

static void sort(void *items, size_t count, size_t size,
                 int (*order)(const void *left, const void *right))
{
    if (count > 1)
        qsort(items, count, size, order);
}

static void findings_sort(struct trend_report *report)
{
    sort(report->losses, report->loss_count, sizeof *report->losses, change_order);
    sort(report->improvements, report->improvement_count, sizeof *report->improvements,
         change_order);
    sort(report->recoveries, report->recovery_count, sizeof *report->recoveries, change_order);
    sort(report->suspected, report->suspected_count, sizeof *report->suspected, change_order);
    sort(report->drifts, report->drift_count, sizeof *report->drifts, drift_order);
    sort(report->drifting, report->drifting_count, sizeof *report->drifting, drift_order);
    sort(report->noisiest, report->noisiest_count, sizeof *report->noisiest, noise_order);
    sort(report->quiet, report->quiet_count, sizeof *report->quiet, quiet_order);
    sort(report->newcomers, report->newcomer_count, sizeof *report->newcomers, newcomer_order);
    sort(report->returns, report->return_count, sizeof *report->returns, return_order);
    sort(report->withdrawn, report->withdrawn_count, sizeof *report->withdrawn, withdrawn_order);
    sort(report->mfu, report->mfu_count, sizeof *report->mfu, mfu_order);
    sort(report->restarts, report->restart_count, sizeof *report->restarts, restart_order);
    if (report->noisiest_count > NOISIEST_SHOWN)
        report->noisiest_count = NOISIEST_SHOWN;
}

/* ---- the period ------------------------------------------------------------------------------ */

int64_t report_period_begin(int64_t until_us, const char *period)
{
    static const int64_t second_us = 1000000;
    struct tm parts;
    time_t seconds = (time_t)(until_us / second_us);
    (void)gmtime_r(&seconds, &parts);
    if (strcmp(period, "month") == 0) { /* of a day that the month before lacks: its last one */
        static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
        int year = parts.tm_year + 1900;
        parts.tm_mon = (parts.tm_mon + 11) % 12;
        parts.tm_year -= parts.tm_mon == 11;
        bool leap = parts.tm_mon == 1 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        int last = lengths[parts.tm_mon] + leap;
        parts.tm_mday = parts.tm_mday < last ? parts.tm_mday : last;
    } else
        parts.tm_mday -= strcmp(period, "day") == 0 ? 1 : 7;
    return (int64_t)timegm(&parts) * second_us + until_us % second_us;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool head_fill(struct report_making *making, struct err *err)
{
    enum measure measure;
    char since[CLOCK_ISO_BYTES], until[CLOCK_ISO_BYTES], made[CLOCK_ISO_BYTES];
    const struct report_request *request = making->request;
    if (!measure_find(request->measure, &measure, err))
        return false;
    *making->report = (struct trend_report){
        .schema_version = TREND_REPORT_VERSION,
        .name = request->name,
        .project = request->project,
        .branch = request->branch,
        .workloads = request->workloads,
        .measure = measure_rows[measure].name,
        .unit = measure_rows[measure].unit,
        .policy = request->policy != NULL && request->policy[0] != '\0' ? request->policy : NULL,
        .since_utc = arena_strdup(making->arena, clock_iso(request->since_us, since)),
        .until_utc = arena_strdup(making->arena, clock_iso(request->until_us, until)),
        .reporting_workload_count = some_i64(0),
        .reporting_series_count = some_i64(0),
        .made_at_utc = arena_strdup(making->arena, clock_iso(request->made_us, made)),
    };
    const struct trend_report *report = making->report;
    return (report->since_utc != NULL && report->until_utc != NULL &&
            report->made_at_utc != NULL) ||
           arena_failed(making->arena, "a report", err);
}

/* Periods of one name may overlap, as those of a daily report of a week do: what the last one saw
 * is not new any more. By hand every report tells all of its period. */
static bool told_find(struct report_making *making, struct err *err)
{
    making->new_us = making->request->since_us;
    return making->request->name == NULL ||
           (ledger_report_before(making->db, making->report, making->arena, err) &&
            (making->report->told_until_utc == NULL ||
             clock_read_iso(making->report->told_until_utc, &making->new_us) ||
             err_set(err, ERR_BUG, "a report ended at %s", making->report->told_until_utc)));
}

/* A name that was mistyped must not become a report of nothing, week for week. */
static bool project_check(struct report_making *making, struct err *err)
{
    bool is_there;
    return ledger_project_is_there(making->db, making->request->project, &is_there, err) &&
           (is_there ||
            err_set(err, ERR_MISSING, "the ledger has no project '%s' (`stepledger list projects`)",
                    making->request->project));
}

/* A pattern that no workload fits. By hand it is an error: it was mistyped. Of a scheduled report
 * it may be a workload to come, as long as there are others. */
static bool patterns_check(const struct report_request *request, const char *const *names,
                           size_t count, struct arena *arena, struct err *err)
{
    static const char blanks[] = " \t";
    const char *missing = NULL;
    size_t met = 0;
    for (const char *at = request->workloads; at != NULL && *at != '\0'; at += *at == ',') {
        at += strspn(at, blanks);
        size_t length = strcspn(at, ","), fitting = 0;
        while (length > 0 && strchr(blanks, at[length - 1]) != NULL)
            length--;
        const char *pattern = arena_strndup(arena, at, length);
        if (pattern == NULL)
            return arena_failed(arena, "a report", err);
        for (size_t i = 0; i < count; i++)
            fitting += text_fits_patterns(pattern, names[i]);
        met += fitting;
        if (fitting == 0 && length > 0 && missing == NULL)
            missing = pattern;
        at += strcspn(at, ",");
    }
    if (missing == NULL || (request->name != NULL && met > 0))
        return true;
    return err_set(err, ERR_MISSING,
                   "project '%s' has no workload that is '%s'%s (`stepledger list workloads "
                   "--project %s`)",
                   request->project, missing, text_suggestion(missing, names, count).words,
                   request->project);
}

static bool names_check(struct report_making *making, struct err *err)
{
    struct list list;
    const struct report_request *request = making->request;
    struct list_query query = {.noun = list_noun_find("workloads"),
                               .by[LIST_BY_PROJECT] = request->project,
                               .limit = TRENDS_WORKLOADS_MAX};
    if (request->workloads == NULL)
        return true;
    if (!ledger_list(making->db, &query, making->scratch, &list, err))
        return false;
    const char **names = arena_array(making->scratch, const char *, list.row_count);
    if (names == NULL)
        return arena_failed(making->scratch, "a report", err);
    for (size_t i = 0; i < list.row_count; i++)
        names[i] = list.values[i * list.column_count].text;
    return patterns_check(request, names, list.row_count, making->scratch, err);
}

/* By hand a branch that no run is of was mistyped, too. */
static bool branch_check(struct report_making *making, struct err *err)
{
    struct list list;
    const struct report_request *request = making->request;
    const struct list_query query = {.noun = list_noun_find("runs"),
                                     .by[LIST_BY_PROJECT] = request->project,
                                     .by[LIST_BY_BRANCH] = request->branch,
                                     .limit = 1};
    if (request->branch == NULL || request->name != NULL || request->kept != NULL)
        return true;
    if (!ledger_list(making->db, &query, making->scratch, &list, err))
        return false;
    return list.row_count > 0 ||
           err_set(err, ERR_MISSING,
                   "project '%s' has no run of branch '%s' (`stepledger list runs --project %s`); "
                   "--branch names another, --all-branches takes all",
                   request->project, request->branch, request->project);
}

/* Before anything is looked for: a policy that is missing is no lack of runs. */
static bool policy_open(struct report_making *making, struct conf_file *policy, struct err *err)
{
    const char *path = making->report->policy;
    making->policy = path != NULL ? policy : NULL;
    return path == NULL || conf_file_read(path, making->arena, policy, err);
}

/* What was confirmed behind the period's end is no more to be asked for. */
static bool said_find(struct report_making *making, struct err *err)
{
    const struct report_request *request = making->request;
    const struct change_mark_query query = {.project = request->project,
                                            .as_of_us = some_i64(request->made_us),
                                            .corrected_us = some_i64(making->seen_us)};
    return request->made_us <= request->until_us ||
           ledger_change_marks(making->db, &query, making->arena, &making->said, err);
}

/* A project without runs on that branch, or of that time, has nothing to tell. */
static bool workloads_see(struct report_making *making, struct err *err)
{
    const struct report_request *request = making->request;
    struct err why = {0};
    const struct trends_request wanted = {
        .project = request->project,
        .workloads = request->workloads,
        .branch = request->branch,
        .measure = request->measure,
        .beside = measure_rows[MEASURE_mfu].name,
        .policy = making->policy,
        .until_us = some_i64(request->until_us),
        .as_of_us = some_i64(request->until_us),
        .corrected_us = some_i64(making->seen_us),
        .group = TRENDS_BY_WORKLOAD,
        .shown = TRENDS_RUNS,
    };
    if (trends_walk(making->db, &wanted, making->scratch, report_workload_see, making, &why))
        return true;
    *err = why;
    return why.kind == ERR_MISSING;
}

bool report_make(struct db *db, const struct report_request *request, struct arena *arena,
                 struct trend_report *ret_report, struct err *err)
{
    scoped_arena scratch;
    struct conf_file policy = {0};
    arena_init_within(&scratch, arena);
    struct report_making making = {
        .db = db,
        .request = request,
        .arena = arena,
        .scratch = &scratch,
        .report = ret_report,
        .seen_us = request->name != NULL ? request->until_us : request->made_us,
    };
    const struct report_query query = {request->project, request->workloads, request->since_us,
                                       request->until_us};
    if (!head_fill(&making, err) || !told_find(&making, err) || !project_check(&making, err) ||
        !policy_open(&making, &policy, err) || !names_check(&making, err) ||
        !branch_check(&making, err) || !said_find(&making, err) ||
        !report_told_find(&making, err) || !workloads_see(&making, err) ||
        !report_taken_back_rest(&making, err) ||
        !ledger_report_verdicts(db, &query, arena, ret_report, err) ||
        !ledger_report_alerts(db, &query, arena, ret_report, err))
        return false;
    findings_sort(ret_report);
    return report_commits_find(&making, err) && report_canaries_find(&making, err) &&
           report_courses_order(&making, err) && report_words_fill(&making, err);
}

bool report_make_again(struct db *db, const struct trend_report *kept, struct arena *arena,
                       struct trend_report *ret_report, struct err *err)
{
    struct report_request request = {
        .name = kept->name,
        .project = kept->project,
        .workloads = kept->workloads,
        .branch = kept->branch,
        .measure = kept->measure,
        .policy = kept->policy,
        .canary_count = REPORT_CANARIES,
        .kept = kept,
    };
    if (!clock_read_iso(kept->since_utc, &request.since_us) ||
        !clock_read_iso(kept->until_utc, &request.until_us) ||
        !clock_read_iso(kept->made_at_utc, &request.made_us))
        return err_set(err, ERR_INPUT, "the report's period, %.40s to %.40s, is none",
                       kept->since_utc, kept->until_utc);
    if (!report_make(db, &request, arena, ret_report, err))
        return false;
    ret_report->report = kept->report;
    return true;
}

bool report_record_within(struct db *db, struct trend_report *report, struct arena *arena,
                          bool *ret_new, struct err *err)
{
    int64_t id;
    scoped_text document;
    text_init(&document, DOCUMENT_BYTES_MAX);
    scoped_json *root = trend_report_to_json(report, err);
    if (root == NULL)
        return false;
    json_print(root, JSON_STYLE_LINE, &document);
    const struct report_entry entry = {.report = report, .document = text_string(&document)};
    if (!text_ok(&document, "a report", err) || !ledger_append_report_within(db, &entry, &id, err))
        return false;
    *ret_new = id != 0;
    report->report = *ret_new ? arena_printf(arena, "rp%" PRId64, id) : NULL;
    return !*ret_new || report->report != NULL || arena_failed(arena, "a report", err);
}
