/* The rule's estimate in words: what it is, and why it is not what the medians show. Internal to
 * compare/. */
#ifndef COMPARE_STEPS_ESTIMATE_WORDS_H
#define COMPARE_STEPS_ESTIMATE_WORDS_H

#include "compare/steps/step_rule.h"

enum { ESTIMATE_WORDS_BYTES = 300 };

/* "the rule estimates +4.6 %, 95 % interval +3.1..+6.2 %, p = 0.0002 of 4 pairs" into the buffer of
 * ESTIMATE_WORDS_BYTES, behind it what it knows and the medians do not where the two are farther
 * apart than matters. p, of a loss, only where with_p. The verdict's statistics are filled. */
const char *estimate_words(const struct gate_state *judgement, const struct step_outcome *outcome,
                           bool with_p, char *buffer);

#endif
