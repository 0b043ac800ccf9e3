/* Implements the reading of trends. */
#include "history/reading/trend.h"

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "history/profiles/profiles.h"
#include "history/reading/courses.h"
#include "ops/runtime/clock.h"
#include "schema/documents/measures.h"

#include <inttypes.h>

enum { ELEMENT_BYTES = 12 /* of a bigint[]: its length and a number */ };

/* Columns that name what people said of a run; change points are checked before. */
static const struct {
    int column;
    enum entry_kind kind;
} decisions[] = {{C_trend_points_acceptance_id, ENTRY_ACCEPTANCE},
                 {C_trend_points_rebaseline_id, ENTRY_REBASELINE}};

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
    char recorded_at[CLOCK_ISO_BYTES], ran_at[CLOCK_ISO_BYTES];
    clock_iso(result_wall_us(rows, row, C_trend_points_ran_at), ran_at);
    clock_iso(result_wall_us(rows, row, C_trend_points_recorded_at), recorded_at);
    *point = (struct trend_point){
        .profile_id = id_text(&reading, C_trend_points_id, 'p'),
        .run = text_copy(&reading, C_trend_points_run),
        .series = id_text(&reading, C_trend_points_series_id, 's'),
        .ran_at_utc = arena_strdup(arena, ran_at),
        .captured = result_bool(rows, row, C_trend_points_is_captured),
        .order = {result_wall_us(rows, row, C_trend_points_ran_at),
                  result_i64(rows, row, C_trend_points_place)},
        .recorded_at_utc = arena_strdup(arena, recorded_at),
        .recorded_us = result_wall_us(rows, row, C_trend_points_recorded_at),
        .value = result_f64(rows, row, C_trend_points_value),
        .beside = result_is_null(rows, row, C_trend_points_beside)
                      ? (struct opt_f64){0}
                      : some_f64(result_f64(rows, row, C_trend_points_beside)),
        .branch = text_copy(&reading, C_trend_points_branch),
        .commit = text_copy(&reading, C_trend_points_commit_sha),
        .verdict_id = id_text(&reading, C_trend_points_verdict_id, 'v'),
        .verdict = text_copy(&reading, C_trend_points_status),
        .accepted = !result_is_null(rows, row, C_trend_points_acceptance_id),
        .rebaseline = id_text(&reading, C_trend_points_rebaseline_id, 'r'),
        .change_point = id_text(&reading, C_trend_points_change_point_id, 'k'),
        .archived = result_bool(rows, row, C_trend_points_archived),
    };
    return !reading.failed && point->ran_at_utc != NULL && point->recorded_at_utc != NULL;
}

/* Adds the profiles of a run, of whose values the point is the median: an array of one
 * dimension. */
static void profiles_add(const PGresult *rows, int row, int64_t *ids, size_t *count)
{
    const uint8_t *at = (const uint8_t *)PQgetvalue(rows, row, C_trend_points_profile_ids);
    const uint8_t *end = at + PQgetlength(rows, row, C_trend_points_profile_ids);
    for (at += ARRAY_HEAD_BYTES; at < end; at += ELEMENT_BYTES)
        ids[(*count)++] = (int64_t)be_get(at + ELEMENT_BYTES - sizeof *ids, sizeof *ids);
}

/* Runs behind each other mostly have the same. */
static bool decisions_check(struct db *db, const PGresult *rows, struct err *err)
{
    for (size_t i = 0; i < sizeof decisions / sizeof decisions[0]; i++) {
        int column = decisions[i].column;
        int64_t last = 0;
        for (int row = 0; row < PQntuples(rows); row++) {
            if (result_is_null(rows, row, column) || result_i64(rows, row, column) == last)
                continue;
            last = result_i64(rows, row, column);
            if (!recorded_check_whole(db, decisions[i].kind, last, err))
                return false;
        }
    }
    return true;
}

/* The server looks for the kinds of the points while we check what was read of their profiles. */
static bool kinds_ahead(struct db *db, const struct string_list *kinds_of, const PGresult *rows,
                        struct arena *arena, struct err *err)
{
    struct profile_numbers points = {.count = (size_t)PQntuples(rows)};
    int64_t *ids;
    if (!result_ids(rows, C_trend_points_id, arena, "a trend", &ids, err))
        return false;
    points.items = ids;
    return ledger_profile_kinds_ahead(db, points, kinds_of, arena, err);
}

/* The profiles of the rows, and which of them are not what was recorded. kinds_of: of a trend's
 * query. */
static bool profiles_check(struct db *db, const struct string_list *kinds_of, const PGresult *rows,
                           struct arena *arena, struct recorded_changes *ret_changes,
                           struct err *err)
{
    size_t count = 0, most = 0;
    for (int row = 0; row < PQntuples(rows); row++)
        most += (size_t)PQgetlength(rows, row, C_trend_points_profile_ids) / ELEMENT_BYTES;
    int64_t *ids = arena_array(arena, int64_t, most);
    if (ids == NULL)
        return arena_failed(arena, "a trend", err);
    for (int row = 0; row < PQntuples(rows); row++)
        profiles_add(rows, row, ids, &count);
    scoped_recorded_measures measures = {.ids = ids, .count = count};
    return recorded_measures_read(db, &measures, arena, err) &&
           (kinds_of == NULL || count == 0 || kinds_ahead(db, kinds_of, rows, arena, err)) &&
           recorded_measures_check(db, &measures, arena, ret_changes, err) &&
           ledger_check_events(db, ids, count, arena, err);
}

/* Behind the profiles that were left out. */
static bool words_add(const struct string_list *words, struct arena *arena,
                      struct string_list *left_out, struct err *err)
{
    size_t count = left_out->count + words->count;
    const char **all = arena_array(arena, const char *, count);
    if (all == NULL)
        return arena_failed(arena, "a trend", err);
    for (size_t i = 0; i < count; i++)
        all[i] = i < left_out->count ? left_out->items[i] : words->items[i - left_out->count];
    *left_out = (struct string_list){all, count};
    return true;
}

/* What is left out of the points, and asked for with them. */
struct unsound {
    const struct trend_left_out *profiles;
    const int64_t *marks;
    size_t mark_count;
};

/* ret_rows NULL: the statement is sent ahead. */
static bool points_query(struct db *db, const struct trend_query *query,
                         const struct unsound *unsound, struct arena *arena, PGresult **ret_rows,
                         struct err *err)
{
    enum measure measure = MEASURE_END, beside = MEASURE_END;
    struct opt_i64 series;
    if (!measure_find(query->measure, &measure, err) ||
        (query->beside != NULL && !measure_find(query->beside, &beside, err)))
        return false;
    if (!identity_series(query->series, &series, err)) {
        err->kind = ERR_USAGE; /* what cannot be asked for is a question put wrongly */
        return false;
    }
    const struct args *args = ARGS(
        query->project, query->workload, query->branch, arg_i32((int32_t)measure), series,
        query->run_limit, query->since_us, query->until_us, query->as_of_us, query->corrected_us,
        arg_i64s(arena, unsound->profiles->ids, unsound->profiles->whys.count),
        arg_i64s(arena, unsound->marks, unsound->mark_count),
        query->beside != NULL ? arg_i32((int32_t)beside) : arg_bytes(NULL, 0));
    return ret_rows == NULL ? query_ahead(db, Q_trend_points, args, err)
                            : query_run(db, Q_trend_points, args, ret_rows, err);
}

bool ledger_trend_ahead(struct db *db, const struct trend_query *query, struct arena *arena,
                        struct err *err)
{
    static const struct trend_left_out none;
    const struct unsound unsound = {query->known != NULL ? query->known : &none, NULL, 0};
    return points_query(db, query, &unsound, arena, NULL, err);
}

/* The points without profiles that are not what was recorded: who may store profiles must not end a
 * trend with one. */
static bool points_ask(struct db *db, const struct trend_query *query, struct arena *arena,
                       PGresult **ret_rows, struct string_list *ret_left_out, struct err *err)
{
    struct recorded_changes changes;
    struct change_mark_list marks;
    const struct change_mark_query of_marks = {query->project, query->workload, query->as_of_us,
                                               query->corrected_us};
    struct trend_left_out found = {0}, *left_out = query->known != NULL ? query->known : &found;
    if (!ledger_change_marks(db, &of_marks, arena, &marks, err))
        return false;
    const struct unsound unsound = {left_out, marks.unsound, marks.left_out.count};
    for (;;) {
        scoped_result *rows = NULL;
        if (!points_query(db, query, &unsound, arena, &rows, err) ||
            !profiles_check(db, query->kinds_of, rows, arena, &changes, err))
            return false;
        if (changes.count == 0) {
            *ret_rows = rows;
            rows = NULL;
            *ret_left_out = left_out->whys;
            return words_add(&marks.left_out, arena, ret_left_out, err);
        }
        size_t held = left_out->whys.count, all = held + changes.count;
        struct trend_left_out more = {arena_array(arena, int64_t, all),
                                      {arena_array(arena, const char *, all), all}};
        if (more.ids == NULL || more.whys.items == NULL)
            return arena_failed(arena, "a trend", err);
        for (size_t i = 0; i < all; i++) {
            more.ids[i] = i < held ? left_out->ids[i] : changes.items[i - held].id;
            more.whys.items[i] = i < held ? left_out->whys.items[i] : changes.items[i - held].why;
        }
        *left_out = more;
    }
}

bool ledger_trend(struct db *db, const struct trend_query *query, struct arena *arena,
                  struct trend *ret_trend, struct err *err)
{
    enum measure measure;
    scoped_result *rows = NULL;
    struct string_list left_out;
    if (!measure_find(query->measure, &measure, err) ||
        !points_ask(db, query, arena, &rows, &left_out, err))
        return false;
    if (PQntuples(rows) == 0)
        return err_set(
            err, ERR_MISSING, "no run of project '%s', workload '%s'%s%s%s%s has the measure %s%s",
            query->project, query->workload, query->series != NULL ? ", series " : "",
            query->series != NULL ? query->series : "", query->branch != NULL ? ", branch " : "",
            query->branch != NULL ? query->branch : "", query->measure,
            query->since_us.set || query->until_us.set ? " in that time" : "");
    if (!decisions_check(db, rows, err) ||
        !ledger_check_corrections(db, query->project, query->workload, err))
        return false;
    *ret_trend = (struct trend){
        .schema_version = "trend.v1",
        .project = query->project,
        .workload = query->workload,
        .branch = query->branch,
        .measure = measure_rows[measure].name,
        .unit = measure_rows[measure].unit,
        .left_out = left_out,
    };
    ret_trend->point_count = (size_t)PQntuples(rows);
    ret_trend->points = arena_array(arena, struct trend_point, ret_trend->point_count);
    if (ret_trend->points == NULL)
        return arena_failed(arena, "a trend", err);
    for (size_t i = 0; i < ret_trend->point_count; i++) {
        if (!point_read(rows, (int)i, arena, &ret_trend->points[i]))
            return arena_failed(arena, "a trend", err);
    }
    return true;
}

void ledger_plans_keep(struct db *db, bool keep)
{
    db->all_plans_once = keep;
}
