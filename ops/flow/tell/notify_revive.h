/* Dead messages that a person tries again. What a message said when it died may be a lie by now:
 * one about an alert goes out only where its destination is left with the truth, together with what
 * was lost after it (the end of the alert, above all); one that shows a state only when it is the
 * newest. Records, and what is about no alert, always go. */
#ifndef OPS_FLOW_TELL_NOTIFY_REVIVE_H
#define OPS_FLOW_TELL_NOTIFY_REVIVE_H

#include "history/lease/lease.h"
#include "ops/runtime/conf.h"

/* What became of one message that was asked for, or came with one. */
struct revival {
    int64_t id;
    char why[sizeof(struct err)]; /* it stays dead; "": it is on its way again */
};
struct revival_list {
    struct revival *items;
    size_t count, capacity;
};

/* Each in one transaction, under the lock that verdicts take too. */
bool notify_revive(struct db *db, const struct conf *conf, const struct outbox_selection *selection,
                   struct arena *arena, struct revival_list *ret_list, struct err *err);

#endif
