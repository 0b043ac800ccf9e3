/* Which steps two sides have in common.
 *
 * A summary holds its steps by each method that its file allowed. Times of different methods are no
 * times of one thing, nor are runs of different programs: a judgement is made of one method, the
 * one that all profiles of the candidate and most of the baseline have, of equally many the best. A
 * profile is then seen by it: as a copy of its summary whose `steps` are of that method. Where
 * those are not the steps that its op figures are of, the copy has no ops and no idle time.
 */
#ifndef COMPARE_JUDGEMENT_STEP_METHODS_H
#define COMPARE_JUDGEMENT_STEP_METHODS_H

#include "compare/judgement/gate_input.h"

/* The best method that both have; STEPS_NONE when there is none. */
enum step_method step_method_common(const struct summary *a, const struct summary *b);

struct step_choice {
    struct gate_input input; /* that of the caller, seen by the method */
    const char *method_text; /* a sentence, where it is not what all profiles have first; or NULL */
    const char *warmup_text; /* a sentence, where the policy fixes warm-up against what was read, or
                                where nothing fixes it for all */
};

/* Chooses, and applies the policy's fixed number of warm-up steps. */
void step_choice_make(const struct gate_input *input, const struct gate_policy *policy,
                      struct arena *arena, struct step_choice *ret_choice);

#endif
