/* Changes of level that are found are appended to the ledger, as candidates: people confirm or
 * withdraw them. */
#ifndef OPS_FLOW_TRENDS_MARKING_H
#define OPS_FLOW_TRENDS_MARKING_H

#include "history/db.h"
#include "ops/runtime/conf.h"

#include <stdint.h>

struct trends_marked {
    int64_t added, withdrawn;
};

/* Appends each confirmed change of the step time of each workload's baseline branch that matters
 * and that nobody has said anything of, and withdraws candidates of its own that the runs of today
 * do not show any more. Never confirms: what a gate compares with stays as it is. */
bool trends_mark(struct db *db, const struct conf *conf, struct trends_marked *ret_marked,
                 struct err *err);

#endif
