/* Steps of a plain function, as far as a host without device lines tells of them: the calls of the
 * main compiled function (main_program.h), each from its start to that of the next.
 *
 * A host that does not wait runs ahead of its device, and its calls last as long as launching does.
 * So calls tell of steps only where the host waits for something behind most of them, or where a
 * call is known to end with its function.
 */
#ifndef INGEST_STEPS_HOST_CALLS_H
#define INGEST_STEPS_HOST_CALLS_H

#include "ingest/steps/host_steps.h"

/* The calls of one file, numbered from 0; none when there are none to go by. *ret_function is set
 * to what is called when there are any. */
struct host_step_list host_calls_find(struct profile *profile, const struct xspace *space,
                                      const char **ret_function);

#endif
