/* Implements the pairing of runs: the i-th run that the input names on each side. */
#include "compare/runs/pairs.h"

#include "compare/provenance/provenance.h"
#include "compare/runs/runs.h"

#include <string.h>

/* true when an earlier profile of the side is of the same run. */
static bool is_repeated(const struct gate_side *side, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (strcmp(gate_run_id(&side->profiles[i]), gate_run_id(&side->profiles[index])) == 0)
            return true;
    }
    return false;
}

/* The id of the n-th run of the side, in the order of its profiles; NULL: it has fewer. */
static const char *run_of(const struct gate_side *side, size_t n)
{
    for (size_t i = 0; i < side->profile_count; i++) {
        if (!is_repeated(side, i) && n-- == 0)
            return gate_run_id(&side->profiles[i]);
    }
    return NULL;
}

/* NULL: it takes no part. */
static const struct gate_run *run_find(const struct gate_runs *runs, const char *id)
{
    for (size_t i = 0; id != NULL && i < runs->count; i++) {
        if (strcmp(runs->items[i].id, id) == 0)
            return &runs->items[i];
    }
    return NULL;
}

void pairs_align(struct gate_state *judgement)
{
    const struct gate_input *input = judgement->input;
    size_t most = judgement->baseline.count;
    struct gate_runs before = {arena_array(judgement->arena, struct gate_run, most), 0};
    struct gate_runs after = {arena_array(judgement->arena, struct gate_run, most), 0};
    for (size_t i = 0;; i++) {
        const char *left = run_of(&input->baseline, i), *right = run_of(&input->candidate, i);
        if (left == NULL || right == NULL)
            break;
        const struct gate_run *a = run_find(&judgement->baseline, left);
        const struct gate_run *b = run_find(&judgement->candidate, right);
        if (a != NULL && b != NULL) {
            before.items[before.count++] = *a;
            after.items[after.count++] = *b;
        } else if (a != NULL || b != NULL) {
            message_add(judgement, "Run %s is left out with its partner %s.",
                        a != NULL ? left : right, a != NULL ? right : left);
        }
    }
    judgement->paired = before.count > 0;
    judgement->verdict->paired = judgement->paired;
    if (!judgement->paired)
        return;
    judgement->baseline = before;
    judgement->candidate = after;
    runs_recent(judgement);
}
