/* Implements the reading of what trends are made of. */
#include "history/reading/courses.h"

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "schema/documents/measures.h"

#include <string.h>

/* ret_rows NULL: the statement is sent ahead. */
static bool kinds_query(struct db *db, struct profile_numbers profiles,
                        const struct string_list *names, struct arena *arena, PGresult **ret_rows,
                        struct err *err)
{
    const struct args *args =
        ARGS(arg_i64s(arena, profiles.items, profiles.count),
             arg_texts(arena, names->items, names->count), STEP_FLOPS_FACT, MEASURE_steady_steps);
    return ret_rows == NULL ? query_ahead(db, Q_profile_kinds, args, err)
                            : query_run(db, Q_profile_kinds, args, ret_rows, err);
}

bool ledger_profile_kinds_ahead(struct db *db, struct profile_numbers profiles,
                                const struct string_list *names, struct arena *arena,
                                struct err *err)
{
    struct arena_mark mark = arena_mark(arena);
    bool is_sent = kinds_query(db, profiles, names, arena, NULL, err);
    arena_rewind(arena, mark);
    return is_sent;
}

bool ledger_profile_kinds(struct db *db, struct profile_numbers profiles,
                          const struct string_list *names, struct arena *arena,
                          const char ***ret_kinds, struct err *err)
{
    scoped_result *rows = NULL;
    const char **kinds = arena_array(arena, const char *, profiles.count);
    if (kinds == NULL)
        return arena_failed(arena, "a trend", err);
    if (!kinds_query(db, profiles, names, arena, &rows, err))
        return false;
    if (!result_holds_all(rows, profiles.count, err))
        return false;
    for (size_t i = 0; i < profiles.count; i++)
        if (!result_copy_text(rows, (int)i, C_profile_kinds_kind, arena, &kinds[i]))
            return arena_failed(arena, "a trend", err);
    *ret_kinds = kinds;
    return true;
}

bool ledger_op_points(struct db *db, struct profile_numbers profiles, double least_share,
                      struct arena *arena, struct op_points_list *ret_list, struct err *err)
{
    struct op_points_list list = {.told = arena_array(arena, bool, profiles.count)};
    scoped_result *rows = NULL;
    if (list.told == NULL)
        return arena_failed(arena, "the ops of a trend", err);
    memset(list.told, 0, profiles.count * sizeof *list.told);
    if (!query_run(
            db, Q_op_points,
            ARGS(arg_i64s(arena, profiles.items, profiles.count), MEASURE_op_time, least_share),
            &rows, err))
        return false;
    size_t capacity = 0;
    for (int row = 0; row < PQntuples(rows); row++) {
        struct op_points *last = list.count > 0 ? &list.items[list.count - 1] : NULL;
        size_t place = (size_t)result_i64(rows, row, C_op_points_place) - 1;
        if (last == NULL ||
            strcmp(last->signature, result_text(rows, row, C_op_points_signature)) != 0) {
            struct op_points *items =
                arena_grow(arena, list.items, list.count, &capacity, sizeof *items);
            if (items == NULL)
                return arena_failed(arena, "the ops of a trend", err);
            list.items = items;
            last = &items[list.count++];
            last->us = arena_array(arena, double, profiles.count);
            if (last->us == NULL ||
                !result_copy_text(rows, row, C_op_points_signature, arena, &last->signature) ||
                !result_copy_text(rows, row, C_op_points_name, arena, &last->name) ||
                !result_copy_text(rows, row, C_op_points_category, arena, &last->category))
                return arena_failed(arena, "the ops of a trend", err);
            memset(last->us, 0, profiles.count * sizeof *last->us);
        }
        list.told[place] = true;
        last->us[place] += result_f64(rows, row, C_op_points_us);
    }
    *ret_list = list;
    return true;
}

bool ledger_steady_steps(struct db *db, struct profile_numbers profiles, struct arena *arena,
                         struct steady_steps *ret_steps, struct err *err)
{
    scoped_result *rows = NULL;
    if (!query_run(db, Q_steady_steps, ARGS(arg_i64s(arena, profiles.items, profiles.count)), &rows,
                   err))
        return false;
    struct steady_steps steps = {.count = (size_t)PQntuples(rows)};
    steps.us = arena_array(arena, double, steps.count);
    steps.count_of = arena_array(arena, size_t, profiles.count);
    if (steps.us == NULL || steps.count_of == NULL)
        return arena_failed(arena, "the steps of a trend", err);
    memset(steps.count_of, 0, profiles.count * sizeof *steps.count_of);
    for (size_t i = 0; i < steps.count; i++) {
        steps.us[i] = result_f64(rows, (int)i, C_steady_steps_us);
        steps.count_of[result_i64(rows, (int)i, C_steady_steps_place) - 1]++;
    }
    *ret_steps = steps;
    return true;
}

/* Where profiles, or what counts in their place, stand in the order of runs by corrections of
 * before corrected_us (not set: all): orders[count], in the arena. ERR_MISSING: one does not exist.
 */
static bool run_orders(struct db *db, struct profile_numbers profiles, struct opt_i64 corrected_us,
                       struct arena *arena, struct run_order **ret_orders, struct err *err)
{
    scoped_result *rows = NULL;
    struct run_order *orders = arena_array(arena, struct run_order, profiles.count);
    if (orders == NULL)
        return arena_failed(arena, "the order of runs", err);
    if (!query_run(db, Q_run_orders,
                   ARGS(arg_i64s(arena, profiles.items, profiles.count), corrected_us), &rows, err))
        return false;
    if (!result_holds_all(rows, profiles.count, err))
        return false;
    for (size_t i = 0; i < profiles.count; i++)
        orders[i] = (struct run_order){result_wall_us(rows, (int)i, C_run_orders_ran_at),
                                       result_i64(rows, (int)i, C_run_orders_place)};
    *ret_orders = orders;
    return true;
}

/* ---- what is thought of changes -------------------------------------------------------------- */

static bool mark_add(const PGresult *rows, int row, struct arena *arena,
                     struct change_mark_list *list)
{
    struct change_mark *mark = &list->items[list->count];
    int32_t measure = result_i32(rows, row, C_change_marks_measure);
    bool known = measure >= MEASURE_FIRST && measure < MEASURE_END;
    *mark = (struct change_mark){
        .id = result_i64(rows, row, C_change_marks_id),
        .series_id = result_i64(rows, row, C_change_marks_series_id),
        .measure = known ? measure_rows[measure].name : NULL,
        .at_profile_id = result_i64(rows, row, C_change_marks_at_profile_id),
        .before = result_f64(rows, row, C_change_marks_before_value),
        .after = result_f64(rows, row, C_change_marks_after_value),
    };
    mark->said_us = result_wall_us(rows, row,
                                   result_is_null(rows, row, C_change_marks_origin_at)
                                       ? C_change_marks_recorded_at
                                       : C_change_marks_origin_at);
    list->count++;
    return result_copy_text(rows, row,
                            result_is_null(rows, row, C_change_marks_origin_by)
                                ? C_change_marks_recorded_by
                                : C_change_marks_origin_by,
                            arena, &mark->by) &&
           result_copy_text(rows, row, C_change_marks_evidence, arena, &mark->evidence) &&
           result_copy_text(rows, row, C_change_marks_status, arena, &mark->status) &&
           result_copy_text(rows, row, C_change_marks_method, arena, &mark->method);
}

/* The rows are about one place. */
static bool same_place(const PGresult *rows, int row, int other)
{
    return result_i64(rows, row, C_change_marks_series_id) ==
               result_i64(rows, other, C_change_marks_series_id) &&
           result_i32(rows, row, C_change_marks_measure) ==
               result_i32(rows, other, C_change_marks_measure) &&
           result_i64(rows, row, C_change_marks_at_profile_id) ==
               result_i64(rows, other, C_change_marks_at_profile_id);
}

static bool marks_order(struct db *db, struct opt_i64 corrected_us, struct arena *arena,
                        struct change_mark_list *list, struct err *err)
{
    struct run_order *orders = NULL;
    int64_t *ids = arena_array(arena, int64_t, list->count);
    if (ids == NULL)
        return arena_failed(arena, "the changes of a trend", err);
    for (size_t i = 0; i < list->count; i++)
        ids[i] = list->items[i].at_profile_id;
    if (list->count > 0 && !run_orders(db, (struct profile_numbers){ids, list->count}, corrected_us,
                                       arena, &orders, err))
        return false;
    for (size_t i = 0; i < list->count; i++)
        list->items[i].order = orders[i];
    return true;
}

bool ledger_change_marks(struct db *db, const struct change_mark_query *query, struct arena *arena,
                         struct change_mark_list *ret_list, struct err *err)
{
    scoped_result *rows = NULL;
    if (!query_run(db, Q_change_marks, ARGS(query->project, query->workload, query->as_of_us),
                   &rows, err))
        return false;
    size_t count = (size_t)PQntuples(rows);
    int told = -1; /* the row that holds of the place before */
    struct change_mark_list list = {.items = arena_array(arena, struct change_mark, count),
                                    .unsound = arena_array(arena, int64_t, count),
                                    .left_out.items = arena_array(arena, const char *, count)};
    bool ok = list.items != NULL && list.unsound != NULL && list.left_out.items != NULL;
    for (int row = 0; ok && row < PQntuples(rows); row++) {
        struct err why = {0};
        if (told >= 0 && same_place(rows, row, told))
            continue;
        if (recorded_check_word(ENTRY_CHANGE_POINT, rows, row, &why)) {
            ok = mark_add(rows, row, arena, &list);
            told = row;
        } else if (why.kind == ERR_INPUT) {
            /* A word that was never said, or says something else than it said. */
            const char *kept = arena_strdup(arena, why.text);
            ok = kept != NULL;
            list.unsound[list.left_out.count] = result_i64(rows, row, C_change_marks_id);
            list.left_out.items[list.left_out.count++] = kept;
        } else {
            *err = why;
            return false;
        }
    }
    if (!ok)
        return arena_failed(arena, "the changes of a trend", err);
    if (!marks_order(db, query->corrected_us, arena, &list, err))
        return false;
    *ret_list = list;
    return true;
}
