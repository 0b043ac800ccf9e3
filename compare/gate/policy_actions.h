/* What the policy makes of a verdict once everything is known: required data, what an inconclusive
 * verdict becomes, and the confirmation on another host. Internal to compare/. */
#ifndef COMPARE_GATE_POLICY_ACTIONS_H
#define COMPARE_GATE_POLICY_ACTIONS_H

#include "compare/judgement/judgement.h"

/* Applies them in this order; each that changes the verdict puts its reason first. */
void policy_actions_apply(struct gate_state *judgement);

#endif
