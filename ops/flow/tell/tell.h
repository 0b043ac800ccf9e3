/* Who is told what of a verdict, and when again. */
#ifndef OPS_FLOW_TELL_TELL_H
#define OPS_FLOW_TELL_TELL_H

#include "ops/flow/tell/notify.h"
#include "ops/flow/tell/notify_check.h"
#include "ops/flow/tell/notify_gone.h"
#include "ops/flow/tell/notify_plan.h"
#include "ops/flow/tell/notify_remind.h"
#include "ops/flow/tell/notify_revive.h"

#endif
