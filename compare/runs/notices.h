/* What a reader should know of the profiles before believing a verdict. Internal to compare/. */
#ifndef COMPARE_RUNS_NOTICES_H
#define COMPARE_RUNS_NOTICES_H

#include "compare/provenance/provenance.h"

/* Does the file end before the capture did? */
bool profile_is_truncated(const struct summary *summary);

/* Which part of what its devices did belongs to no annotated step; 0 where that is not known. */
double profile_apart_share(const struct summary *summary);

/* From that part on figures of whole captures are none of a step. */
extern const double apart_share_told;

/* Finds, of all profiles of both sides, truncated ones, those of warm-up steps alone,
 * readability settings that slow a run, and what belongs to no step; says which runs stand on both
 * sides. They change no verdict. */
void notices_collect(struct gate_state *judgement, const struct profile_sets *sets);

/* Adds what was found as reasons, behind those that decide. */
void notices_reasons(struct gate_state *judgement);

#endif
