/* Implements the reading of trends. */
#include "history/trend.h"

#include "history/connection.h"
#include "history/measure_table.h"
#include "history/pg_types.h"
#include "history/result.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/text.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    int number;
    const char *name, *unit;
} measures[] = {
#define MEASURE_ROW(number, name, unit) {number, #name, unit},
    MEASURES(MEASURE_ROW)
#undef MEASURE_ROW
};
enum { TRACKED_COUNT = sizeof measures / sizeof measures[0] };

static bool measure_find(const char *name, size_t *ret_index, struct err *err)
{
    const char *names[TRACKED_COUNT];
    enum { LIST_BYTES = 800 };
    scoped_text list;
    text_init(&list, LIST_BYTES);
    for (size_t i = 0; i < TRACKED_COUNT; i++) {
        names[i] = measures[i].name;
        text_addf(&list, "%s%s", i == 0 ? "" : " ", names[i]);
        if (strcmp(names[i], name) == 0) {
            *ret_index = i;
            return true;
        }
    }
    const char *near = text_nearest(name, names, TRACKED_COUNT);
    return err_set(err, ERR_USAGE, "the measure '%s' is not tracked%s%s%s; tracked: %s", name,
                   near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                   near != NULL ? "'?" : "", text_string(&list));
}

static double float8_of(const PGresult *rows, int row, int column)
{
    double value;
    uint64_t bits = be_get((const uint8_t *)PQgetvalue(rows, row, column), sizeof bits);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* One row of the result, while it is read. */
struct reading {
    const PGresult *rows;
    int row;
    struct arena *arena;
    bool failed; /* the arena is used up */
};

/* "v7" of a bigint; NULL for NULL. */
static const char *id_text(struct reading *reading, int column, char letter)
{
    if (result_is_null(reading->rows, reading->row, column))
        return NULL;
    const char *text = arena_printf(reading->arena, "%c%" PRId64, letter,
                                    result_i64(reading->rows, reading->row, column));
    reading->failed |= text == NULL;
    return text;
}

static const char *text_copy(struct reading *reading, int column)
{
    const char *text = NULL;
    reading->failed |=
        !result_copy_text(reading->rows, reading->row, column, reading->arena, &text);
    return text;
}

static bool point_read(const PGresult *rows, int row, struct arena *arena,
                       struct trend_point *point)
{
    struct reading reading = {rows, row, arena, false};
    char recorded_at[CLOCK_ISO_BYTES];
    clock_iso(result_wall_us(rows, row, 3), recorded_at);
    *point = (struct trend_point){
        .profile_id = id_text(&reading, 0, 'p'),
        .run = text_copy(&reading, 1),
        .series = id_text(&reading, 2, 's'),
        .recorded_at_utc = arena_strdup(arena, recorded_at),
        .value = float8_of(rows, row, 4),
        .branch = text_copy(&reading, 5),
        .commit = text_copy(&reading, 6),
        .verdict_id = id_text(&reading, 7, 'v'),
        .verdict = text_copy(&reading, 8),
        .accepted = result_bool(rows, row, 9),
        .rebaseline = id_text(&reading, 10, 'r'),
    };
    return !reading.failed && point->recorded_at_utc != NULL;
}

static bool points_read(const PGresult *rows, struct arena *arena, struct trend *trend,
                        struct err *err)
{
    trend->point_count = (size_t)PQntuples(rows);
    trend->points = arena_array(arena, struct trend_point, trend->point_count);
    if (trend->points == NULL)
        return arena_failed(arena, "a trend", err);
    for (size_t i = 0; i < trend->point_count; i++) {
        if (!point_read(rows, (int)i, arena, &trend->points[i]))
            return arena_failed(arena, "a trend", err);
    }
    return true;
}

static bool series_read(const char *series, struct opt_i64 *ret_number, struct err *err)
{
    *ret_number = (struct opt_i64){.set = series != NULL};
    return series == NULL || (series[0] == 's' && text_parse_i64(series + 1, &ret_number->value)) ||
           err_set(err, ERR_USAGE, "'%s' is no series; a series is written s3", series);
}

bool ledger_trend(struct db *db, const struct trend_query *query, struct arena *arena,
                  struct trend *ret_trend, struct err *err)
{
    size_t measure = 0;
    struct opt_i64 series;
    if (!measure_find(query->measure, &measure, err) || !series_read(query->series, &series, err))
        return false;
    struct args args = {0};
    args_text(&args, query->project);
    args_text(&args, query->workload);
    args_text(&args, query->branch);
    args_i32(&args, measures[measure].number);
    args_opt_i64(&args, series);
    args_i64(&args, query->run_limit);
    scoped_result *rows = NULL;
    if (!query_run(db, Q_trend_points, &args, &rows, err))
        return false;
    if (PQntuples(rows) == 0)
        return err_set(err, ERR_MISSING,
                       "no run of project '%s', workload '%s'%s%s has the measure %s",
                       query->project, query->workload, query->branch != NULL ? ", branch " : "",
                       query->branch != NULL ? query->branch : "", query->measure);
    *ret_trend = (struct trend){
        .schema_version = "trend.v1",
        .project = query->project,
        .workload = query->workload,
        .branch = query->branch,
        .measure = measures[measure].name,
        .unit = measures[measure].unit,
    };
    return points_read(rows, arena, ret_trend, err);
}
