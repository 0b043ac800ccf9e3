/* Steps that take much longer than the others, so that averages tell of none of them.
 * Asked of the devices of all hosts.
 */
#ifndef INGEST_FINDINGS_SLOW_STEPS_H
#define INGEST_FINDINGS_SLOW_STEPS_H

#include "ingest/findings/rules.h"

rule_fn slow_steps;

/* The steps that slow_steps tells of, where their devices wait in what is longer: that is no other
 * stall. None where it does not. */
struct step_outliers slow_steps_that_wait(const struct examined *all);

#endif
