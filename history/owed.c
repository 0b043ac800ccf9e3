/* Implements owed entries: a list with the connection. */
#include "history/owed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWED_FIRST = 8 };

struct owed_entry {
    char chain[CHAIN_NAME_BYTES];
    enum entry_kind kind;
    int64_t subject_id;
    struct opt_i64 supersedes;
    size_t number; /* in the order of taking down */
};

static bool room_make(struct db *db, struct err *err)
{
    if (db->owed_count < db->owed_room)
        return true;
    size_t room = db->owed_room == 0 ? OWED_FIRST : 2 * db->owed_room;
    struct owed_entry *owed = realloc(db->owed, room * sizeof *owed);
    if (owed == NULL)
        return err_set(err, ERR_LIMIT, "no memory for %zu entries of one transaction", room);
    db->owed = owed;
    db->owed_room = room;
    return true;
}

bool entry_owe(struct db *db, const char *chain, enum entry_kind kind, int64_t subject_id,
               struct err *err)
{
    return entry_owe_correction(db, chain, kind, subject_id, (struct opt_i64){0}, err);
}

bool entry_owe_correction(struct db *db, const char *chain, enum entry_kind kind,
                          int64_t subject_id, struct opt_i64 supersedes, struct err *err)
{
    if (PQtransactionStatus(db->conn) != PQTRANS_INTRANS)
        return err_set(err, ERR_BUG, "a %s is written outside of a transaction",
                       entry_kinds[kind].name);
    if (!room_make(db, err))
        return false;
    struct owed_entry *entry = &db->owed[db->owed_count];
    *entry = (struct owed_entry){.kind = kind,
                                 .subject_id = subject_id,
                                 .supersedes = supersedes,
                                 .number = db->owed_count++};
    (void)snprintf(entry->chain, sizeof entry->chain, "%s", chain);
    return true;
}

static int by_chain(const void *left, const void *right)
{
    const struct owed_entry *a = left, *b = right;
    int order = strcmp(a->chain, b->chain);
    return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

bool owed_settle(struct db *db, struct err *err)
{
    struct chain chain = {.name = ""};
    if (db->owed_count == 0)
        return true;
    qsort(db->owed, db->owed_count, sizeof *db->owed, by_chain);
    for (size_t i = 0; i < db->owed_count; i++) {
        const struct owed_entry *entry = &db->owed[i];
        if (strcmp(chain.name, entry->chain) != 0 && !chain_open(&chain, db, entry->chain, err))
            return false;
        if (!chain_add_stored(&chain, entry->kind, entry->subject_id, entry->supersedes, err))
            return false;
    }
    db->owed_count = 0;
    return true;
}

void owed_drop(struct db *db)
{
    free(db->owed);
    db->owed = NULL;
    db->owed_count = db->owed_room = 0;
}
