/* Which destinations are told of a verdict, what it changes for each of them, and with which bytes.
 *
 * Whether an alert begins, goes on or ends is decided per destination, from what it was told last,
 * in the transaction that records the verdict: two verdicts of one alert at the same time are told
 * one after the other.
 */
#ifndef OPS_CLI_NOTIFY_H
#define OPS_CLI_NOTIFY_H

#include "history/ledger.h"
#include "ops/runtime/conf.h"

/* Who tells, with what. */
struct notifying {
    const struct conf *conf;
    struct db *db;
    struct arena *arena;
};

/* Records the verdict together with the messages that it causes, all or nothing; the entry's id is
 * set, its messages are filled in. ERR_USAGE: a destination that the configuration lacks; the
 * errors of ledger_append_verdict. */
bool notify_append(const struct notifying *notifying, struct verdict_entry *entry, struct err *err);

/* A judgement that is under way, of a candidate whose commit is known before. */
struct notify_start {
    const char *project, *workload, *branch, *commit;
};

/* Tells the destinations that show the state of commits that a judgement begins, and leaves with
 * them what ends it when nothing is heard of it again. Nothing when there is no such destination.
 */
bool notify_started(const struct notifying *notifying, const struct notify_start *start,
                    struct err *err);

/* And that it ended without a verdict. */
bool notify_aborted(const struct notifying *notifying, const struct notify_start *start,
                    const char *why, struct err *err);

#endif
