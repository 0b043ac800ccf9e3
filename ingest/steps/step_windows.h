/* What bounds steps: marks, the windows that they make on a device, and how long steps usually
 * take.
 */
#ifndef INGEST_STEPS_STEP_WINDOWS_H
#define INGEST_STEPS_STEP_WINDOWS_H

#include "ingest/timeline/timeline.h"

/* A step of the host: its annotation. */
struct host_step {
    int64_t number;
    int64_t start_ps, end_ps;
    int64_t unmarked;   /* steps without a mark between it and the next one (step_numbers.h) */
    int64_t own_end_ps; /* what begins later is of such a step; INT64_MAX = there is none */
};

/* How long steps usually take, from the start of one to that of the next. */
struct usual_steps {
    int64_t middle_ps;
    int64_t longest_ps; /* of those of no more than twice the middle */
};

/* Both 0 of no lengths; sorts lengths[count]. */
struct usual_steps steps_usual(int64_t *lengths, size_t count);

/* Whether any plane has marks of the kind. */
bool profile_has_marks(const struct profile *profile, enum mark_kind kind);

/* When the mark ends, at most INT64_MAX. */
int64_t mark_end(const struct step_mark *mark);

/* Whether ops of a device lie on the line, which it does itself one after the other. */
static inline bool line_is_of_ops(const struct xline *line)
{
    return line->role == LINE_OPS && !line->derived && !line->asynchronous && line_has_events(line);
}

/* Whether the plane can have ops of a device. */
bool plane_has_op_line(const struct xplane *plane);

/* Whether all ops of the plane are copies, which tell of no steps. */
bool plane_has_copies_alone(const struct plane_ops *ops);

/* Whether the steps of this method are warm-up by their numbers alone. */
bool warmup_is_fixed(const struct profile *profile, enum step_method method);

/* A steady window of marks. */
struct step_window window_of(int64_t number, int64_t start, int64_t end);

/* A window whose span follows from its ops; `place` among those of its plane. */
struct step_window window_by_ops(const struct profile *profile, int64_t number, int64_t start_ps,
                                 int64_t end_ps, size_t place);

/* Orders windows by start, then number; for qsort. */
int compare_windows(const void *a, const void *b);

/* Sorts; joins neighbours of one number (a step in pieces), cuts what overlaps. Returns how many
 * are left of items[count]. */
size_t windows_settle(struct step_window *items, size_t count);

#endif
