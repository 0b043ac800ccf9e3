/* Implements it, one statement each. */
#include "history/lease/destinations.h"

#include "history/client/client.h"

const char *const receipt_outcome_names[RECEIPT_OUTCOME_COUNT] = {
    [RECEIPT_DONE] = "done",
    [RECEIPT_RETRY] = "retry",
    [RECEIPT_DEAD] = "dead",
    [RECEIPT_LEASE_EXPIRED] = "lease_expired",
};

static bool row_read(const PGresult *result, int row, struct arena *arena,
                     struct destination_row *out)
{
    out->waiting = result_i64(result, row, 5);
    return result_copy_text(result, row, 0, arena, &out->name) &&
           result_copy_text(result, row, 1, arena, &out->disabled_why) &&
           result_copy_time(result, row, 2, arena, &out->disabled_until_utc) &&
           result_copy_time(result, row, 3, arena, &out->paused_until_utc) &&
           result_copy_time(result, row, 4, arena, &out->failing_since_utc);
}

bool destinations_ailing(struct db *db, struct arena *arena, struct destination_page *ret_page,
                         struct err *err)
{
    scoped_result *result = NULL;
    if (!query_run(db, Q_destination_list, NULL, &result, err))
        return false;
    struct destination_page page = {.count = (size_t)PQntuples(result)};
    page.items = arena_array(arena, struct destination_row, page.count);
    if (page.items == NULL)
        return arena_failed(arena, "the destinations", err);
    for (int i = 0; i < PQntuples(result); i++)
        if (!row_read(result, i, arena, &page.items[i]))
            return arena_failed(arena, "the destinations", err);
    *ret_page = page;
    return true;
}

bool destinations_read(struct db *db, struct arena *arena, struct destination_states *ret_states,
                       struct err *err)
{
    scoped_result *result = NULL;
    if (!query_run(db, Q_destination_numbers, NULL, &result, err))
        return false;
    struct destination_states states = {.count = (size_t)PQntuples(result)};
    states.items = arena_array(arena, struct destination_state, states.count);
    for (int i = 0; states.items != NULL && i < PQntuples(result); i++) {
        struct destination_state *state = &states.items[i];
        if (!result_copy_text(result, i, 0, arena, &state->name))
            return arena_failed(arena, "the destinations", err);
        state->disabled = result_bool(result, i, 1);
        state->waiting = result_i64(result, i, 2);
        state->oldest_ms = result_i64(result, i, 3);
        state->dead = result_i64(result, i, 4);
        for (int outcome = 0; outcome < RECEIPT_OUTCOME_COUNT; outcome++)
            state->attempts[outcome] = result_i64(result, i, 5 + outcome);
    }
    *ret_states = states;
    return states.items != NULL || arena_failed(arena, "the destinations", err);
}

bool branches_recent(struct db *db, int64_t profiles, struct arena *arena,
                     struct string_list *ret_branches, struct err *err)
{
    struct args args = {0};
    args_i64(&args, profiles);
    scoped_result *result = NULL;
    if (!query_run(db, Q_branches_recent, &args, &result, err))
        return false;
    size_t count = (size_t)PQntuples(result);
    const char **items = arena_array(arena, const char *, count);
    if (items == NULL)
        return arena_failed(arena, "the branches", err);
    for (size_t i = 0; i < count; i++)
        if (!result_copy_text(result, (int)i, 0, arena, &items[i]))
            return arena_failed(arena, "the branches", err);
    *ret_branches = (struct string_list){items, count};
    return true;
}

bool destination_reopen(struct db *db, const char *name, struct err *err)
{
    struct args args = {0};
    args_text(&args, name);
    scoped_result *result = NULL;
    if (!query_run(db, Q_destination_open, &args, &result, err))
        return false;
    return PQntuples(result) > 0 ||
           err_set(err, ERR_MISSING, "nothing was ever sent to a destination '%s'", name);
}

bool destination_disabled_untold(struct db *db, struct arena *arena,
                                 struct destination_row *ret_row, bool *ret_found, struct err *err)
{
    scoped_result *result = NULL;
    struct destination_row row = {0};
    if (!query_run(db, Q_destination_disabled_untold, NULL, &result, err))
        return false;
    *ret_found = PQntuples(result) > 0;
    if (!*ret_found)
        return true;
    row.waiting = result_i64(result, 0, 3);
    if (!result_copy_text(result, 0, 0, arena, &row.name) ||
        !result_copy_text(result, 0, 1, arena, &row.disabled_why) ||
        !result_copy_time(result, 0, 2, arena, &row.disabled_until_utc))
        return arena_failed(arena, "a destination", err);
    *ret_row = row;
    return true;
}

bool destination_disabled_told(struct db *db, const char *name, struct err *err)
{
    struct args args = {0};
    args_text(&args, name);
    return query_do(db, Q_destination_disabled_told, &args, err);
}
