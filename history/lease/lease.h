/* Work that is claimed, leased and ended: the queue of files, candidates to be judged, the outbox;
 * and what the service says of itself.
 */
#ifndef HISTORY_LEASE_LEASE_H
#define HISTORY_LEASE_LEASE_H

#include "history/lease/destinations.h"
#include "history/lease/judgement.h"
#include "history/lease/outbox.h"
#include "history/lease/outbox_admin.h"
#include "history/lease/outbox_enqueue.h"
#include "history/lease/queue.h"
#include "history/lease/queue_admin.h"
#include "history/lease/service.h"
#include "history/lease/states.h"

#endif
