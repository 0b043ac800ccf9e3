/* Find, else add, else find again: an insert that met another transaction's has waited for its end,
 * and READ COMMITTED lets the second look see what it left. Looking first keeps sequences from
 * burning numbers. */
#include "history/chain/find_or_add.h"

#include "history/chain/transaction.h"
#include "history/client/client.h"

static bool find(struct db *db, enum query_id id, const struct args *args, int64_t *ret_id,
                 bool *ret_found, struct err *err)
{
    scoped_result *result = NULL;
    if (!query_run(db, id, args, &result, err))
        return false;
    *ret_found = PQntuples(result) > 0;
    if (*ret_found)
        *ret_id = result_i64(result, 0, 0);
    return true;
}

bool find_or_add(struct db *db, const struct addition *addition, const struct args *args,
                 int64_t *ret_id, struct err *err)
{
    bool found;
    scoped_result *added = NULL;
    if (!find(db, addition->find, args, ret_id, &found, err) || found)
        return found;
    if (!query_run(db, addition->add, args, &added, err))
        return false;
    if (PQntuples(added) > 0 && addition->kind != ENTRY_KIND_COUNT) {
        *ret_id = result_i64(added, 0, 0);
        return entry_owe(db, result_text(added, 0, 1), addition->kind, *ret_id, err);
    }
    if (!find(db, addition->find, args, ret_id, &found, err))
        return false;
    return found || err_set(err, ERR_BUG, "%s: the row is not there after it was added",
                            queries[addition->add].name);
}

bool project_find_or_add(struct db *db, const char *name, int64_t *ret_id, struct err *err)
{
    static const struct addition project = {Q_project_find, Q_project_add, ENTRY_PROJECT};
    struct args args = {0};
    args_text(&args, name);
    return find_or_add(db, &project, &args, ret_id, err);
}
