/* Which destinations are told of a verdict, what it changes for each of them, and with which bytes.
 *
 * What a verdict does to its alert is decided once (history/alert/alert_change.h), in the
 * transaction that records it; what that is to a destination follows from what it was told before.
 * Two verdicts of one alert at the same time are told one after the other.
 */
#ifndef OPS_FLOW_TELL_NOTIFY_H
#define OPS_FLOW_TELL_NOTIFY_H

#include "history/alert/alert.h"
#include "history/profiles/profiles.h"
#include "history/verdicts/verdicts.h"
#include "ops/flow/tell/notify_plan.h"

/* Records the verdict together with the messages that it causes, all or nothing; the entry's id is
 * set, its messages are filled in. ERR_USAGE: a destination that the configuration lacks; the
 * errors of ledger_append_verdict. */
bool notify_append(const struct flow *flow, struct verdict_entry *entry, struct err *err);

/* Tells what shows the state of a commit or request that a person took the change with its cost, in
 * the caller's transaction, which has recorded that; people hear nothing. change: what it did to
 * the alert, with the acceptance. */
bool notify_accepted(const struct flow *flow, const struct verdict *verdict, int64_t verdict_id,
                     const struct alert_change *change, struct err *err);

#endif
