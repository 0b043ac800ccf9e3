/* Decisions of people and detectors, read one after the other for exports, and counted for imports:
 * the same may be said twice, so an import appends what the ledger does not hold often enough. */
#ifndef HISTORY_ALERT_DECISION_LOG_H
#define HISTORY_ALERT_DECISION_LOG_H

#include "history/alert/change_points.h"
#include "history/alert/decision.h"
#include "schema/documents/origin.h"

struct acceptance_row {
    int64_t id;
    struct acceptance_entry entry; /* origin: when and by whom it was recorded first */
};

struct acceptance_page {
    struct acceptance_row *items;
    size_t count;
};

/* Those behind an id, in the arena; call again with the last id until a page is empty. */
bool acceptances_after(struct db *db, int64_t after_id, struct arena *arena,
                       struct acceptance_page *ret_page, struct err *err);

/* How often it was appended; `by` is not looked at. */
bool acceptance_count(struct db *db, const struct acceptance_entry *entry, int64_t *ret_count,
                      struct err *err);

struct rebaseline_row {
    int64_t id;
    int64_t of_profile_id; /* of the series that it begins anew */
    int64_t
        after_profile_id; /* the last one before it, of_profile_id; 0: it begins with the first */
    const char *reason;
    struct origin origin; /* when and by whom it was recorded first */
};

struct rebaseline_page {
    struct rebaseline_row *items;
    size_t count;
};

/* The same for re-baselines. */
bool rebaselines_after(struct db *db, int64_t after_id, struct arena *arena,
                       struct rebaseline_page *ret_page, struct err *err);

/* How often it was appended, and to which series ("s3", in the arena). ERR_MISSING: no such
 * profile. */
bool rebaseline_count(struct db *db, const struct rebaseline_row *row, struct arena *arena,
                      const char **ret_series, int64_t *ret_count, struct err *err);

#endif
