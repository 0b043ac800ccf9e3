/* Changes of level that are found are appended to the ledger: as candidates, and confirmed once
 * they have lasted, which begins the baseline of a gate anew. People confirm or withdraw them
 * earlier, and their word stands. */
#ifndef OPS_FLOW_TRENDS_MARKING_H
#define OPS_FLOW_TRENDS_MARKING_H

#include "history/db.h"
#include "ops/runtime/conf.h"

#include <stdint.h>

struct trends_marked {
    int64_t added, confirmed, withdrawn; /* confirmed: also of those that were added */
};

/* So many runs of a level are a baseline without what ran before: a gate that has them misses few
 * losses that one with more would find. */
#define MARKING_SETTLED_RUNS 20

/* Appends each confirmed change of the step time of each workload's baseline branch that matters
 * and that nobody has said anything of. What is appended is a candidate, or, where the new level
 * holds MARKING_SETTLED_RUNS runs, confirmed: a gate takes no run before it for its baseline, and
 * says so. An own candidate becomes confirmed when its level has lasted as long; own ones,
 * confirmed or not, that the runs of today do not show any more are withdrawn. Every one is an
 * entry that supersedes the last word on its place; a person's word is never changed. */
bool trends_mark(struct db *db, const struct conf *conf, struct trends_marked *ret_marked,
                 struct err *err);

#endif
