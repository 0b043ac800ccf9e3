/* The hosts of captures: what is kept of each, and which captures a later host may belong to. */
#ifndef HISTORY_PROFILES_CAPTURE_HOSTS_H
#define HISTORY_PROFILES_CAPTURE_HOSTS_H

#include "history/profiles/ledger.h"

struct pipeline;
struct rows_owner;
struct section_digest;

/* The rows of a new profile; for the files of history/ only. */
bool capture_hosts_add(struct pipeline *pipeline, const struct rows_owner *owner,
                       const struct profile_identity *identity, const struct summary *summary,
                       struct section_digest *ret_digest, struct err *err);

/* What is asked about a capture. NULL and unset: nothing is known of it. */
struct capture_query {
    const char *project, *workload;
    const char *key, *job, *run;
    struct opt_i64 begin_ns, end_ns; /* since 1970 */
    bool timed;                      /* all its files say when they were recorded */
};

/* A host of a capture that the ledger has. */
struct capture_neighbour {
    int64_t profile_id;
    const char *run, *branch, *commit; /* of the profile */
    bool in_job;                       /* the profile is of the job that was asked about */
    const char *sha256;
    const char *document; /* the summary of its file alone; NULL: it is not at hand any more, was
                             not asked for, or the windows of the two captures miss each other */
    const char *format, *path; /* of the profile; of the host's file, as it was given */
};

struct neighbour_list {
    struct capture_neighbour *items; /* by profile, then host */
    size_t count;
};

/* All hosts of each present capture of the workload that has the key, the job or the run, or whose
 * window meets the one asked about. */
bool ledger_capture_neighbours(struct db *db, const struct capture_query *query, bool documents,
                               struct arena *arena, struct neighbour_list *ret_list,
                               struct err *err);

/* What a capture in another form is found by: how long its steps and ops last. */
struct alike_query {
    const char *project, *workload;
    const char *format; /* that the others are of */
    double steps, step_us;
    struct opt_f64 ops_us; /* of hosts without devices nobody knows it */
};

struct alike_capture {
    int64_t profile_id;
    const char *run, *branch, *commit; /* of the profile */
    const char *retracted;             /* why it does not count; NULL: it does */
};

struct alike_list {
    struct alike_capture *items; /* those that count first, then by profile */
    size_t count;
};

/* The profiles of the workload that last as long, to the nanosecond. */
bool ledger_captures_alike(struct db *db, const struct alike_query *query, struct arena *arena,
                           struct alike_list *ret_list, struct err *err);

struct host_record_list {
    struct host_record *items; /* as summary.capture.hosts */
    size_t count;              /* 0: nothing is kept, no later host can join */
};

/* What is kept of the hosts of a profile, in the arena. */
bool ledger_hosts_kept(struct db *db, int64_t profile_id, struct arena *arena,
                       struct host_record_list *ret_hosts, struct err *err);

/* Until the transaction ends nobody else appends to the workload. */
bool ledger_workload_hold(struct db *db, const char *project, const char *workload,
                          struct err *err);

#endif
