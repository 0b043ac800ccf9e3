/* Appends and reads change points. */
#include "history/alert/change_points.h"

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "history/profiles/profiles.h"
#include "ops/runtime/text.h"
#include "schema/documents/measures.h"

#include <inttypes.h>
#include <math.h>

enum { PAGE = 100 };

const char *const change_point_status_names[CHANGE_POINT_STATUS_COUNT] = {
    [CHANGE_POINT_CANDIDATE] = "candidate",
    [CHANGE_POINT_CONFIRMED] = "confirmed",
    [CHANGE_POINT_WITHDRAWN] = "withdrawn",
};

/* What tells a change point from others: the first parameters of the statements on it. */
static bool point_args(const struct change_point_entry *point, struct args *args, struct err *err)
{
    enum measure measure;
    if (!measure_find(point->measure, &measure, err))
        return false;
    (void)ARGS_MORE(args, point->at_profile_id, arg_i32((int32_t)measure),
                    change_point_status_names[point->status], point->before, point->after,
                    point->method);
    return true;
}

bool change_point_add(struct db *db, const struct change_point_entry *point, int64_t *ret_id,
                      struct err *err)
{
    struct args args = {0};
    scoped_transaction *open = NULL;
    scoped_result *added = NULL;
    if (!isfinite(point->before) || !isfinite(point->after))
        return err_set(err, ERR_INPUT, "change point at p%" PRId64 ": its levels are no numbers",
                       point->at_profile_id);
    if (point->method == NULL || point->method[0] == '\0')
        return err_set(err, ERR_INPUT, "change point at p%" PRId64 ": the method is missing",
                       point->at_profile_id);
    if (!point_args(point, &args, err) || !transaction_open(db, &open, err) ||
        !query_run(db, Q_change_point_add, ARGS_MORE(&args, point->evidence), &added, err))
        return false;
    if (PQntuples(added) == 0)
        return err_set(err, ERR_MISSING, "the ledger holds no profile p%" PRId64,
                       point->at_profile_id);
    *ret_id = result_i64(added, 0, C_change_point_add_id);
    return added_due(db, ENTRY_CHANGE_POINT, added, &point->origin, NULL, err) &&
           transaction_close(&open, err);
}

bool change_point_count(struct db *db, const struct change_point_entry *point, int64_t *ret_count,
                        struct err *err)
{
    struct args args = {0};
    if (!point_args(point, &args, err))
        return false;
    return query_number(db, Q_change_point_count, &args, ret_count, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A newer program may track more: what it calls a measure is not known here, its number is. */
static void point_finish(const PGresult *rows, int row, struct arena *arena, void *item)
{
    struct change_point_entry *point = item;
    int number = result_i32(rows, row, C_change_point_page_measure);
    const char *name = result_text(rows, row, C_change_point_page_status);
    point->series = result_name(rows, row, C_change_point_page_series_id, "s", arena);
    point->measure = number >= MEASURE_FIRST && number < MEASURE_END
                         ? measure_rows[number].name
                         : arena_printf(arena, "measure %d", number);
    point->status = (enum change_point_status)text_index(name, change_point_status_names,
                                                         CHANGE_POINT_STATUS_COUNT - 1);
}

#define POINT_FIELDS \
    ROW_FIELDS(struct change_point_entry, id), {ROW_SKIPPED, 0}, {ROW_SKIPPED, 0}, \
        ROW_FIELDS(struct change_point_entry, at_profile_id), {ROW_SKIPPED, 0}, \
        ROW_FIELDS(struct change_point_entry, before, after, method, evidence)
static const struct row_field latest_fields[] = {POINT_FIELDS, {ROW_END, 0}};
static const struct row_field page_fields[] = {
    POINT_FIELDS,
    ROW_FIELDS(struct change_point_entry, origin.recorded_at_utc, origin.by),
    {ROW_END, 0}};
static const struct row_kind latest = {
    ROWS_BY(Q_change_point_latest, struct change_point_entry, "a change point", latest_fields),
    .finish = point_finish};
static const struct row_kind points = {
    ROWS_BY(Q_change_point_page, struct change_point_entry, "a page of change points", page_fields),
    .finish = point_finish, .limit = PAGE};

bool change_point_latest(struct db *db, const struct change_point_query *query, struct arena *arena,
                         struct change_point_entry *ret_point, bool *ret_found, struct err *err)
{
    struct opt_i64 series;
    enum measure measure = 0;
    *ret_found = false;
    if (!identity_series(query->series, &series, err) ||
        (query->measure != NULL && !measure_find(query->measure, &measure, err)))
        return false;
    if (!series.set)
        return true;
    return row_find(db, &latest,
                    ARGS(series.value,
                         arg_opt_i64((struct opt_i64){query->measure != NULL, (int64_t)measure}),
                         arg_id(query->until_profile_id), arg_id(query->after_profile_id)),
                    arena, (struct row_found){ret_point, ret_found}, err);
}

bool change_points_after(struct db *db, int64_t after_id, struct arena *arena,
                         struct change_point_page *ret_page, struct err *err)
{
    return rows_after(db, &points, after_id, arena, ret_page, err);
}
