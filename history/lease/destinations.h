/* Destinations as the outbox knows them: which of them take nothing, and opening them again. */
#ifndef HISTORY_LEASE_DESTINATIONS_H
#define HISTORY_LEASE_DESTINATIONS_H

#include "history/db.h"
#include "ops/runtime/arena.h"
#include "schema/documents/optional.h"

#include <stddef.h>
#include <stdint.h>

/* One that does not take messages as it should. Texts are NULL where they do not hold; times are
 * ISO 8601. */
struct destination_row {
    const char *name;
    const char *disabled_why, *disabled_until_utc; /* then one message is tried */
    const char *paused_until_utc, *failing_since_utc;
    int64_t waiting; /* messages */
};
struct destination_page {
    struct destination_row *items;
    size_t count;
};

/* Those that are disabled, paused or failing, by name. */
bool destinations_failing(struct db *db, struct arena *arena, struct destination_page *ret_page,
                          struct err *err);

/* How an attempt can end, as receipts say it; a test compares the names with their CHECK. */
enum receipt_outcome {
    RECEIPT_DONE,
    RECEIPT_RETRY,
    RECEIPT_DEAD,
    RECEIPT_LEASE_EXPIRED,
    RECEIPT_OUTCOME_COUNT
};
extern const char *const receipt_outcome_names[RECEIPT_OUTCOME_COUNT];

/* What is owed to a destination, well or not. */
struct destination_state {
    const char *name;
    bool disabled;
    int64_t waiting;   /* messages whose time has come, or that were tried already */
    int64_t oldest_ms; /* how long the oldest of them waits; 0 when none does */
    int64_t dead;      /* given up within a day */
    int64_t attempts[RECEIPT_OUTCOME_COUNT]; /* that ended so within five minutes */
};
struct destination_states {
    struct destination_state *items;
    size_t count;
};

/* All of them, by name. */
bool destinations_read(struct db *db, struct arena *arena, struct destination_states *ret_states,
                       struct err *err);

/* The branches of the last profiles, each once, newest first: what comments could be about. */
bool branches_recent(struct db *db, int64_t profiles, struct arena *arena,
                     struct string_list *ret_branches, struct err *err);

/* Opens one at once. ERR_MISSING: nothing was ever sent to one of that name. */
bool destination_reopen(struct db *db, const char *name, struct err *err);

/* A disabled one of which nobody was told, locked until the end of the caller's transaction;
 * *ret_found false when there is none. */
bool destination_disabled_untold(struct db *db, struct arena *arena,
                                 struct destination_row *ret_row, bool *ret_found, struct err *err);
/* Somebody was told now. */
bool destination_disabled_told(struct db *db, const char *name, struct err *err);

#endif
