/* Transactions, and the entries that they owe: a list with the connection. */
#include "history/chain/transaction.h"

#include "history/chain/content.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DUE_FIRST = 8, NAME_BYTES_MAX = 200 };

struct due_entry {
    char chain[CHAIN_NAME_BYTES];
    enum entry_kind kind;
    int64_t subject_id;
    char on_behalf_of[NAME_BYTES_MAX + 1]; /* "" = nobody */
    uint8_t content_sha256[SHA256_BYTES];  /* when it is settled */
    size_t number;                         /* in the order of taking down */
};

bool entry_due(struct db *db, const char *chain, enum entry_kind kind, int64_t subject_id,
               struct err *err)
{
    return entry_due_for(db, chain, kind, subject_id, NULL, err);
}

bool entry_due_for(struct db *db, const char *chain, enum entry_kind kind, int64_t subject_id,
                   const char *on_behalf_of, struct err *err)
{
    if (db_transaction_status(db) != PQTRANS_INTRANS)
        return err_set(err, ERR_BUG, "a %s is written outside of a transaction",
                       entry_kinds[kind].name);
    if (on_behalf_of != NULL && strlen(on_behalf_of) > NAME_BYTES_MAX)
        return err_set(err, ERR_INPUT,
                       "who asked for it has a name of more than %d bytes: %.60s...",
                       NAME_BYTES_MAX, on_behalf_of);
    if (db->due_count == db->due_room) {
        db->due_room = db->due_room == 0 ? DUE_FIRST : 2 * db->due_room;
        db->due = memory_resize(db->due, db->due_room * sizeof *db->due);
    }
    struct due_entry *entry = &db->due[db->due_count];
    *entry = (struct due_entry){.kind = kind, .subject_id = subject_id, .number = db->due_count++};
    (void)snprintf(entry->chain, sizeof entry->chain, "%s", chain);
    (void)snprintf(entry->on_behalf_of, sizeof entry->on_behalf_of, "%s",
                   on_behalf_of == NULL ? "" : on_behalf_of);
    return true;
}

bool added_due(struct db *db, enum entry_kind kind, const PGresult *added,
               const struct origin *origin, const char *on_behalf_of, struct err *err)
{
    int64_t id = result_i64(added, 0, C_series_add_id);
    return origin_append(db, kind, id, origin, err) &&
           entry_due_for(db, result_text(added, 0, C_series_add_chain), kind, id, on_behalf_of,
                         err);
}

static int by_chain(const void *left, const void *right)
{
    const struct due_entry *a = left, *b = right;
    int order = strcmp(a->chain, b->chain);
    return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

/* Reads the content of all that is owed, then appends it, in the order in which it was taken down
 * on each chain. */
static bool due_append(struct db *db, struct err *err)
{
    if (db->due_count == 0)
        return true;
    qsort(db->due, db->due_count, sizeof *db->due, by_chain);
    for (size_t i = 0; i < db->due_count; i++) {
        struct due_entry *entry = &db->due[i];
        if (!content_read_one(db, entry->kind, entry->subject_id, entry->content_sha256, err))
            return false;
    }
    for (size_t at = 0; at < db->due_count;) {
        scoped_pipeline pipeline = {0};
        if (!pipeline_begin(&pipeline, db, err))
            return false;
        for (; at < db->due_count && pipeline.count < PIPELINE_MAX; at++) {
            const struct due_entry *due = &db->due[at];
            struct chain_entry entry = {.kind = due->kind, .subject_id = due->subject_id};
            if (due->on_behalf_of[0] != '\0')
                entry.on_behalf_of = due->on_behalf_of;
            memcpy(entry.content_sha256, due->content_sha256, SHA256_BYTES);
            if (!chain_append(db, &entry, &pipeline, err))
                return false;
        }
        if (!pipeline_run(&pipeline, err))
            return false;
    }
    db->due_count = 0;
    return true;
}

static bool transaction_begin(struct db *db, enum query_id id, struct err *err)
{
    PGTransactionStatusType status = db_transaction_status(db);
    if (status == PQTRANS_INTRANS || status == PQTRANS_INERROR)
        return err_set(err, ERR_BUG, "a transaction is begun inside another one");
    db->plans_once_before = db->plans_once;
    return query_do(db, id, NULL, err);
}

bool db_begin(struct db *db, struct err *err)
{
    return transaction_begin(db, Q_transaction_begin, err);
}

bool db_commit(struct db *db, struct err *err)
{
    scoped_result *result = NULL;
    if (!due_append(db, err))
        return false;
    bool done = query_run(db, Q_transaction_commit, NULL, &result, err);
    /* The server answers COMMIT of a failed transaction with success and the tag ROLLBACK. */
    if (done && strcmp(PQcmdStatus(result), "COMMIT") == 0)
        return true;
    db->plans_once = db->plans_once_before;
    return done && err_set(err, ERR_BUG, "the transaction had failed and was rolled back");
}

void db_rollback(struct db *db)
{
    if (db == NULL)
        return;
    /* Forgets what is owed: the transaction is taken back. */
    free(db->due);
    db->due = NULL;
    db->due_count = db->due_room = 0;
    PGTransactionStatusType status = db_transaction_status(db);
    ahead_drop(&db->ahead);
    if (status != PQTRANS_INTRANS && status != PQTRANS_INERROR)
        return;
    db->plans_once = db->plans_once_before;
    (void)query_do(db, Q_transaction_rollback, NULL, NULL);
}

bool transaction_open(struct db *db, struct db **ret_open, struct err *err)
{
    if (!db_begin(db, err))
        return false;
    *ret_open = db;
    return true;
}

bool snapshot_open(struct db *db, struct db **ret_open, struct err *err)
{
    if (!transaction_begin(db, Q_snapshot_begin, err))
        return false;
    *ret_open = db;
    return true;
}

bool transaction_close(struct db **open, struct err *err)
{
    if (!db_commit(*open, err))
        return false;
    *open = NULL;
    return true;
}

/* ---- rows that owe one ---------------------------------------------------------------------- */

/* Find, else add, else find again: an insert that met another transaction's has waited for its end,
 * and READ COMMITTED lets the second look see what it left. Looking first keeps sequences from
 * burning numbers. */
bool find_or_add(struct db *db, const struct addition *addition, const struct args *args,
                 int64_t *ret_id, struct err *err)
{
    scoped_result *added = NULL;
    if (!query_number_or(db, addition->find, args, 0, ret_id, err) || *ret_id != 0)
        return *ret_id != 0;
    if (!query_run(db, addition->add, args, &added, err))
        return false;
    if (PQntuples(added) > 0 && addition->kind != ENTRY_KIND_COUNT) {
        *ret_id = result_i64(added, 0, C_series_add_id);
        return added_due(db, addition->kind, added, NULL, NULL, err);
    }
    if (!query_number_or(db, addition->find, args, 0, ret_id, err))
        return false;
    return *ret_id != 0 || err_set(err, ERR_BUG, "%s: the row is not there after it was added",
                                   queries[addition->add].name);
}

bool project_find_or_add(struct db *db, const char *name, int64_t *ret_id, struct err *err)
{
    static const struct addition project = {Q_project_find, Q_project_add, ENTRY_PROJECT};
    return find_or_add(db, &project, ARGS(name), ret_id, err);
}

/* ---- where an entry comes from ------------------------------------------------------------- */

void origin_args(struct args *args, enum entry_kind kind, int64_t subject_id,
                 const struct origin *origin)
{
    (void)ARGS_MORE(args, entry_kinds[kind].name, subject_id, origin->recorded_at_utc, origin->by);
}

bool origin_append(struct db *db, enum entry_kind kind, int64_t subject_id,
                   const struct origin *origin, struct err *err)
{
    struct args args = {0};
    if (origin == NULL || origin->recorded_at_utc == NULL)
        return true;
    origin_args(&args, kind, subject_id, origin);
    return query_do(db, Q_origin_add, &args, err);
}
