/* Implements the reading of trends. */
#include "history/reading/trend.h"

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "history/profiles/profiles.h"
#include "history/reading/courses.h"
#include "schema/documents/measures.h"

enum { ELEMENT_BYTES = 12 /* of a bigint[]: its length and a number */ };

/* Columns that name what people said of a run; change points are checked before. */
static const struct {
    int column;
    enum entry_kind kind;
} decisions[] = {{C_trend_points_acceptance_id, ENTRY_ACCEPTANCE},
                 {C_trend_points_rebaseline_id, ENTRY_REBASELINE}};

static struct trend_point point_of(const PGresult *rows, int row, struct arena *arena)
{
    return (struct trend_point){
        .profile_id = result_name(rows, row, C_trend_points_id, "p", arena),
        .run = result_copy_text(rows, row, C_trend_points_run, arena),
        .series = result_name(rows, row, C_trend_points_series_id, "s", arena),
        .ran_at_utc = result_copy_time(rows, row, C_trend_points_ran_at, arena),
        .captured = result_bool(rows, row, C_trend_points_is_captured),
        .order = {result_wall_us(rows, row, C_trend_points_ran_at),
                  result_i64(rows, row, C_trend_points_place)},
        .recorded_at_utc = result_copy_time(rows, row, C_trend_points_recorded_at, arena),
        .recorded_us = result_wall_us(rows, row, C_trend_points_recorded_at),
        .value = result_f64(rows, row, C_trend_points_value),
        .beside = result_is_null(rows, row, C_trend_points_beside)
                      ? (struct opt_f64){0}
                      : some_f64(result_f64(rows, row, C_trend_points_beside)),
        .branch = result_copy_text(rows, row, C_trend_points_branch, arena),
        .commit = result_copy_text(rows, row, C_trend_points_commit_sha, arena),
        .verdict_id = result_name(rows, row, C_trend_points_verdict_id, "v", arena),
        .verdict = result_copy_text(rows, row, C_trend_points_status, arena),
        .accepted = !result_is_null(rows, row, C_trend_points_acceptance_id),
        .rebaseline = result_name(rows, row, C_trend_points_rebaseline_id, "r", arena),
        .change_point = result_name(rows, row, C_trend_points_change_point_id, "k", arena),
        .archived = result_bool(rows, row, C_trend_points_archived),
    };
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
    for (int row = 0; row < PQntuples(rows); row++)
        profiles_add(rows, row, ids, &count);
    scoped_recorded_measures measures = {.ids = ids, .count = count};
    /* The server looks for the kinds of the points while we check what was read of their
     * profiles. */
    const struct profile_numbers points = {result_ids(rows, C_trend_points_id, arena),
                                           (size_t)PQntuples(rows)};
    return recorded_measures_read(db, &measures, arena, err) &&
           (kinds_of == NULL || count == 0 ||
            ledger_profile_kinds_ahead(db, points, kinds_of, arena, err)) &&
           recorded_measures_check(db, &measures, arena, ret_changes, err) &&
           ledger_check_events(db, ids, count, arena, err);
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
            break;
        }
        size_t held = left_out->whys.count, all = held + changes.count;
        struct trend_left_out more = {arena_array(arena, int64_t, all),
                                      {arena_array(arena, const char *, all), all}};
        for (size_t i = 0; i < all; i++) {
            more.ids[i] = i < held ? left_out->ids[i] : changes.items[i - held].id;
            more.whys.items[i] = i < held ? left_out->whys.items[i] : changes.items[i - held].why;
        }
        *left_out = more;
    }
    /* The words behind the profiles that were left out. */
    const struct string_list profiles = left_out->whys, words = marks.left_out;
    ret_left_out->count = profiles.count + words.count;
    ret_left_out->items = arena_array(arena, const char *, ret_left_out->count);
    for (size_t i = 0; i < ret_left_out->count; i++)
        ret_left_out->items[i] =
            i < profiles.count ? profiles.items[i] : words.items[i - profiles.count];
    return true;
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
    for (size_t i = 0; i < ret_trend->point_count; i++) {
        ret_trend->points[i] = point_of(rows, (int)i, arena);
        if (!arena_ok(arena, "a trend", err))
            return false;
    }
    return true;
}

void ledger_plans_keep(struct db *db, bool keep)
{
    db->all_plans_once = keep;
}
