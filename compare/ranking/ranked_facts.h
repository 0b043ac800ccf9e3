/* What runs side by side differ in. Internal to compare/. */
#ifndef COMPARE_RANKING_RANKED_FACTS_H
#define COMPARE_RANKING_RANKED_FACTS_H

#include "ops/runtime/arena.h"
#include "schema/documents/ranking.h"

/* The captures of a run, in the order in which they were named: what one does not tell, the next
 * may. */
struct ranked_captures {
    const struct summary **items;
    size_t count;
};

/* Fills the differences of runs[count], whose captures are captures[count]: commits, branches and
 * labels, and facts of their environments by name. One that only some tell is told, too. Lists of
 * flags are told apart flag by flag. */
void ranked_differences_fill(struct ranked_run *runs, const struct ranked_captures *captures,
                             size_t count, struct arena *arena);

#endif
