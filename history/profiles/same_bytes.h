/* Whether a summary says anything that the ledger does not hold of the same bytes already, for the
 * files of history/ only. */
#ifndef HISTORY_PROFILES_SAME_BYTES_H
#define HISTORY_PROFILES_SAME_BYTES_H

#include "history/profiles/ledger.h"

struct same_bytes {
    int64_t project_id;                      /* asked for */
    const struct profile_identity *identity; /* its workload, and how known bytes are taken */
    struct summary *summary;                 /* what they would be now */
    int64_t id, series_id; /* found: the profile; 0: the workload has none of these bytes */
    const char *run;
    bool differs;     /* what it would be now is another summary */
    const char *told; /* facts that are told otherwise, with identity->reason; NULL: none */
};

/* Looks for the profile of the summary's bytes that counts in the workload, and fills what is
 * found. Before they are compared, what was said of the capture from outside (facts, W&B metadata)
 * and is not said again is taken over into the summary; when and where it was read does not count
 * as a difference. ERR_INPUT: the profile was retracted, or other facts are told of it than were
 * recorded and no reason is given. */
bool same_bytes_find(struct db *db, struct same_bytes *same, struct arena *arena, struct err *err);

#endif
