/* Which profiles are fit to be compared: enough steady steps, no trend, one mode, no throttled
 * device. A run that is not has to be made again; comparing it would judge its accident. Internal
 * to compare/. */
#ifndef COMPARE_FITNESS_H
#define COMPARE_FITNESS_H

#include "compare/provenance.h"

/* Takes unfit profiles out of the sets; a side of which none is fit keeps all of them and makes the
 * judgement unfit. Also fills the verdict's effective_steps and autocorrelation, of the candidate.
 */
void fitness_filter(struct judgement *judgement, struct profile_sets *sets);

/* The sentence on the first profile that has to be taken again; NULL when there is none. */
const char *fitness_rerun_text(const struct judgement *judgement);

/* Adds the reasons for what was taken out or could not be. */
void fitness_reasons(struct judgement *judgement);

#endif
