/* Implements the comparison of HLO fingerprints. */
#include "compare/same_program.h"

#include <string.h>

static bool has_fingerprint(const struct environment *environment, const char *fingerprint)
{
    for (size_t i = 0; i < environment->program_count; i++) {
        const char *held = environment->programs[i].fingerprint;
        if (held != NULL && environment->programs[i].run_count > 0 &&
            strcmp(held, fingerprint) == 0)
            return true;
    }
    return false;
}

/* Every program that a ran is one that b ran; false when a fingerprint is not known. */
static bool programs_within(const struct environment *a, const struct environment *b)
{
    size_t ran = 0;
    for (size_t i = 0; i < a->program_count; i++) {
        const struct hlo_program *program = &a->programs[i];
        if (program->run_count <= 0)
            continue;
        ran++;
        if (program->fingerprint == NULL || !has_fingerprint(b, program->fingerprint))
            return false;
    }
    return ran > 0;
}

static bool runs_equal(const struct gate_runs *runs, const struct environment *first)
{
    for (size_t i = 0; i < runs->count; i++) {
        for (size_t j = 0; j < runs->items[i].profile_count; j++) {
            const struct environment *other = &runs->items[i].profiles[j]->summary->environment;
            if (!programs_within(first, other) || !programs_within(other, first))
                return false;
        }
    }
    return true;
}

bool same_program(struct judgement *judgement)
{
    const struct environment *first =
        &judgement->candidate.items[0].profiles[0]->summary->environment;
    return runs_equal(&judgement->candidate, first) && runs_equal(&judgement->baseline, first);
}
