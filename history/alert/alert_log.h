/* Moves of alerts and receipts of messages, read one after the other for exports, and taken over
 * from the export of another ledger. */
#ifndef HISTORY_ALERT_ALERT_LOG_H
#define HISTORY_ALERT_ALERT_LOG_H

#include "history/alert/alert_change.h"
#include "schema/documents/origin.h"

/* A move in the life of an alert, in the words of the database. */
struct alert_move_row {
    int64_t id;
    const char *project, *workload, *branch;
    const char *from; /* NULL: the first */
    const char *to, *action;
    int good_count;
    int64_t verdict_id;
    const char *reason;    /* NULL: a verdict's doing */
    const char *until_utc; /* of a silence that ends by itself, else NULL */
    struct origin origin;  /* when and by whom it was recorded first */
};

struct alert_move_page {
    struct alert_move_row *items;
    size_t count;
};

/* Those behind an id, in the arena; call again with the last id until a page is empty. */
bool alert_moves_after(struct db *db, int64_t after_id, struct arena *arena,
                       struct alert_move_page *ret_page, struct err *err);

/* How often the alert of row->verdict_id (ours) made this move. ERR_MISSING: no such verdict. */
bool alert_move_count(struct db *db, const struct alert_move_row *row, int64_t *ret_count,
                      struct err *err);

/* Appends the move (row->verdict_id is ours, row->id is not looked at) in a transaction of its own.
 * *ret_taken false: the alert does not stand as the move says it did; nothing is appended. */
bool alert_move_take(struct db *db, const struct alert_move_row *row, bool *ret_taken,
                     struct err *err);

/* What became of one attempt to deliver a message. */
struct delivery_row {
    int64_t id, message;
    const char *destination, *dedupe_key;
    struct opt_i64 verdict_id;
    int attempt;
    const char *outcome;
    struct opt_i64 http_status;
    const char *reason, *remote_ref; /* NULL: none */
    const char *recorded_at_utc;
};

struct delivery_page {
    struct delivery_row *items;
    size_t count;
};

/* The same for receipts. */
bool deliveries_after(struct db *db, int64_t after_id, struct arena *arena,
                      struct delivery_page *ret_page, struct err *err);

/* Appends a receipt of another ledger with the time at which it was recorded there; *ret_new false:
 * it is here. ERR_INPUT: an outcome or a time that is none. */
bool delivery_keep(struct db *db, const struct delivery_row *row, bool *ret_new, struct err *err);

#endif
