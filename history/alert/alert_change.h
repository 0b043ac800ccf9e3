/* What verdicts do to alerts, as appended events. The state of an alert is its last event, and what
 * its messages say is derived from its moves: there is no other truth about it.
 *
 * All of it happens in the caller's transaction, under the lock of the workload: what is decided
 * here is true until that ends.
 */
#ifndef HISTORY_ALERT_ALERT_CHANGE_H
#define HISTORY_ALERT_ALERT_CHANGE_H

#include "history/alert/alert_state.h"
#include "history/alert/decision.h"
#include "schema/documents/verdict.h"

/* Which alert. */
struct alert_key {
    const char *project, *workload;
    const char *series; /* "s3"; "" = none */
    const char *branch; /* of the candidate; "" = not known */
};

/* The alert that a verdict belongs to; lives as long as the verdict. */
struct alert_key alert_key_of(const struct verdict *verdict);

/* How an alert stands. */
struct alert_status {
    enum alert_state state;
    int good_count;     /* passes in a row, behind it */
    int64_t verdict_id; /* of its last event; 0 = there was none */
};

/* Takes the lock of the workload and says how the alert stands. */
bool alert_look(struct db *db, const struct alert_key *key, struct alert_status *ret_status,
                struct err *err);

/* What a verdict does to its alert. */
struct alert_change {
    struct alert_status before;
    enum alert_state after; /* as before when it does not move */
    bool moves;
    enum alert_action action;     /* when it moves */
    bool flap_begins;             /* the first pass that is not enough, for a while */
    struct acceptance acceptance; /* of the change that the verdict judges */
};

/* Takes the lock of the workload and says what the verdict will do to its alert. */
bool alert_decide(struct db *db, const struct verdict *verdict, struct arena *arena,
                  struct alert_change *ret_change, struct err *err);

/* Appends the move that was decided in this transaction; nothing when there is none. The verdict
 * has been recorded under verdict_id. */
bool alert_record(struct db *db, const struct verdict *verdict, int64_t verdict_id,
                  const struct alert_change *change, struct err *err);

#endif
