/* The steps that a host annotated, and which ops of its devices belong to them.
 */
#ifndef INGEST_STEPS_HOST_STEPS_H
#define INGEST_STEPS_HOST_STEPS_H

#include "ingest/steps/step_windows.h"
#include "ingest/timeline/timeline.h"

/* Those of one file. */
struct host_step_list {
    struct host_step *items; /* ascending, each number once; NULL = not looked for */
    size_t count;
    size_t renumbered;           /* annotations that were counted on (step_numbers.h) */
    int64_t unmarked;            /* steps that lack their mark */
    struct step_window *windows; /* which ops belong to them; NULL = not made */
    size_t window_count;
};

/* Whether a host annotated steps. */
bool steps_are_annotated(const struct profile *profile);

/* The annotations of one file. They are looked for once and kept, as all devices of a host ask for
 * the same. */
struct host_step_list *steps_of_host(struct profile *profile, const struct xspace *space);

/* Those of one process of the file, each with what its own annotations say; all of the file's where
 * the process has none. */
struct host_step_list steps_of_process(struct profile *profile, const struct xspace *space,
                                       int32_t process);

/* Makes the windows of the list, unless it has them: a step's ops start between its annotation and
 * the next one. Behind the last annotation, or one that several steps without annotations follow,
 * they start before its end, or within as long as the longest of the usual steps took; where steps
 * are known to lack their marks, until its own work ends. */
void host_windows_make(struct profile *profile, struct host_step_list *list);

#endif
