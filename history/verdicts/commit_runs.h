/* What the ledger knows of a change: the profiles of its commit, and how often it was judged. */
#ifndef HISTORY_VERDICTS_COMMIT_RUNS_H
#define HISTORY_VERDICTS_COMMIT_RUNS_H

#include "history/profiles/profiles.h"

struct commit_query {
    const char *project, *workload;
    const char *commit;       /* whole, or its start of 7 digits or more */
    const char *never_branch; /* profiles that are on it do not count, those of all others do; NULL:
                                 all do */
    int64_t profile_limit;    /* the newest */
};

/* The ids of its profiles that count now and are not in an archive, newest first, in the arena. */
bool ledger_commit_profiles(struct db *db, const struct commit_query *query, struct arena *arena,
                            int64_t **ret_ids, size_t *ret_count, struct err *err);

struct profile_ids {
    int64_t *items;
    size_t count;
};

/* The same profiles, those with the smallest documents first, in the arena. */
bool ledger_ids_by_size(struct db *db, const struct profile_ids *ids, struct arena *arena,
                        struct profile_ids *ret_sorted, struct err *err);

/* Which of these profiles ran in turns with a baseline, in the arena. */
bool ledger_turn_profiles(struct db *db, const struct profile_ids *ids, struct arena *arena,
                          struct profile_ids *ret_turns, struct err *err);

/* Which of these profiles no verdict judged as candidates, in the arena. */
bool ledger_unjudged_profiles(struct db *db, const struct profile_ids *ids, struct arena *arena,
                              struct profile_ids *ret_unjudged, struct err *err);

/* What of a change is judged, and by what. */
struct judged_profiles {
    struct profile_ids candidates, apart; /* apart: the change's others, which take no part */
    struct profile_ids past;    /* of a branch, which is the baseline; none where it was named */
    struct profile_ids others;  /* of pairs: the change's runs that may have failed without turns */
    struct string_list against; /* what the baseline is: "branch main", "commit 0123abcd" */
    struct profile_ids named;   /* the baseline, where nothing but its profiles names it */
    struct string_list policies; /* the hashes of the policy: as it is written now, and as before */
    bool in_pairs;
};

/* A policy as it was recorded. */
struct recorded_policy {
    const char *sha256, *text;
};

struct recorded_policies {
    struct recorded_policy *items;
    size_t count;
};

/* Those of other hashes than policies.items[0] that verdicts on what is judged rest on, in the
 * arena. */
bool ledger_candidate_policies(struct db *db, const struct judged_profiles *judged,
                               struct arena *arena, struct recorded_policies *ret_policies,
                               struct err *err);

struct earlier_verdicts {
    struct string_list verdicts; /* oldest first: "v7 (fail)", "v8 (pass of pairs)" */
    int64_t attempts;            /* with the one that is made now */
    const char *failed, *reason; /* the first that failed by itself, and by what; NULL: none */
};

/* The verdicts that were made of some of the candidates and not of all of them, or of those of the
 * change that stand apart, one per set of candidates, in the arena. Of candidates in pairs only
 * those on pairs: "v9 (fail of other pairs)" where they stand apart. Those that were incomparable
 * do not count. A fail by the same policy that had seen all that is judged now is one "of these
 * pairs" or "of these runs", and is there too where it judged these candidates and no others, which
 * makes no attempt. A fail of its own by the same policy against another baseline, which no later
 * verdict against that one lifted, is one "against branch main", of pairs and of runs alike. */
bool ledger_earlier_verdicts(struct db *db, const struct judged_profiles *judged,
                             struct arena *arena, struct earlier_verdicts *ret_earlier,
                             struct err *err);

/* A profile of a pair: those of one verdict and pair ran in turns. */
struct paired_profile {
    int64_t verdict_id, pair, profile_id;
    bool is_candidate;
};

struct paired_profiles {
    struct paired_profile *items; /* by verdict, pair and side */
    size_t count;
};

/* The whole pairs that verdicts on these candidates judged, and those that `interleave` took in
 * (verdict_id 0), in the arena. */
bool ledger_earlier_pairs(struct db *db, const struct profile_ids *ids, struct arena *arena,
                          struct paired_profiles *ret_pairs, struct err *err);

/* The newest verdict on a candidate that the profile belongs to; 0: it was never judged. */
bool ledger_newest_verdict(struct db *db, int64_t profile_id, int64_t *ret_verdict_id,
                           struct err *err);

#endif
