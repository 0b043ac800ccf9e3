/* Alerts that are open for long and that nobody looks after are told again, to whom the routes say
 * (`remind_s`). */
#ifndef OPS_FLOW_TELL_NOTIFY_REMIND_H
#define OPS_FLOW_TELL_NOTIFY_REMIND_H

#include "history/db.h"
#include "ops/runtime/conf.h"

/* Enqueues the reminders that are due; *ret_count: how many. Called again, it finds none that it
 * has made. ERR_USAGE: a route or destination is wrong. */
bool notify_remind(struct db *db, const struct conf *conf, int64_t *ret_count, struct err *err);

#endif
