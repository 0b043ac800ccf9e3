/* What people decide about verdicts and series, appended beside them: acceptances, re-baselines.
 * Nothing is changed or taken back; a decision only adds. */
#ifndef HISTORY_ALERT_DECISION_H
#define HISTORY_ALERT_DECISION_H

#include "history/profiles/profiles.h"
#include "schema/documents/origin.h"
#include "schema/documents/verdict_accepted.h"

/* The change that a verdict judged is taken with its cost. */
struct acceptance_entry {
    int64_t verdict_id;
    const char *change_key; /* verdict_change_key of that verdict */
    const char *reason;
    const char *by;       /* who says so; NULL: the session alone */
    struct origin origin; /* of an import; no time: it is recorded now */
};

struct acceptance {
    bool found;             /* it covers what the verdict says */
    int64_t id, verdict_id; /* the verdict that was accepted */
    const char *reason, *by;
    const char *said;   /* "reason (by whom, of v3)" */
    const char *beyond; /* there is one, and why it covers no more than what was accepted; NULL */
};

/* Records it in the caller's transaction. ERR_MISSING: no such verdict. */
bool ledger_accept(struct db *db, const struct acceptance_entry *entry, struct arena *arena,
                   struct acceptance *ret_acceptance, struct err *err);

/* The newest acceptance of the change that the verdict judges; found is false when there is none,
 * or when the verdict says more against the change than was accepted (verdict_beyond). */
bool ledger_find_acceptance(struct db *db, const struct verdict *verdict, struct arena *arena,
                            struct acceptance *ret_acceptance, struct err *err);

/* Where a level of a series begins: behind the profile of a re-baseline, or with that of a
 * confirmed change point. */
struct level_mark {
    int64_t rebaseline_id, change_point_id; /* one of the two; both 0: there is no mark */
    int64_t profile_id;
};

/* A level of a series: the runs between two marks, which are the baseline of what stands there. */
struct level_bounds {
    struct level_mark start; /* of two marks the later one in the order of runs */
    struct level_mark end;   /* where the next level begins; none: it is the present one */
};

struct rebaseline_entry {
    const char *series;       /* "s3" */
    int64_t after_profile_id; /* 0: behind the newest run there is */
    bool is_whole;            /* and that it begins with its first run */
    const char *reason;
    struct origin origin; /* of an import; no time: it is recorded now */
};

/* Only runs behind `after_profile_id` are a baseline of what stands behind it in the series,
 * whenever they are recorded. ERR_INPUT: not the name of a series; ERR_MISSING: no such series. */
bool ledger_rebaseline(struct db *db, const struct rebaseline_entry *entry,
                       struct level_mark *ret_start, struct err *err);

/* Behind which profile the baseline of the series began before its newest re-baseline: 0 = with its
 * first run. Words that took one back count for nothing but that. ERR_INPUT: not the name of a
 * series; ERR_MISSING: there is none that could be taken back. */
bool ledger_rebaseline_before(struct db *db, const char *series, struct arena *arena,
                              int64_t *ret_after_profile_id, struct err *err);

/* The level of the step time in the series ("s3", NULL = none) in which the profile stands; 0: the
 * present one. Of re-baselines the newest word holds that begins the level of the profile or one
 * before it, of change points the last confirmed one; so of the runs behind the profile those are
 * of its level of which the same word holds. */
bool ledger_level_bounds(struct db *db, const char *series, int64_t profile_id,
                         struct level_bounds *ret_level, struct err *err);

/* Decisions read one after the other for exports, and counted for imports: the same may be said
 * twice, so an import appends what the ledger does not hold often enough. */
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
