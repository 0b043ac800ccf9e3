/* What devices spend on exchanging data with others: moving it, and waiting for who comes later.
 * Asked of the devices of all hosts.
 */
#ifndef INGEST_FINDINGS_EXCHANGE_RULES_H
#define INGEST_FINDINGS_EXCHANGE_RULES_H

#include "ingest/findings/rules.h"

rule_fn exposed_communication, uneven_devices;

#endif
