/* What people say about alerts, and how alerts stand for them. */
#ifndef HISTORY_ALERT_ALERT_RESPONSE_H
#define HISTORY_ALERT_ALERT_RESPONSE_H

#include "history/alert/alert_change.h"

/* What a person says, or time does (ALERT_EXPIRE). */
struct alert_response {
    enum alert_action action; /* ALERT_ACKNOWLEDGE and what follows it */
    const char *reason, *by;  /* by NULL: the session alone */
    int64_t verdict_id;       /* that is meant; 0: the alert's last one */
    int64_t silent_ms;        /* of ALERT_SILENCE; 0: until it is resolved */
};

/* Appends it in the caller's transaction. ERR_MISSING: there is no such alert; ERR_INPUT: it cannot
 * be done in its state. *ret_change says what it does, in these two cases how the alert stands. */
bool alert_respond(struct db *db, const struct alert_key *key,
                   const struct alert_response *response, struct alert_change *ret_change,
                   struct err *err);

/* Whether nothing was heard of the alert's branch for so many days: no run of it came, and the
 * alert did not move. */
bool alert_branch_is_quiet(struct db *db, const struct alert_key *key, int64_t days,
                           bool *ret_quiet, struct err *err);

/* The alert that an event ("l12" is 12) belongs to. ERR_MISSING. */
bool alert_find(struct db *db, int64_t event_id, struct arena *arena, struct alert_key *ret_key,
                struct err *err);

/* An alert for people. Times are ISO 8601; texts may be NULL where nothing is to be said. */
struct alert_row {
    int64_t id; /* of its first event */
    struct alert_key key;
    const char *state, *moved_at_utc;
    const char *since_utc;               /* when it was opened the last time */
    int64_t since_ms;                    /* ago */
    struct opt_i64 since_verdict_id;     /* by which verdict */
    int64_t verdict_id;                  /* the last one that moved it, or that a person meant */
    const char *by, *reason, *until_utc; /* a person's word that still holds */
};
struct alert_page {
    struct alert_row *items;
    size_t count;
};

struct alert_query {
    const char *project; /* NULL = all */
    bool with_resolved;
    int64_t limit;
};

/* Those that moved last first. */
bool alert_list(struct db *db, const struct alert_query *query, struct arena *arena,
                struct alert_page *ret_page, struct err *err);

#endif
