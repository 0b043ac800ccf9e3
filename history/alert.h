/* Alerts: what becomes of the fails of a workload's branch, as appended events. The state of an
 * alert is its last event. */
#ifndef HISTORY_ALERT_H
#define HISTORY_ALERT_H

#include "history/alert_state.h"
#include "history/db.h"

#include <stdint.h>

/* Which alert. branch "" = the candidates whose branch is not known. */
struct alert_key {
    const char *project, *workload, *branch;
};

struct alert_status {
    enum alert_state state;
    int good_count; /* passes in a row */
};

/* Appends what the verdict does to its alert, in the caller's transaction; nothing when it does
 * nothing. */
bool alert_note_verdict(struct db *db, const struct alert_key *key, int64_t verdict_id,
                        enum verdict_status status, struct err *err);

/* What a person says. */
struct alert_word {
    enum alert_action action;
    const char *reason;
    int64_t verdict_id; /* 0: of no verdict */
};

/* Appends it in a transaction of its own. *ret_status: the state after it. ERR_MISSING: there is no
 * such alert; ERR_INPUT: it cannot be done in its state. */
bool alert_note_person(struct db *db, const struct alert_key *key, const struct alert_word *word,
                       struct alert_status *ret_status, struct err *err);

#endif
