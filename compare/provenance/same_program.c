/* Implements the comparison of HLO fingerprints. */
#include "compare/provenance/same_program.h"

#include <string.h>

/* Not every device counts the runs of programs: where none is counted, all that the file holds are
 * taken to have run. */
static bool runs_are_counted(const struct environment *environment)
{
    for (size_t i = 0; i < environment->program_count; i++) {
        if (environment->programs[i].run_count > 0)
            return true;
    }
    return false;
}

static bool has_fingerprint(const struct environment *environment, const char *fingerprint)
{
    bool counted = runs_are_counted(environment);
    for (size_t i = 0; i < environment->program_count; i++) {
        const struct hlo_program *program = &environment->programs[i];
        if (program->fingerprint != NULL && (program->run_count > 0 || !counted) &&
            strcmp(program->fingerprint, fingerprint) == 0)
            return true;
    }
    return false;
}

/* Every program that a ran is one that b ran; false when a fingerprint is not known. */
static bool programs_within(const struct environment *a, const struct environment *b)
{
    size_t ran = 0;
    bool counted = runs_are_counted(a);
    for (size_t i = 0; i < a->program_count; i++) {
        const struct hlo_program *program = &a->programs[i];
        if (program->run_count <= 0 && counted)
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

bool same_program(struct gate_state *judgement)
{
    const struct environment *first =
        &judgement->candidate.items[0].profiles[0]->summary->environment;
    return judgement->recent.count > 0 && runs_equal(&judgement->candidate, first) &&
           runs_equal(&judgement->recent, first);
}
