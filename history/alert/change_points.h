/* Change points: where a measure of a series took another level, appended as a detector or a person
 * says.
 *
 * Nothing is changed: what is thought of a place (series, measure, profile) is the last row about
 * it. A candidate is confirmed, or withdrawn, by adding the same place again with that status.
 */
#ifndef HISTORY_ALERT_CHANGE_POINTS_H
#define HISTORY_ALERT_CHANGE_POINTS_H

#include "history/profiles/profiles.h"
#include "schema/documents/origin.h"

#include <stddef.h>

enum change_point_status {
    CHANGE_POINT_CANDIDATE, /* seen, not yet believed */
    CHANGE_POINT_CONFIRMED, /* baselines begin behind it */
    CHANGE_POINT_WITHDRAWN, /* was a mistake */
    CHANGE_POINT_STATUS_COUNT
};

/* As the database writes them; a test compares them with its CHECK. */
extern const char *const change_point_status_names[CHANGE_POINT_STATUS_COUNT];

struct change_point_entry {
    int64_t id;            /* k<id> */
    const char *series;    /* "s3": that of the profile; not looked at by change_point_add */
    const char *measure;   /* a name of schema/documents/measures.h */
    int64_t at_profile_id; /* the first profile of the new level */
    enum change_point_status status;
    double before, after; /* the levels, in the measure's unit */
    const char *method;   /* what found it, with its version */
    const char *evidence; /* JSON: what the method saw; NULL = nothing is kept */
    struct origin origin; /* of an import; no time: it is recorded now. change_points_after says
                             when and by whom it was recorded first */
};

/* Appends one with its entry on the chain of the profile's series, in a transaction of its own.
 * point->id is not looked at. ERR_USAGE: no such measure; ERR_INPUT: a level that is no number, or
 * no method; ERR_MISSING: no such profile. */
bool change_point_add(struct db *db, const struct change_point_entry *point, int64_t *ret_id,
                      struct err *err);

/* How often exactly this was appended; evidence is not looked at. ERR_USAGE: no such measure. */
bool change_point_count(struct db *db, const struct change_point_entry *point, int64_t *ret_count,
                        struct err *err);

struct change_point_query {
    const char *series;       /* "s3" */
    const char *measure;      /* NULL = any */
    int64_t until_profile_id; /* only those at it, or at runs before it; 0 = all */
    int64_t after_profile_id; /* and at runs behind that one; 0 = all */
};

/* The last confirmed change point of the series, in the order of runs: what ran before its profile
 * is another level. *ret_found false when there is none, also for a series that is NULL. In the
 * arena. ERR_INPUT: no series; ERR_USAGE: no such measure. */
bool change_point_latest(struct db *db, const struct change_point_query *query, struct arena *arena,
                         struct change_point_entry *ret_point, bool *ret_found, struct err *err);

struct change_point_page {
    struct change_point_entry *items; /* as they were appended */
    size_t count;
};

/* Those behind an id, in the arena; call again with the last id until a page is empty. */
bool change_points_after(struct db *db, int64_t after_id, struct arena *arena,
                         struct change_point_page *ret_page, struct err *err);

#endif
