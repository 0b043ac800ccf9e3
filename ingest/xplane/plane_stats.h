/* Stats of a plane: what it says about its device or its job. */
#ifndef INGEST_XPLANE_PLANE_STATS_H
#define INGEST_XPLANE_PLANE_STATS_H

#include "ingest/xplane/xspace.h"

/* The stat of that name, NULL when the plane has none. */
const XStat *plane_stat_find(const struct xplane *plane, const char *name);

/* The value as text: texts as they are, numbers in decimal; NULL for values that are no text
 * (bytes, empty, unset) and for a stat that is NULL. false beyond the budget. */
bool plane_stat_text(const struct xplane *plane, const XStat *stat, struct arena *arena,
                     const char **ret_text);

/* The value as a finite number above 0; absent for anything else. stat may be NULL. */
struct opt_f64 plane_stat_positive(const XStat *stat);

#endif
