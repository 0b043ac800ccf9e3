/* The rule's estimate in words: what it is, why it is not what the medians show, and what else
 * would tell where it does not. Internal to compare/. */
#ifndef COMPARE_STEPS_ESTIMATE_WORDS_H
#define COMPARE_STEPS_ESTIMATE_WORDS_H

#include "compare/steps/step_rule.h"

enum { ESTIMATE_WORDS_BYTES = 840, INTERVAL_WORDS_BYTES = 80 };

/* With how many decimals the estimate and its interval stand beside the margin that they are held
 * against: 1, or as many as tell them from it. The outcome was tested. */
int estimate_decimals(const struct step_outcome *outcome);

/* "+4.6 %, 95 % interval +3.1..+6.2 %" into the buffer of INTERVAL_WORDS_BYTES.
 * The outcome was tested. */
const char *interval_words(const struct step_outcome *outcome, char *buffer);

/* "the rule estimates +4.6 %, 95 % interval +3.1..+6.2 %, p = 0.0002 of 4 pairs" into the buffer of
 * ESTIMATE_WORDS_BYTES, behind it what it knows and the medians do not where the two are farther
 * apart than matters. p, of a loss, only where with_p. */
const char *estimate_words(const struct gate_state *judgement, const struct step_outcome *outcome,
                           bool with_p, char *buffer);

/* "3 more runs of the candidate, or num_steps >= 10, would show a loss of 2.0 % 80 times of 100"
 * into the buffer of ESTIMATE_WORDS_BYTES: the one piece of advice where the outcome cannot be
 * told. Whoever follows it must not find another one beside it, so the sentences take it from here,
 * and those of a verdict on other things name what is, not what to do. */
const char *step_advice(const struct gate_state *judgement, const struct step_outcome *outcome,
                        char *buffer);

#endif
