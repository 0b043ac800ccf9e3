/* Reads values, splits them into courses, and says what moved: of one measure, or of one after the
 * other, of workloads, or of ops. */
#include "ops/flow/trends/trends.h"

#include "compare/policy/policy.h"
#include "compare/statistics/statistics.h"
#include "history/reading/reading.h"
#include "ops/flow/trends/courses.h"
#include "ops/flow/trends/ways.h"
#include "ops/runtime/log.h"
#include "ops/runtime/text.h"
#include "schema/documents/measures.h"

#include <math.h>
#include <string.h>

const char *const trends_group_names[TRENDS_GROUP_COUNT] = {
    [TRENDS_PLAIN] = "none",
    [TRENDS_BY_OP] = "op",
    [TRENDS_BY_MEASURE] = "measure",
    [TRENDS_BY_WORKLOAD] = "workload",
};

/* An op that takes less in every run is not looked at: the floor is set before any change is. */
static const double op_least_share = .005;

struct reading {
    struct db *db;
    const struct trends_request *request;
    struct arena *arena;           /* by workload: rewound behind each */
    struct arena *lasting;         /* of what is kept for all of them */
    struct change_mark_list marks; /* of the workload, or of all */
    struct course *courses;
    size_t course_count, course_capacity;
    trends_visit *visit; /* is shown each workload, and its context; NULL = courses are kept */
    void *context;
    struct trend_left_out left_out; /* found so far, of the workload, or of all */
    const char **told;              /* of which it was told */
    size_t told_count, told_capacity;
    const char *next_workload, *next_measure; /* whose values are read behind these; NULL: none */
};

static bool was_told(const struct reading *reading, const char *why, size_t place)
{
    if (place < reading->told_count && strcmp(reading->told[place], why) == 0)
        return true;
    for (size_t i = 0; i < reading->told_count; i++)
        if (strcmp(reading->told[i], why) == 0)
            return true;
    return false;
}

/* Each once, however many measures and workloads are asked for. */
static void left_out_tell(struct reading *reading, const struct string_list *left_out)
{
    for (size_t i = 0; i < left_out->count; i++) {
        if (was_told(reading, left_out->items[i], i))
            continue;
        reading->told = arena_grow(reading->lasting, reading->told, reading->told_count,
                                   &reading->told_capacity, sizeof *reading->told);
        reading->told[reading->told_count++] = arena_strdup(reading->lasting, left_out->items[i]);
        log_event(LOG_WARN, LOG_profile_left_out, "why", left_out->items[i], NULL);
    }
}

static struct trend_query values_query(struct reading *reading, const char *workload,
                                       const char *measure)
{
    const struct trends_request *request = reading->request;
    return (struct trend_query){
        .project = request->project,
        .workload = workload,
        .branch = request->branch,
        .series = request->series,
        .measure = measure,
        .beside = request->beside,
        .run_limit = request->shown > TRENDS_RUNS ? request->shown : TRENDS_RUNS,
        .since_us = request->since_us,
        .until_us = request->until_us,
        .as_of_us = request->as_of_us,
        .corrected_us = request->corrected_us,
        .known = &reading->left_out,
        .kinds_of = comparable_facts(),
    };
}

static bool values_read(struct reading *reading, const char *workload, const char *measure,
                        struct trend *ret_trend, struct err *err)
{
    const struct trend_query query = values_query(reading, workload, measure);
    if (!ledger_trend(reading->db, &query, reading->arena, ret_trend, err))
        return false;
    left_out_tell(reading, &ret_trend->left_out);
    return true;
}

/* A zeroed one more. */
static struct course *course_new(struct reading *reading)
{
    reading->courses = arena_grow(reading->arena, reading->courses, reading->course_count,
                                  &reading->course_capacity, sizeof *reading->courses);
    struct course *course = &reading->courses[reading->course_count++];
    *course = (struct course){0};
    return course;
}

/* What its changes made of each other is found of courses that are kept: who visits asks for what
 * it tells. */
static bool course_add(struct reading *reading, const struct course_subject *subject,
                       struct err *err)
{
    struct course *course = course_new(reading);
    struct change_ways ways = {
        .db = reading->db, .runs = subject->runs, .course = course, .arena = reading->arena};
    if (!course_make(subject, reading->arena, course, err))
        return false;
    if (reading->visit != NULL)
        return true;
    ways_init(&ways);
    return ways_settle_all(&ways, course, err);
}

/* The runs of the trend that the gate would compare with each other, under the policy for their
 * workload. */
static bool runs_split(struct reading *reading, const struct trend *trend,
                       struct gate_policy *ret_policy, struct comparable_list *ret_list,
                       struct err *err)
{
    const struct trends_request *request = reading->request;
    const struct policy_scope scope = {trend->project, trend->workload,
                                       request->policy_is_recorded};
    gate_policy_default(ret_policy);
    return (request->policy == NULL ||
            gate_policy_read(request->policy, &scope, reading->arena, ret_policy, err)) &&
           comparable_split(reading->db, trend, ret_policy, reading->arena, ret_list, err);
}

/* The server looks for the next values while courses are made of these: half of the time each. */
static bool next_ahead(struct reading *reading, struct err *err)
{
    if (reading->next_workload == NULL)
        return true;
    struct arena_mark mark = arena_mark(reading->arena);
    struct trend_query query = values_query(reading, reading->next_workload, reading->next_measure);
    query.known = reading->visit != NULL ? NULL : query.known; /* each workload has its own */
    bool is_sent = ledger_trend_ahead(reading->db, &query, reading->arena, err);
    arena_rewind(reading->arena, mark);
    return is_sent;
}

/* The courses of the trend's own measure, the newest first; ret_runs: what they are of. */
static bool measure_courses(struct reading *reading, const struct trend *trend,
                            struct comparable_list *ret_runs, struct err *err)
{
    struct gate_policy policy;
    if (!runs_split(reading, trend, &policy, ret_runs, err) || !next_ahead(reading, err))
        return false;
    for (size_t i = 0; i < ret_runs->count; i++) {
        const struct comparable *runs = &ret_runs->items[i];
        double *values = arena_array(reading->arena, double, runs->count);
        for (size_t k = 0; k < runs->count; k++)
            values[k] = runs->points[k]->value;
        const struct course_subject subject = {.trend = trend,
                                               .runs = runs,
                                               .values = values,
                                               .marks = &reading->marks,
                                               .outlier_pct = policy.min_effect_pct};
        if (!course_add(reading, &subject, err))
            return false;
    }
    return true;
}

/* ---- by op ----------------------------------------------------------------------------------- */

static bool ops_of_runs(struct reading *reading, const struct trend *trend,
                        const struct comparable *runs, struct err *err)
{
    static const struct change_mark_list no_marks;
    struct op_points_list ops;
    int64_t *ids = arena_array(reading->arena, int64_t, runs->count);
    double step = 0, *values = arena_array(reading->arena, double, runs->count);
    for (size_t i = 0; i < runs->count; i++) {
        ids[i] = trends_number(runs->points[i]->profile_id);
        step += runs->points[i]->value / (double)runs->count;
    }
    if (!ledger_op_points(reading->db, (struct profile_numbers){ids, runs->count}, op_least_share,
                          reading->arena, &ops, err))
        return false;
    for (size_t i = 0; i < ops.count; i++) {
        for (size_t k = 0; k < runs->count; k++)
            values[k] = ops.told[k] ? ops.items[i].us[k] : NAN;
        const struct course_subject subject = {
            .trend = trend,
            .runs = runs,
            .values = values,
            .marks = &no_marks,
            .op = ops.items[i].signature,
            .op_name = ops.items[i].name,
            .step = step,
        };
        if (!course_add(reading, &subject, err))
            return false;
    }
    return true;
}

static bool by_op(struct reading *reading, struct err *err)
{
    struct trend trend;
    struct comparable_list list;
    struct gate_policy policy;
    const char *measure = measure_rows[MEASURE_op_time].name;
    if (!values_read(reading, reading->request->workload, measure, &trend, err) ||
        !runs_split(reading, &trend, &policy, &list, err))
        return false;
    for (size_t i = 0; i < list.count; i++)
        if (!ops_of_runs(reading, &trend, &list.items[i], err))
            return false;
    return reading->course_count > 0 ||
           err_set(err, ERR_MISSING,
                   "no run of project '%s', workload '%s' tells of its ops: their summaries are "
                   "older, or in an archive",
                   reading->request->project, reading->request->workload);
}

/* ---- by measure, by workload ----------------------------------------------------------------- */

/* A measure that no run tells has no course; *ret_any stays as it was. */
static bool one_more(struct reading *reading, const char *workload, const char *measure,
                     bool *ret_any, struct err *err)
{
    struct trend trend;
    struct comparable_list runs;
    struct err why = {0};
    if (!values_read(reading, workload, measure, &trend, &why)) {
        *err = why;
        return why.kind == ERR_MISSING;
    }
    *ret_any = true;
    size_t before = reading->course_count;
    if (!measure_courses(reading, &trend, &runs, err))
        return false;
    if (reading->visit == NULL)
        return true;
    const struct trends_seen seen = {&trend, &runs, reading->courses + before, &reading->marks};
    return reading->visit(reading->context, &seen, err);
}

static bool by_measure(struct reading *reading, struct err *err)
{
    bool any = false;
    const char *workload = reading->request->workload;
    for (enum measure i = MEASURE_FIRST; i < MEASURE_END; i++) {
        reading->next_workload = i + 1 < MEASURE_END ? workload : NULL;
        reading->next_measure = i + 1 < MEASURE_END ? measure_rows[i + 1].name : NULL;
        if (!one_more(reading, workload, measure_rows[i].name, &any, err))
            return false;
    }
    return any; /* else err says what the last one lacked */
}

static bool workloads_read(struct reading *reading, struct err *err)
{
    struct list list;
    struct list_query query = {.noun = list_noun_find("workloads"),
                               .by[LIST_BY_PROJECT] = reading->request->project,
                               .limit = TRENDS_WORKLOADS_MAX};
    bool any = false;
    if (!ledger_list(reading->db, &query, reading->arena, &list, err))
        return false;
    const char **names = arena_array(reading->arena, const char *, list.row_count);
    size_t count = 0;
    for (size_t row = 0; row < list.row_count; row++) {
        const char *workload = list.values[row * list.column_count].text;
        if (text_fits_patterns(reading->request->workloads, workload))
            names[count++] = workload;
    }
    reading->next_measure = reading->request->measure;
    for (size_t i = 0; i < count; i++) {
        struct arena_mark mark = arena_mark(reading->arena);
        reading->next_workload = i + 1 < count ? names[i + 1] : NULL;
        if (!one_more(reading, names[i], reading->request->measure, &any, err))
            return false;
        arena_rewind(reading->arena, mark); /* who visits has kept what it needs */
        reading->courses = NULL;
        reading->course_count = reading->course_capacity = 0;
        reading->left_out = (struct trend_left_out){0};
    }
    return any ||
           err_set(err, ERR_MISSING, "no run of project '%s'%s%s has the measure %s",
                   reading->request->project, reading->request->branch != NULL ? ", branch " : "",
                   reading->request->branch != NULL ? reading->request->branch : "",
                   reading->request->measure);
}

static bool by_workload(struct reading *reading, struct err *err)
{
    scoped_arena lasting;
    arena_init_within(&lasting, reading->arena);
    reading->lasting = &lasting;
    ledger_plans_keep(reading->db, true);
    bool done = workloads_read(reading, err);
    ledger_plans_keep(reading->db, false);
    return done;
}

/* What is kept of a workload by who reads all of them: its courses. */
static bool workload_keep(void *context, const struct trends_seen *seen, struct err *err)
{
    struct reading *reading = context;
    for (size_t i = 0; i < seen->runs->count; i++)
        record_copy(&course_record, &seen->courses[i], reading->arena, course_new(reading));
    return arena_ok(reading->arena, "a trend", err);
}

static bool workloads_keep(struct reading *reading, struct err *err)
{
    scoped_arena arena;
    arena_init_within(&arena, reading->arena);
    struct reading walking = {.db = reading->db,
                              .request = reading->request,
                              .arena = &arena,
                              .marks = reading->marks,
                              .visit = workload_keep,
                              .context = reading};
    return by_workload(&walking, err);
}

/* ---- how well devices were used ---------------------------------------------------------------
 */

double trends_newest_level(const struct trend *trend,
                           bool (*is_of)(const void *context, const struct trend_point *point),
                           const void *context)
{
    double values[COURSE_LEVEL_RUNS];
    size_t count = 0;
    for (size_t i = trend->point_count; i-- > 0 && count < COURSE_LEVEL_RUNS;)
        if (is_of(context, &trend->points[i]))
            values[count++] = trend->points[i].value;
    stats_sort(values, count);
    return count > 0 ? stats_quantile(values, count, .5) : NAN;
}

/* Runs of a series on one side of a change, from one to another. */
struct side {
    const char *series;
    struct run_order from, until;
};

static bool is_of_side(const void *context, const struct trend_point *point)
{
    const struct side *side = context;
    return strcmp(point->series, side->series) == 0 &&
           run_order_compare(point->order, side->from) >= 0 &&
           run_order_compare(point->order, side->until) <= 0;
}

/* Where the run of a profile of the trend stands. */
static struct run_order order_of(const struct trend *trend, const char *profile)
{
    size_t place = trend_point_find(trend, profile);
    return trend->points[place < trend->point_count ? place : trend->point_count - 1].order;
}

/* How well the devices were used, by the runs that tell it: now, and before the newest change. */
static void mfu_set(const struct trend *used, struct trend *trend)
{
    static const struct run_order first = {INT64_MIN, 0}, last = {INT64_MAX, 0};
    struct side now = {trend->points[trend->point_count - 1].series, first, last};
    struct side before = {now.series, first, first};
    if (trend->has_newest && strcmp(trend->newest.series, now.series) == 0) {
        now.from = order_of(trend, trend->newest.until_profile);
        before.until = order_of(trend, trend->newest.after_profile);
    }
    double level = trends_newest_level(used, is_of_side, &now);
    double earlier = trends_newest_level(used, is_of_side, &before);
    trend->has_mfu = !isnan(level);
    trend->mfu = (struct report_mfu){
        .workload = trend->workload,
        .branch = trend->branch,
        .now = level,
        .before = isnan(earlier) ? (struct opt_f64){0} : some_f64(earlier),
    };
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* The newest change that is to be told, of the newest runs that can be compared, and what it is
 * made of. */
static bool newest_fill(struct reading *reading, const struct comparable_list *runs,
                        struct trend *trend, struct err *err)
{
    const struct course *course = reading->courses;
    const struct course_change *change = NULL;
    for (size_t i = 0; i < course->change_count; i++)
        if (course_change_counts(&course->changes[i]))
            change = &course->changes[i];
    trend->has_newest = change != NULL;
    if (change == NULL)
        return true;
    trend->newest = (struct report_change){
        .workload = course->workload,
        .series = course->series,
        .measure = course->measure,
        .unit = course->unit,
        .at_profile = change->at_profile,
        .at_utc = change->at_utc,
        .after_profile = change->after_profile,
        .until_profile = change->until_profile,
        .before = change->before,
        .after = change->after,
        .change_pct = change->change_pct,
        .loss = change->loss,
    };
    const struct change_around around = trends_around(&runs->items[0], course, change);
    return trends_explain(reading->db, &around, reading->arena, reading->arena, &trend->newest,
                          err);
}

static bool plain(struct reading *reading, struct trend *ret_trend, struct err *err)
{
    const struct trends_request *request = reading->request;
    struct comparable_list runs;
    struct trend used;
    if (!values_read(reading, request->workload, request->measure, ret_trend, err) ||
        !measure_courses(reading, ret_trend, &runs, err) ||
        !newest_fill(reading, &runs, ret_trend, err))
        return false;
    if (values_read(reading, ret_trend->workload, measure_rows[MEASURE_mfu].name, &used, err))
        mfu_set(&used, ret_trend);
    else if (err->kind != ERR_MISSING)
        return false;
    size_t shown = (size_t)request->shown;
    if (ret_trend->point_count > shown) {
        ret_trend->points += ret_trend->point_count - shown;
        ret_trend->point_count = shown;
    }
    return true;
}

static bool grouped(struct reading *reading, struct trend *ret_trend, struct err *err)
{
    const struct trends_request *request = reading->request;
    bool of_measure = request->group == TRENDS_BY_WORKLOAD;
    enum measure measure = MEASURE_op_time;
    if (of_measure && !measure_find(request->measure, &measure, err))
        return false;
    bool done = request->group == TRENDS_BY_OP        ? by_op(reading, err)
                : request->group == TRENDS_BY_MEASURE ? by_measure(reading, err)
                                                      : workloads_keep(reading, err);
    bool of_all = request->group == TRENDS_BY_MEASURE;
    *ret_trend = (struct trend){
        .schema_version = "trend.v1",
        .project = request->project,
        .workload = request->workload,
        .branch = request->branch,
        .measure = of_all ? NULL : measure_rows[measure].name,
        .unit = of_all ? NULL : measure_rows[measure].unit,
        .grouped_by = trends_group_names[request->group],
    };
    courses_sort(reading->courses, reading->course_count, reading->arena);
    return done;
}

/* What all ways of reading need; request and arena are set. */
static bool reading_begin(struct reading *reading, struct err *err)
{
    const struct trends_request *request = reading->request;
    const struct change_mark_query query = {request->project, request->workload, request->as_of_us,
                                            request->corrected_us};
    return ledger_change_marks(reading->db, &query, reading->arena, &reading->marks, err);
}

bool trends_read(struct db *db, const struct trends_request *request, struct arena *arena,
                 struct trend *ret_trend, struct err *err)
{
    struct reading reading = {.db = db, .request = request, .arena = arena, .lasting = arena};
    if (!reading_begin(&reading, err))
        return false;
    bool done = request->group == TRENDS_PLAIN ? plain(&reading, ret_trend, err)
                                               : grouped(&reading, ret_trend, err);
    ret_trend->policy = request->policy_name;
    ret_trend->courses = reading.courses;
    ret_trend->course_count = reading.course_count;
    return done && arena_ok(arena, "a trend", err);
}

bool trends_walk(struct db *db, const struct trends_request *request, struct arena *arena,
                 trends_visit *visit, void *context, struct err *err)
{
    struct reading reading = {
        .db = db, .request = request, .arena = arena, .visit = visit, .context = context};
    return reading_begin(&reading, err) && by_workload(&reading, err);
}
