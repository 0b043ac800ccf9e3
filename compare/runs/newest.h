/* The newest past runs where they may be a level of their own and too few show it: what they alone
 * make of the candidate, and what the runs before them do, is asked beside the verdict
 * (step_rule.c) and told. Internal to compare/. */
#ifndef COMPARE_RUNS_NEWEST_H
#define COMPARE_RUNS_NEWEST_H

#include "compare/judgement/judgement.h"

/* Makes newest_timeline of the timeline: the past runs from the number `first` on, `count` of them,
 * are the baseline, and those before them, but those that are gone ([timeline_count]; NULL: none
 * is), tell only how runs vary, as those of another baseline would. */
void newest_keep(struct gate_state *judgement, size_t first, size_t count, const bool *gone);

/* The same rows with those before them as the baseline instead, [newest_timeline_count]. */
struct placed_run *newest_before(const struct gate_state *judgement);

/* Adds the reason that says so, where they are none of the baseline's own level. alone: what they
 * make of the candidate. */
void newest_reason(struct gate_state *judgement, enum newest_alone alone);

/* What the candidate is against the runs before them, as the end of a sentence: "+5.0 %, 95 %
 * interval +4.1..+6.0 %, against the 40 runs before". "" where that is not known. Writes
 * NEWEST_WORDS_BYTES at most; returns buffer. */
enum { NEWEST_WORDS_BYTES = 160 };
const char *newest_before_words(const struct gate_state *judgement, char *buffer);

#endif
