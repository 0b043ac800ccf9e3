/* Alerts of branches that are gone close themselves: nobody would ever pass on them. The ledger
 * does not know repositories; a branch without a run for alert_gone_days counts as gone. The
 * baseline branch never does: what is open there stays open. */
#ifndef OPS_FLOW_TELL_NOTIFY_GONE_H
#define OPS_FLOW_TELL_NOTIFY_GONE_H

#include "history/db.h"
#include "ops/runtime/conf.h"

/* Closes those that are due, each in one transaction with the message to whom was told that it is
 * open; *ret_count: how many. alert_gone_days = 0: none. ERR_USAGE: a route or destination is
 * wrong. */
bool notify_gone(struct db *db, const struct conf *conf, int64_t *ret_count, struct err *err);

#endif
