/* Steps and devices in the order in which people ask for them. */
#ifndef OPS_PRESENT_SUMMARY_STEPS_ORDER_H
#define OPS_PRESENT_SUMMARY_STEPS_ORDER_H

#include "ops/runtime/arena.h"
#include "schema/documents/summary.h"

/* Pointers to the rows, longest max_ps first, equal ones by number; steady steps before those of
 * the warm-up. */
const struct step_row **steps_slowest_first(const struct step_table *steps, struct arena *arena);

/* Pointers to the devices, longest steady step first, then most busy, then in the order of the
 * document. */
const struct device_row **devices_slowest_first(const struct summary *summary, struct arena *arena);

#endif
