/* Did both sides run the same compiled program? Internal to compare/. */
#ifndef COMPARE_PROVENANCE_SAME_PROGRAM_H
#define COMPARE_PROVENANCE_SAME_PROGRAM_H

#include "compare/judgement/judgement.h"

/* true when every profile of baseline and candidate holds the fingerprint of each program that it
 * ran (of each that it holds, where no runs are counted), and the sets of fingerprints are equal.
 */
bool same_program(struct gate_state *judgement);

#endif
