/* What a move in the life of an alert is to one destination, and whether it disturbs people. Pure.
 */
#ifndef OPS_FLOW_TELL_NOTIFY_PHASE_H
#define OPS_FLOW_TELL_NOTIFY_PHASE_H

#include "history/alert/alert.h"
#include "history/lease/lease.h"

/* To a destination that was told of the alert what its thread says: what it never heard of begins,
 * and does not end. PHASE_NONE: the alert does not change. */
enum alert_phase phase_of_change(const struct alert_change *change,
                                 const struct alert_thread *thread);

/* To one that shows commits: a commit's own fails and passes, whatever the alert does. */
enum alert_phase phase_of_commit(const struct alert_thread *thread, enum verdict_status status,
                                 bool accepted);

/* Whether people want to hear of it: not when somebody looks after the alert already, has silenced
 * or dismissed it, or has accepted the change; not of every pass of an alert that flaps. */
bool change_disturbs(const struct alert_change *change, enum verdict_status status);

#endif
