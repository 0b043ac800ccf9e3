/* Warm-up of a profile's steps: what is known of each step, and who has to know the answer.
 *
 * Where marks bound the steps it is decided before ops are read, else when their spans are known.
 */
#ifndef INGEST_STEPS_STEP_WARMUP_H
#define INGEST_STEPS_STEP_WARMUP_H

#include "ingest/step_table/step_table.h"
#include "ingest/timeline/timeline.h"

/* When the hosts compiled. */
void compilations_find(struct profile *profile);

/* Decides for the steps of profile->step_method, from the spans that the windows of all devices
 * have, and marks the windows: profile->warmup. A last one that the end of the capture cut is left
 * out like warm-up where its ops were kept apart, and is told in any case: profile->cut. */
void step_warmup_decide(struct profile *profile);

/* Reads from the rows of a table of another method which are warm-up, and marks them. */
void step_warmup_read(struct profile *profile, struct step_table *table);

/* Marks the rows of a table of profile->step_method as was decided. */
void step_warmup_apply(const struct profile *profile, struct step_table *table);

/* Marks the rows in which, or right before which, the host compiled: between the ends of its
 * annotations of the step before and of the step, or else of these steps themselves. */
void step_compilations_mark(struct profile *profile, struct step_table *table);

#endif
