/* What a reader should know of the profiles before believing a verdict. Internal to compare/. */
#ifndef COMPARE_NOTICES_H
#define COMPARE_NOTICES_H

#include "compare/provenance.h"

/* Adds provenance messages: truncated profiles, profiles of warm-up steps alone, readability
 * settings that slow a run, a run that stands on both sides. They change no verdict. */
void notices_add(struct judgement *judgement, const struct profile_sets *sets);

#endif
