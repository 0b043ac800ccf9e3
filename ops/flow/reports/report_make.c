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

/* By what a finding is put in order: its rank, the larger before the smaller, its names, and what
 * tells those of one series apart. */
struct order {
    int rank;
    double size;
    const char *names[3];
};

static int order_compare(struct order a, struct order b)
{
    int order = a.rank - b.rank;
    if (order == 0)
        order = (a.size < b.size) - (a.size > b.size);
    for (size_t i = 0; order == 0 && i < sizeof a.names / sizeof *a.names; i++)
        order = strcmp(a.names[i], b.names[i]);
    return order;
}

static double size_of(struct opt_f64 value)
{
    return value.set ? fabs(value.value) : 0;
}

#define ORDER_BY(kind, rank, size, ...) \
    static struct order kind##_key(const struct kind *x) \
    { \
        return (struct order){rank, size, {x->workload, __VA_ARGS__}}; \
    } \
    static int kind##_order(const void *a, const void *b) \
    { \
        return order_compare(kind##_key(a), kind##_key(b)); \
    }
ORDER_BY(report_change, x->went_away /* which needs nobody any more */, size_of(x->change_pct),
         x->series, x->at_profile)
ORDER_BY(report_drift, !x->loss, size_of(x->change_pct), x->series, x->from_profile)
ORDER_BY(report_noise, 0, x->noise_pct, x->series, "")
ORDER_BY(report_quiet, 0, 0, x->series, "")
ORDER_BY(report_newcomer, 0, 0, x->series, "")
ORDER_BY(report_return, 0, 0, x->series, "")
ORDER_BY(report_restart, 0, 0, x->series, x->at_utc)
ORDER_BY(report_withdrawn, 0, 0, x->series, x->at_utc)
ORDER_BY(report_mfu, 0, x->before.set ? fabs(x->now - x->before.value) : 0, "", "")
#undef ORDER_BY

static void sort(void *items, size_t count, size_t size,
                 int (*order)(const void *left, const void *right))
{
    if (count > 1)
        qsort(items, count, size, order);
}

static void findings_sort(struct trend_report *report)
{
#define SORT(list, count, order) sort(report->list, report->count, sizeof *report->list, order)
    SORT(losses, loss_count, report_change_order);
    SORT(improvements, improvement_count, report_change_order);
    SORT(recoveries, recovery_count, report_change_order);
    SORT(suspected, suspected_count, report_change_order);
    SORT(drifts, drift_count, report_drift_order);
    SORT(drifting, drifting_count, report_drift_order);
    SORT(noisiest, noisiest_count, report_noise_order);
    SORT(quiet, quiet_count, report_quiet_order);
    SORT(newcomers, newcomer_count, report_newcomer_order);
    SORT(returns, return_count, report_return_order);
    SORT(withdrawn, withdrawn_count, report_withdrawn_order);
    SORT(mfu, mfu_count, report_mfu_order);
    SORT(restarts, restart_count, report_restart_order);
#undef SORT
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
    return true;
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
static bool names_check(struct report_making *making, struct err *err)
{
    static const char blanks[] = " \t";
    const struct report_request *request = making->request;
    const struct list_query query = {.noun = list_noun_find("workloads"),
                                     .by[LIST_BY_PROJECT] = request->project,
                                     .limit = TRENDS_WORKLOADS_MAX};
    struct list list;
    const char *missing = NULL;
    size_t met = 0;
    if (request->workloads == NULL)
        return true;
    if (!ledger_list(making->db, &query, making->scratch, &list, err))
        return false;
    const char **names = arena_array(making->scratch, const char *, list.row_count);
    for (size_t i = 0; i < list.row_count; i++)
        names[i] = list.values[i * list.column_count].text;
    for (const char *at = request->workloads; *at != '\0'; at += *at == ',') {
        at += strspn(at, blanks);
        size_t length = strcspn(at, ","), fitting = 0;
        while (length > 0 && strchr(blanks, at[length - 1]) != NULL)
            length--;
        const char *pattern = arena_strndup(making->scratch, at, length);
        for (size_t i = 0; i < list.row_count; i++)
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
                   request->project, missing, text_suggestion(missing, names, list.row_count).words,
                   request->project);
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
    const struct change_mark_query said = {.project = request->project,
                                           .as_of_us = some_i64(request->made_us),
                                           .corrected_us = some_i64(making.seen_us)};
    if (!head_fill(&making, err) || !told_find(&making, err) || !project_check(&making, err))
        return false;
    /* Before anything is looked for: a policy that is missing is no lack of runs. */
    making.policy = ret_report->policy != NULL ? &policy : NULL;
    if (making.policy != NULL && !conf_file_read(ret_report->policy, arena, &policy, err))
        return false;
    if (!names_check(&making, err) || !branch_check(&making, err))
        return false;
    /* What was confirmed behind the period's end is no more to be asked for. */
    if (request->made_us > request->until_us &&
        !ledger_change_marks(db, &said, arena, &making.said, err))
        return false;
    const struct report_span told_in = {making.new_us, making.seen_us};
    if (!ledger_report_told(db, ret_report, told_in, arena, &making.told, err) ||
        !workloads_see(&making, err))
        return false;
    report_taken_back_rest(&making);
    if (!ledger_report_verdicts(db, &query, arena, ret_report, err) ||
        !ledger_report_alerts(db, &query, arena, ret_report, err))
        return false;
    findings_sort(ret_report);
    if (!report_commits_find(&making, err) || !report_canaries_find(&making, err))
        return false;
    report_courses_order(&making);
    report_words_fill(&making);
    return arena_ok(arena, "a report", err);
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
    scoped_json *root = trend_report_to_json(report);
    json_print(root, JSON_STYLE_LINE, &document);
    const struct report_entry entry = {.report = report, .document = text_string(&document)};
    if (!text_ok(&document, "a report", err) || !ledger_append_report_within(db, &entry, &id, err))
        return false;
    *ret_new = id != 0;
    report->report = *ret_new ? arena_printf(arena, "rp%" PRId64, id) : NULL;
    return true;
}
