/* Which events of a profile are converted: those of some steps, those of one device.
 */
#ifndef INGEST_CONVERT_CUT_H
#define INGEST_CONVERT_CUT_H

#include "ingest/steps/steps.h"

/* Times that are in, ascending and apart. */
struct cut_spans {
    struct cut_span {
        int64_t begin_ps, end_ps;
    } * items;
    size_t count;
};

struct cut {
    const struct summary *summary; /* its devices and steps */
    bool by_steps;
    int64_t first, last;               /* of the steps, when by_steps */
    uint32_t device;                   /* the only one; UINT32_MAX: all, and the hosts */
    const char **devices;              /* names as summaries have them, by device */
    const struct window_list *windows; /* by plane: which ops belong to which step */
    struct cut_spans *spans;           /* by plane: for events that are of no step by themselves */
};

/* The windows of all planes, which tell ops their steps and go when ops have told theirs, kept. */
const struct window_list *cut_windows_keep(struct profile *profile);

/* Makes a cut of what is asked for. ERR_MISSING: no such step or device, with those that there are;
 * ERR_INPUT: there are no steps; ERR_LIMIT. */
bool cut_make(struct profile *profile, const struct convert_request *request,
              const struct summary *summary, const struct window_list *windows, struct cut *ret_cut,
              struct err *err);

/* What of a host's own name is put to those of its processes, where there are several hosts. NULL:
 * there is one. */
const char *cut_host(const struct profile *profile, const struct xspace *space);

/* Whether the plane is left out as a whole. */
bool cut_leaves_out(const struct cut *cut, const struct plane_state *state);

static inline bool cut_has_step(const struct cut *cut, int64_t number)
{
    return !cut->by_steps || (number >= cut->first && number <= cut->last);
}

/* Whether a time is in one of the spans. */
bool cut_spans_hold(const struct cut_spans *spans, int64_t time_ps);

#endif
