/* From joined files to a profile of the ledger, which may know other hosts of the same capture: the
 * use case that ingest, gate and the workers share.
 *
 * A capture is resolved before anything is locked: what the ledger has of it is read, and all hosts
 * are merged. It is stored under the workload's lock if nothing came meanwhile, else resolved
 * again.
 */
#ifndef OPS_FLOW_TAKE_IN_CAPTURE_STORE_H
#define OPS_FLOW_TAKE_IN_CAPTURE_STORE_H

#include "history/profiles/profiles.h"
#include "ingest/captures.h"

/* Where captures are stored. */
struct capture_target {
    const struct profile_identity *identity;
    struct db *db;
};

struct resolved_capture {
    struct summary summary;
    struct profile_identity identity; /* with the run, the hosts and what it supersedes */
    const char *note; /* why it was not joined with what the ledger has, or adds nothing; NULL */
    struct neighbour_list neighbours; /* that it was resolved with */
    struct capture_query query;       /* that found them */
};

/* All results lie in the arena. ERR_INPUT: no event in it, or as ingest_capture. */
bool capture_resolve(struct capture_set *set, const struct join_group *group,
                     const struct capture_target *target, struct arena *arena,
                     struct resolved_capture *ret_capture, struct err *err);

/* Whether other hosts came meanwhile: then it is to be resolved again. Holds the workload until the
 * caller's transaction ends; to be asked of all captures before any is appended. */
bool capture_is_stale(struct db *db, const struct resolved_capture *capture, struct arena *arena,
                      bool *ret_stale, struct err *err);

#endif
