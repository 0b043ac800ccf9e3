/* Walking the whole ledger in the order of ids, for exports, and what imports add beside profiles
 * and verdicts. Pages: call again with the last id until a page is empty. */
#ifndef HISTORY_READING_INTERCHANGE_H
#define HISTORY_READING_INTERCHANGE_H

#include "history/db.h"
#include "history/profiles/profiles.h"
#include "ops/runtime/arena.h"
#include "schema/documents/optional.h"
#include "schema/documents/origin.h"

#include <stddef.h>
#include <stdint.h>

struct series_page {
    struct series_row *items;
    size_t count;
};

/* The series behind an id. */
bool ledger_series_after(struct db *db, int64_t after_id, struct arena *arena,
                         struct series_page *ret_page, struct err *err);

/* Lets the next series ('s'), profile ('p'), verdict ('v') or report ('r') have this number, where
 * the numbers before it are free, and no more than a million; else nothing happens. */
bool ledger_pass_numbers(struct db *db, char letter, int64_t number, struct err *err);

struct id_page {
    int64_t *items;
    size_t count;
};

/* The profiles behind an id. */
bool ledger_profile_ids(struct db *db, int64_t after_id, struct arena *arena,
                        struct id_page *ret_page, struct err *err);

/* What was said of a profile; NULL = nothing. */
struct profile_event {
    const char *branch, *commit, *label;
};

struct event_list {
    struct profile_event *items; /* in order */
    size_t count;
};

/* In the arena. */
bool ledger_events(struct db *db, int64_t profile_id, struct arena *arena,
                   struct event_list *ret_events, struct err *err);

/* A profile as it was recorded, before it was corrected. */
struct profile_recorded {
    const char *project, *workload, *run;
    struct origin origin;   /* when and by whom, in the first ledger that had it */
    const char *unreadable; /* why another ledger could not take it in; NULL: it could */
};

/* In the arena. ERR_MISSING. */
bool ledger_recorded(struct db *db, int64_t profile_id, struct arena *arena,
                     struct profile_recorded *ret_recorded, struct err *err);

/* That another profile took a profile's place. */
struct superseded_profile {
    const char *profile; /* "p3" */
    const char *reason;
    struct origin origin; /* when and by whom it was said first */
};

struct superseded_list {
    struct superseded_profile *items; /* by id */
    size_t count;
};

/* What the profile took the place of, in the arena. */
bool ledger_superseded(struct db *db, int64_t profile_id, struct arena *arena,
                       struct superseded_list *ret_superseded, struct err *err);

/* A correction, with how many events of the profile were said before it. */
struct recorded_amendment {
    struct amendment amendment; /* but for profile_id, by and origin */
    struct origin origin;
    int64_t events_before;
};

struct amendment_list {
    struct recorded_amendment *items; /* in order; those that name a successor are left out */
    size_t count;
};

/* In the arena. */
bool ledger_amendments(struct db *db, int64_t profile_id, struct arena *arena,
                       struct amendment_list *ret_amendments, struct err *err);

struct verdict_record {
    int64_t id;
    struct origin origin; /* when and by whom it was recorded */
    const char *document;
    const char *request, *policy; /* NULL: it cannot be made again */
};

/* The first verdict behind an id, in the arena; *ret_found false when there is none. */
bool ledger_verdict_after(struct db *db, int64_t after_id, struct arena *arena,
                          struct verdict_record *ret_record, bool *ret_found, struct err *err);

/* Records of `track`. */
struct track_row {
    int64_t id;
    const char *project, *workload, *document; /* one line of JSON */
    struct origin origin;                      /* no time: it is recorded now */
};

struct track_page {
    struct track_row *items;
    size_t count;
};

struct track_query {
    int64_t after_id;
    const char *project, *workload; /* NULL = any */
};

/* A page of them, in the arena. */
bool ledger_tracks(struct db *db, const struct track_query *query, struct arena *arena,
                   struct track_page *ret_page, struct err *err);

/* Appends one (row->id is not looked at); *ret_new false: it is known in this project and workload.
 */
bool ledger_append_track(struct db *db, const struct track_row *row, bool *ret_new,
                         struct err *err);

struct verdict_name {
    const char *project, *workload, *document;
};

/* The verdict of the workload that has exactly this document; 0: there is none. */
bool ledger_verdict_find(struct db *db, const struct verdict_name *name, int64_t *ret_id,
                         struct err *err);

#endif
