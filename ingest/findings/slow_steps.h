/* Steps that take much longer than the others, so that averages tell of none of them.
 * Asked of the devices of all hosts.
 */
#ifndef INGEST_FINDINGS_SLOW_STEPS_H
#define INGEST_FINDINGS_SLOW_STEPS_H

#include "ingest/findings/rules.h"

rule_fn slow_steps;

#endif
