/* The outbox, seen from people and from its upkeep: lists, revival, silences, dead letters,
 * digests. */
#ifndef HISTORY_LEASE_OUTBOX_ADMIN_H
#define HISTORY_LEASE_OUTBOX_ADMIN_H

#include "history/db.h"
#include "ops/runtime/arena.h"
#include "schema/documents/alert_phase.h"
#include "schema/documents/optional.h"

#include <stddef.h>
#include <stdint.h>

/* A message for people. Texts may be NULL; times are ISO 8601. */
struct outbox_row {
    int64_t id;
    const char *destination, *state, *phase, *headline, *last_error;
    int attempt, max_attempts;
    int64_t verdict_id; /* 0 = none */
    const char *created_at_utc, *not_before_utc, *finished_at_utc;
    const char *order_key; /* of dead ones alone */
};
struct outbox_page {
    struct outbox_row *items;
    size_t count;
};

/* The last `limit` messages in a state (NULL = any), newest first. */
bool outbox_list(struct db *db, const char *state, int64_t limit, struct arena *arena,
                 struct outbox_page *ret_page, struct err *err);

/* What became of one attempt. */
struct outbox_receipt {
    int attempt;
    struct opt_i64 http_status; /* not set: no answer */
    const char *outcome, *reason, *remote_ref, *recorded_at_utc;
};

/* One message with its bytes and receipts, oldest first. */
struct outbox_letter {
    const char *destination, *state, *phase, *order_key, *dedupe_key, *content_type, *last_error;
    const char *body;
    size_t body_length;
    struct outbox_receipt *receipts;
    size_t receipt_count;
};

/* ERR_MISSING when there is none. */
bool outbox_show(struct db *db, int64_t id, struct arena *arena, struct outbox_letter *ret_letter,
                 struct err *err);

/* Numbers of messages. */
struct outbox_ids {
    int64_t *items;
    size_t count;
};

/* Dead messages: these; or, count 0, those that a destination (NULL = any) refused within a day. */
struct outbox_selection {
    struct outbox_ids ids;
    const char *destination;
};

/* Oldest first, with their destination, order key, phase and verdict alone. */
bool outbox_dead_list(struct db *db, const struct outbox_selection *selection, struct arena *arena,
                      struct outbox_page *ret_page, struct err *err);

/* What a destination was given after a message, under the same order key. */
struct outbox_after {
    int64_t newest_id;           /* of any kind, in any state; 0 = none */
    int64_t told_id;             /* the newest about the alert that was told or will be; 0 = none */
    enum alert_phase last_phase; /* of the last one about the alert, which may be lost, too */
};
/* ERR_MISSING when there is no such message. */
bool outbox_look_after(struct db *db, int64_t id, struct outbox_after *ret_after, struct err *err);

/* Voids the ends of alerts whose beginnings never arrived. */
bool outbox_void(struct db *db, struct err *err);

/* A dead message gets all its attempts and a day again, and its destination is opened; with_lost:
 * and so does what was lost after it about the alert, so that its end is told, too. *ret_ids: those
 * that are on their way again. */
bool outbox_revive(struct db *db, int64_t id, bool with_lost, struct arena *arena,
                   struct outbox_ids *ret_ids, struct err *err);

/* An alert as one destination knows it. */
struct thread_row {
    const char *destination, *order_key, *phase, *headline, *remote_ref, *changed_at_utc;
    int generation;
};
struct thread_page {
    struct thread_row *items;
    size_t count;
};

/* Those that changed last first. */
bool thread_list(struct db *db, int64_t limit, struct arena *arena, struct thread_page *ret_page,
                 struct err *err);

/* Nothing is told of these for a while. */
struct silence {
    const char *project, *workload, *branch; /* the last two: NULL = all */
    int64_t ms;
    const char *reason;
};
bool silence_add(struct db *db, const struct silence *silence, struct arena *arena,
                 const char **ret_until_utc, struct err *err);

/* Whether a silence holds now. What people say about a single alert is in its state. */
bool silence_holds(struct db *db, const char *project, const char *workload, const char *branch,
                   bool *ret_silenced, struct err *err);

/* How many messages a destination got in the last window_ms. */
bool outbox_recent(struct db *db, const char *destination, int64_t window_ms, int64_t *ret_count,
                   struct err *err);

/* A dead message of which nobody was told, locked until the end of the caller's transaction;
 * *ret_found false when there is none. */
bool outbox_dead_untold(struct db *db, struct arena *arena, struct outbox_row *ret_row,
                        bool *ret_found, struct err *err);
/* Somebody was told now. */
bool outbox_dead_told(struct db *db, int64_t id, struct err *err);

/* Two or more messages of one destination (in `destination` of each row) that are due and may be
 * told together, locked until the end of the caller's transaction; none = an empty page. */
bool outbox_digest_due(struct db *db, int64_t limit, struct arena *arena,
                       struct outbox_page *ret_page, struct err *err);
/* They are told in a digest. */
bool outbox_join(struct db *db, const struct outbox_page *page, struct arena *arena,
                 struct err *err);

/* Removes messages that ended more than age_ms ago, but not those of alerts that are open for
 * their destination; *ret_count of them. Their receipts stay. */
bool outbox_forget(struct db *db, int64_t age_ms, int64_t *ret_count, struct err *err);

#endif
