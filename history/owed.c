/* Implements owed entries: a list with the connection. */
#include "history/owed.h"

#include "history/content.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OWED_FIRST = 8, NAME_BYTES_MAX = 200 };

struct owed_entry {
    char chain[CHAIN_NAME_BYTES];
    enum entry_kind kind;
    int64_t subject_id;
    char on_behalf_of[NAME_BYTES_MAX + 1]; /* "" = nobody */
    uint8_t content_sha256[SHA256_BYTES];  /* when it is settled */
    size_t number;                         /* in the order of taking down */
};

static bool room_make(struct db *db, struct err *err)
{
    if (db->owed_count < db->owed_room)
        return true;
    size_t room = db->owed_room == 0 ? OWED_FIRST : 2 * db->owed_room;
    struct owed_entry *owed = realloc(db->owed, room * sizeof *owed);
    if (owed == NULL)
        return err_set_memory(err, "no memory for %zu entries of one transaction", room);
    db->owed = owed;
    db->owed_room = room;
    return true;
}

bool entry_owe(struct db *db, const char *chain, enum entry_kind kind, int64_t subject_id,
               struct err *err)
{
    return entry_owe_for(db, chain, kind, subject_id, NULL, err);
}

bool entry_owe_for(struct db *db, const char *chain, enum entry_kind kind, int64_t subject_id,
                   const char *on_behalf_of, struct err *err)
{
    if (PQtransactionStatus(db->conn) != PQTRANS_INTRANS)
        return err_set(err, ERR_BUG, "a %s is written outside of a transaction",
                       entry_kinds[kind].name);
    if (on_behalf_of != NULL && strlen(on_behalf_of) > NAME_BYTES_MAX)
        return err_set(err, ERR_INPUT,
                       "who asked for it has a name of more than %d bytes: %.60s...",
                       NAME_BYTES_MAX, on_behalf_of);
    if (!room_make(db, err))
        return false;
    struct owed_entry *entry = &db->owed[db->owed_count];
    *entry =
        (struct owed_entry){.kind = kind, .subject_id = subject_id, .number = db->owed_count++};
    (void)snprintf(entry->chain, sizeof entry->chain, "%s", chain);
    (void)snprintf(entry->on_behalf_of, sizeof entry->on_behalf_of, "%s",
                   on_behalf_of == NULL ? "" : on_behalf_of);
    return true;
}

static int by_chain(const void *left, const void *right)
{
    const struct owed_entry *a = left, *b = right;
    int order = strcmp(a->chain, b->chain);
    return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

static bool contents_read(struct db *db, struct err *err)
{
    for (size_t i = 0; i < db->owed_count; i++) {
        struct owed_entry *entry = &db->owed[i];
        if (!content_read_one(db, entry->kind, entry->subject_id, entry->content_sha256, err))
            return false;
    }
    return true;
}

/* As many as one pipeline takes. */
static bool some_append(struct db *db, const struct owed_entry *owed, size_t count, struct err *err)
{
    scoped_pipeline pipeline = {0};
    if (!pipeline_begin(&pipeline, db, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct chain_entry entry = {.kind = owed[i].kind, .subject_id = owed[i].subject_id};
        if (owed[i].on_behalf_of[0] != '\0')
            entry.on_behalf_of = owed[i].on_behalf_of;
        memcpy(entry.content_sha256, owed[i].content_sha256, SHA256_BYTES);
        if (!chain_append(db, &entry, &pipeline, err))
            return false;
    }
    return pipeline_run(&pipeline, err);
}

bool owed_settle(struct db *db, struct err *err)
{
    if (db->owed_count == 0)
        return true;
    qsort(db->owed, db->owed_count, sizeof *db->owed, by_chain);
    if (!contents_read(db, err))
        return false;
    for (size_t i = 0; i < db->owed_count; i += PIPELINE_MAX) {
        size_t left = db->owed_count - i;
        if (!some_append(db, &db->owed[i], left < PIPELINE_MAX ? left : PIPELINE_MAX, err))
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
