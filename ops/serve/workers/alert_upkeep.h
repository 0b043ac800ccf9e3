/* What the alert worker does beside sending: messages that are due together become one, and a
 * message that is given up, or a destination that is disabled, is told through another destination
 * (`on_dead`), never the failing one.
 */
#ifndef OPS_SERVE_WORKERS_ALERT_UPKEEP_H
#define OPS_SERVE_WORKERS_ALERT_UPKEEP_H

#include "history/db.h"
#include "history/verify/verify.h"
#include "ops/runtime/conf.h"

/* Joins what is due and may be joined, for each destination. A destination that the configuration
 * lacks keeps its messages apart. */
bool alert_digests_make(struct db *db, const struct conf *conf, struct err *err);

/* Enqueues a message about each dead one, and about each destination that was disabled, of which
 * nobody was told; *ret_told when there was any. News of dead news is not told again. */
bool alert_troubles_tell(struct db *db, const struct conf *conf, bool *ret_told, struct err *err);

/* Enqueues a message about what verifying found, for each destination of `verify_notify`: the same
 * findings once a day. */
bool alert_findings_tell(struct db *db, const struct conf *conf, const struct verify_report *report,
                         struct err *err);

#endif
