/* Finding the steps of ours: which marks bound them, and which part of each a device has.
 *
 * Methods in order of trust (schema/documents/summary.h, enum step_method): a device's `Steps`
 * line; the host's step annotations; runs or launches of the dominant program; without ops of
 * devices what the host says of itself. One method serves all devices.
 */
#ifndef INGEST_STEPS_STEPS_H
#define INGEST_STEPS_STEPS_H

#include "ingest/steps/host_steps.h"
#include "ingest/steps/programs.h"
#include "ingest/timeline/timeline.h"

/* Chooses the method and fills the windows of all device planes, from the marks that the first
 * stage left. ERR_INPUT, ERR_LIMIT. */
bool steps_find(struct profile *profile, struct err *err);

/* Runs of a device's main program, counted from 0. */
struct window_list steps_of_runs(struct profile *profile, const struct plane_state *state);

/* The program, without its id, whose runs or launches a device's steps are by that method, or the
 * expression that named annotations; a text, NULL where marks tell by their usual names. Devices
 * must be numbered. */
const char *steps_program(struct profile *profile, enum step_method method);

/* Whether devices tell when programs ran. */
bool steps_have_runs(const struct profile *profile);

/* Gives each device the spans of its steps where its ops tell them. */
void steps_span(struct profile *profile);

/* summary.steps; fills steady_step_median_ps of the devices. */
void step_table_build(struct profile *profile, struct summary *summary);

#endif
