/* Planes of files that are no XPlane files: what is known of them as stats, so that whoever asks a
 * plane asks all of them alike.
 */
#ifndef INGEST_XPLANE_PLANE_MADE_H
#define INGEST_XPLANE_PLANE_MADE_H

#include "ingest/xplane/xspace.h"

/* A fact as a plane's stat. */
struct fact_stat {
    const char *name;
    const char *text;      /* NULL: a number */
    struct opt_i64 number; /* unset, without a text: the fact is not known, and no stat */
};

/* The head of a plane with these facts. */
const XPlane *plane_head_make(const struct fact_stat *facts, size_t count, struct arena *arena);

/* Gives the facts their names in a plane's ops, in the same order. */
void plane_facts_load(const struct fact_stat *facts, size_t count, struct plane_ops *ops);

#endif
