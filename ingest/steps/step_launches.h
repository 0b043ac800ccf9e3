/* Launches of the main program where annotations bound the steps: the steps that the same job would
 * have if nobody had marked them (kernel_launches.h), so that both can be compared.
 *
 * They cost no reading: what each program's ops span of a step is kept while ops are read. So they
 * are known only where each step launches the program once, which is told by how often its ops ran.
 */
#ifndef INGEST_STEPS_STEP_LAUNCHES_H
#define INGEST_STEPS_STEP_LAUNCHES_H

#include "ingest/timeline/timeline.h"

struct step_launches {
    struct window_list *planes; /* by plane: launches, counted from 0 */
    bool one_each;              /* each step launched the program once; else none are known */
    const char *program;        /* NULL = not known */
};

/* Asks for the spans of annotated steps (steps_span). ERR_LIMIT. */
bool step_launches_find(struct profile *profile, struct step_launches *ret_launches,
                        struct err *err);

#endif
