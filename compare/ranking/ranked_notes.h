/* What figures of runs side by side do not have in common. Internal to compare/. */
#ifndef COMPARE_RANKING_RANKED_NOTES_H
#define COMPARE_RANKING_RANKED_NOTES_H

#include "ops/runtime/arena.h"
#include "schema/documents/ranking.h"

/* Notes on each group: figures that are not made of the same, and that another order of its runs
 * would put another first. */
void ranked_notes_fill(struct ranking *ranking, struct arena *arena);

#endif
