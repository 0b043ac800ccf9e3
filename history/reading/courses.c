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
    if (!kinds_query(db, profiles, names, arena, &rows, err) ||
        !result_holds_all(rows, profiles.count, err))
        return false;
    for (size_t i = 0; i < profiles.count; i++)
        kinds[i] = result_copy_text(rows, (int)i, C_profile_kinds_kind, arena);
    *ret_kinds = kinds;
    return arena_ok(arena, "a trend", err);
}

bool ledger_op_points(struct db *db, struct profile_numbers profiles, double least_share,
                      struct arena *arena, struct op_points_list *ret_list, struct err *err)
{
    struct op_points_list list = {.told = arena_array(arena, bool, profiles.count)};
    scoped_result *rows = NULL;
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
            list.items = arena_grow(arena, list.items, list.count, &capacity, sizeof *last);
            last = &list.items[list.count++];
            *last = (struct op_points){
                .us = arena_array(arena, double, profiles.count),
                .signature = result_copy_text(rows, row, C_op_points_signature, arena),
                .name = result_copy_text(rows, row, C_op_points_name, arena),
                .category = result_copy_text(rows, row, C_op_points_category, arena),
            };
            if (!arena_ok(arena, "the ops of a trend", err))
                return false;
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
    for (size_t i = 0; i < steps.count; i++) {
        steps.us[i] = result_f64(rows, (int)i, C_steady_steps_us);
        steps.count_of[result_i64(rows, (int)i, C_steady_steps_place) - 1]++;
    }
    *ret_steps = steps;
    return arena_ok(arena, "the steps of a trend", err);
}

/* ---- what is thought of changes -------------------------------------------------------------- */

static struct change_mark mark_of(const PGresult *rows, int row, struct arena *arena)
{
    int32_t measure = result_i32(rows, row, C_change_marks_measure);
    bool known = measure >= MEASURE_FIRST && measure < MEASURE_END;
    int said_at = result_is_null(rows, row, C_change_marks_origin_at) ? C_change_marks_recorded_at
                                                                      : C_change_marks_origin_at;
    int said_by = result_is_null(rows, row, C_change_marks_origin_by) ? C_change_marks_recorded_by
                                                                      : C_change_marks_origin_by;
    return (struct change_mark){
        .id = result_i64(rows, row, C_change_marks_id),
        .series_id = result_i64(rows, row, C_change_marks_series_id),
        .measure = known ? measure_rows[measure].name : NULL,
        .at_profile_id = result_i64(rows, row, C_change_marks_at_profile_id),
        .before = result_f64(rows, row, C_change_marks_before_value),
        .after = result_f64(rows, row, C_change_marks_after_value),
        .said_us = result_wall_us(rows, row, said_at),
        .by = result_copy_text(rows, row, said_by, arena),
        .evidence = result_copy_text(rows, row, C_change_marks_evidence, arena),
        .status = result_copy_text(rows, row, C_change_marks_status, arena),
        .method = result_copy_text(rows, row, C_change_marks_method, arena),
    };
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

/* Where the profiles of the marks, or what counts in their place, stand in the order of runs by
 * corrections of before corrected_us (not set: all). ERR_MISSING: one does not exist. */
static bool marks_order(struct db *db, struct opt_i64 corrected_us, struct arena *arena,
                        struct change_mark_list *list, struct err *err)
{
    scoped_result *rows = NULL;
    int64_t *ids = arena_array(arena, int64_t, list->count);
    for (size_t i = 0; i < list->count; i++)
        ids[i] = list->items[i].at_profile_id;
    if (list->count == 0)
        return true;
    if (!query_run(db, Q_run_orders, ARGS(arg_i64s(arena, ids, list->count), corrected_us), &rows,
                   err) ||
        !result_holds_all(rows, list->count, err))
        return false;
    for (size_t i = 0; i < list->count; i++)
        list->items[i].order = (struct run_order){result_wall_us(rows, (int)i, C_run_orders_ran_at),
                                                  result_i64(rows, (int)i, C_run_orders_place)};
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
    for (int row = 0; row < PQntuples(rows); row++) {
        struct err why = {0};
        if (told >= 0 && same_place(rows, row, told))
            continue;
        if (recorded_check_word(ENTRY_CHANGE_POINT, rows, row, &why)) {
            list.items[list.count++] = mark_of(rows, row, arena);
            told = row;
        } else if (why.kind == ERR_INPUT) {
            /* A word that was never said, or says something else than it said. */
            list.unsound[list.left_out.count] = result_i64(rows, row, C_change_marks_id);
            list.left_out.items[list.left_out.count++] = arena_strdup(arena, why.text);
        } else {
            *err = why;
            return false;
        }
        if (!arena_ok(arena, "the changes of a trend", err))
            return false;
    }
    if (!marks_order(db, query->corrected_us, arena, &list, err))
        return false;
    *ret_list = list;
    return true;
}
