/* What the ledger knows of a change: the profiles of its commit, and how often it was judged. */
#ifndef HISTORY_COMMIT_RUNS_H
#define HISTORY_COMMIT_RUNS_H

#include "history/ledger.h"

struct commit_query {
    const char *project, *workload;
    const char *commit;       /* whole, or its start of 7 digits or more */
    const char *never_branch; /* profiles that are on it do not count, those of all others do */
    int64_t profile_limit;    /* the newest */
};

/* The ids of its profiles that count now and are not in an archive, newest first, in the arena. */
bool ledger_commit_profiles(struct db *db, const struct commit_query *query, struct arena *arena,
                            int64_t **ret_ids, size_t *ret_count, struct err *err);

/* The verdicts that were made of some of the candidates ids[count] and not of all of them, one per
 * set of candidates, oldest first: "v7 (fail)". Those that were incomparable do not count. */
bool ledger_earlier_verdicts(struct db *db, const int64_t *ids, size_t count, struct arena *arena,
                             struct string_list *ret_verdicts, struct err *err);

/* The newest verdict on a candidate that the profile belongs to; 0: it was never judged. */
bool ledger_newest_verdict(struct db *db, int64_t profile_id, int64_t *ret_verdict_id,
                           struct err *err);

#endif
