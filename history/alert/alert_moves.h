/* The events of one alert, read and appended, for the files of history/ only. */
#ifndef HISTORY_ALERT_ALERT_MOVES_H
#define HISTORY_ALERT_ALERT_MOVES_H

#include "history/alert/alert_change.h"
#include "schema/documents/origin.h"

/* How the alert stands, after the lock of its workload was taken; past may be NULL. */
bool alert_read(struct db *db, const struct alert_key *key, struct alert_status *ret_status,
                struct alert_past *ret_past, struct err *err);

struct alert_event {
    enum alert_action action;
    int good_count;       /* after it */
    int64_t verdict_id;   /* that makes the move, or that a person means */
    const char *reason;   /* NULL: a verdict's doing */
    const char *by;       /* NULL: the session alone */
    struct origin origin; /* of an import; no time: it is recorded now */
};

/* Appends a move from `from`. ERR_INPUT: there is no such move. *ret_id may be NULL. */
bool alert_append(struct db *db, const struct alert_key *key, enum alert_state from,
                  const struct alert_event *event, int64_t *ret_id, struct err *err);

#endif
