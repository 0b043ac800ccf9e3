/* What the rule on step time allows for, in words: how the candidate's runs differ, and what runs
 * have in common. Internal to compare/. */
#ifndef COMPARE_STEPS_NOISE_WORDS_H
#define COMPARE_STEPS_NOISE_WORDS_H

#include "compare/steps/step_rule.h"

/* The candidate's steps differ more than past ones by what is worth a word. */
bool is_wider_by_its_steps(const struct gate_state *judgement);

/* Adds a reason for each kind of noise that is likely there; none where nothing was tested. */
void noise_reasons(struct gate_state *judgement, const struct step_outcome *outcome);

#endif
