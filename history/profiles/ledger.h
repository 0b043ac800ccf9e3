/* Profiles in the ledger, appended once, never changed. The id that people see is "p<number>". */
#ifndef HISTORY_PROFILES_LEDGER_H
#define HISTORY_PROFILES_LEDGER_H

#include "history/db.h"
#include "ops/runtime/arena.h"
#include "schema/documents/optional.h"
#include "schema/documents/origin.h"
#include "schema/documents/summary.h"

#include <stdint.h>

/* One host of a capture, beside what summary.capture says of it. */
struct host_record {
    const char *job;      /* the directory of its job, and which one of that name; NULL = loose */
    const char *document; /* the summary of its file alone; NULL: the ledger has it, or it is that
                             of the profile */
};

/* A profile whose place another one takes, in an import: why, when and by whom it was said. */
struct superseded_word {
    int64_t id;
    const char *reason;
    struct origin origin;
};

struct profile_identity {
    const char *project, *workload; /* required */
    const char *branch, *commit, *run,
        *label; /* NULL = not given; run NULL = the profile is a run of its own */
    /* Nobody said them of these profiles, a CI system's variables did: they hold for new bytes and
       change nothing about those that are known. */
    bool branch_is_implied, commit_is_implied;
    bool known_stands; /* no other way of reading was asked for: the summary of known bytes stays */
    const char *reason;        /* why known bytes get other facts; NULL: that is an error */
    const char *by;            /* who says so; NULL: the session alone */
    const int64_t *supersedes; /* profiles of the same capture that this one takes the place of,
                                  such as those that had fewer of its hosts */
    size_t supersedes_count;
    const struct superseded_word *superseded; /* of an import: what is said of them; others are said
                                                 with the profile */
    size_t superseded_count;
    int64_t told_by;   /* a profile that tells the same and more: the summary adds nothing, and what
                          is   said of it is said of that one; 0 = none */
    bool run_is_known; /* it is that of another profile, which it may be named after */
    const struct host_record *hosts; /* by summary.capture.hosts; NULL: no later host can join */
    const struct origin *origin;     /* of an import: a summary that is known in any state is not
                                        stored again; NULL: it is recorded now */
};

struct profile_receipt {
    int64_t id;
    bool duplicate;     /* the workload had these bytes and nothing else to say of them: same id */
    bool named;         /* with `duplicate`: a branch, commit or label was new, and was added */
    int64_t superseded; /* the profile of the same bytes whose place this one takes; 0 = none */
    const char *trace_sha256, *series, *run;
};

/* Appends header, files, hosts, facts, devices, steps, op rows (binary COPY) and the summary JSON
 * in one transaction: after kill -9 of anything all of it is there, or none. The same bytes at once
 * from several processes give one profile and the same id. Known bytes with another summary are a
 * profile that takes the place of the old one, with its run and all that was said of it; the run
 * that was said first stays. ERR_INPUT: a name that cannot be one, no trace hash, bytes that were
 * retracted, or known ones of which other facts are told and no reason. */
bool ledger_append_profile(struct db *db, const struct profile_identity *identity,
                           const struct summary *summary, struct arena *arena,
                           struct profile_receipt *ret_receipt, struct err *err);

/* The same in the caller's transaction: who commits it can end other work with it, and who does not
 * has stored nothing. */
bool ledger_append_profile_within(struct db *db, const struct profile_identity *identity,
                                  const struct summary *summary, struct arena *arena,
                                  struct profile_receipt *ret_receipt, struct err *err);

/* A profile as the ledger holds it, and as it stands after what was amended
 * (history/profiles/amend.h). */
struct ledger_profile {
    int64_t id;
    const char *project, *workload, *series, *run, *branch, *commit, *label, *recorded_at_utc;
    const char *captured_at_utc;  /* as people say or by its own clock; NULL: neither tells */
    const char *ran_at_utc;       /* what runs stand by: that, else when it was recorded */
    const char *retracted_at_utc; /* NULL: it counts */
    int64_t superseded_by;        /* the profile that counts instead; 0 = none */
    const char *reason;           /* of its last amendment; NULL: it was never amended */
    struct summary summary;
};

/* ERR_MISSING when there is none, or its contents are in an archive (which is named); ERR_INPUT
 * when its document is not the one that was recorded. */
bool ledger_load_profile(struct db *db, int64_t id, struct arena *arena,
                         struct ledger_profile *ret_profile, struct err *err);

/* The same of a profile that nobody asked for by name: whoever may store profiles may store one
 * that nobody can read, or whose entry has another hash. *ret_unreadable: why it cannot be relied
 * on, in a sentence that names it; NULL: it is read. */
bool ledger_load_stored(struct db *db, int64_t id, struct arena *arena,
                        struct ledger_profile *ret_profile, const char **ret_unreadable,
                        struct err *err);

/* The same without the document, which may be in an archive. */
bool ledger_load_header(struct db *db, int64_t id, struct arena *arena,
                        struct ledger_profile *ret_profile, struct err *err);

/* The last profiles of (project, workload, branch) in the order of runs (newest run first, all
 * profiles of `run_limit` runs), or those next to a profile (the nearest run first, as many before
 * it as behind it where both are there), without those whose id is in exclude[], nor profiles of
 * the excluded ones' runs. */
struct baseline_query {
    const char *project, *workload;
    const char *branch; /* NULL = any */
    const char *series; /* "s3": only that series; NULL = any */
    int64_t run_limit;
    const int64_t *exclude;
    size_t exclude_count;
    int64_t before_id; /* only runs before this profile; 0 = all */
    int64_t since_id;  /* only runs behind this profile; 0 = all */
    bool with_since;   /* and it */
    int64_t until_id;  /* only runs before this profile; 0 = all */
    bool with_until;   /* and it */
    int64_t near_id;   /* the runs next to this profile; 0 = the newest ones */
};
/* Without the documents: who has to choose loads what it takes. */
struct profile_place {
    int64_t id;
    const char *run;
    bool archived;  /* its contents are in a file (history/archive/archive.h) */
    bool is_behind; /* behind the query's near_id */
};
struct place_list {
    struct profile_place *items;
    size_t count;
};
bool ledger_baseline_places(struct db *db, const struct baseline_query *query, struct arena *arena,
                            struct place_list *ret_places, struct err *err);

/* A run of the branch that is left out for its name: a profile in exclude[] of the same branch, of
 * another series or commit it may be, bears it. Runs of two branches are never one. */
struct namesake {
    int64_t id; /* the newest such profile */
    const char *run;
};
struct namesake_list {
    struct namesake *items;
    size_t count;
};
/* Those of the query's branch and series, newest first; before_id and run_limit are not looked at.
 */
bool ledger_baseline_namesakes(struct db *db, const struct baseline_query *query,
                               struct arena *arena, struct namesake_list *ret_namesakes,
                               struct err *err);

/* Whether what is said of profiles is what was recorded, which readers that follow it ask, so that
 * a word that somebody put into the database decides nothing until `verify` finds it: the
 * corrections that hold of a workload's profiles (ledger_baseline_places asks both), the branches,
 * commits and labels that count for profiles, both for one. ERR_INPUT, with what to do. */
bool ledger_check_corrections(struct db *db, const char *project, const char *workload,
                              struct err *err);
bool ledger_check_events(struct db *db, const int64_t *ids, size_t count, struct arena *arena,
                         struct err *err);
bool ledger_check_words(struct db *db, int64_t id, struct arena *arena, struct err *err);

/* What somebody calls a profile, within a project and workload. */
struct profile_reference {
    const char *project, *workload; /* NULL: any */
    const char *name; /* "p12", a run, a label, a commit or at least 7 digits of one */
};

/* Their ids alone, newest first. project and workload may be NULL: any. */
struct id_list {
    int64_t *items;
    size_t count;
};
bool ledger_resolve_ids(struct db *db, const struct profile_reference *reference,
                        struct arena *arena, struct id_list *ret_ids, struct err *err);

struct profile_page {
    struct ledger_profile *items;
    size_t count;
};

/* The profiles that are so called, newest first; an id goes before a run, a run before a label, a
 * label before a commit. ERR_MISSING names it; ERR_INPUT: the start of several commits. */
bool ledger_resolve(struct db *db, const struct profile_reference *reference, struct arena *arena,
                    struct profile_page *ret_page, struct err *err);

/* Of a profile that has no entry yet, stored before measures were rows (0005): takes them from its
 * document. */
bool ledger_measures_backfill(struct db *db, int64_t id, struct err *err);

/* The monthly partitions of the tables that grow with ops, steps and devices
 * (schema/migrations/0042_months.sql) are there when an append needs them, whoever was asleep.
 * Ahead of time: those of this month and the next one. *ret_new: some were missing. */
bool months_prepare(struct db *db, bool *ret_new, struct err *err);

/* What identifies a series; its number is "s<number>". */
struct series_row {
    int64_t id;
    const char *project, *workload;
    const char *device_type, *topology; /* NULL = not known, as of the counts */
    struct opt_i64 device_count, host_count;
    int64_t definition_version; /* of the measures */
};

/* The number of that series here; without one it is appended (row->id does not count). ERR_INPUT: a
 * name that is none. */
bool ledger_keep_series(struct db *db, const struct series_row *row, int64_t *ret_id,
                        struct err *err);

#endif
