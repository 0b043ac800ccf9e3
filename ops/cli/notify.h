/* Which destinations are told of a verdict, and with which bytes. */
#ifndef OPS_CLI_NOTIFY_H
#define OPS_CLI_NOTIFY_H

#include "history/ledger.h"
#include "ops/runtime/conf.h"

/* Fills the entry's messages, one per destination of `notify = …`, none for a pass; its id and
 * verdict are set already. The bodies are frozen here. ERR_USAGE: a destination that the
 * configuration lacks. */
bool notify_messages(const struct conf *conf, struct verdict_entry *entry, struct arena *arena,
                     struct err *err);

#endif
