/* What a verdict says to people in one line, the same on a page, in a message and in an annotation.
 */
#ifndef SCHEMA_DOCUMENTS_VERDICT_WORDS_H
#define SCHEMA_DOCUMENTS_VERDICT_WORDS_H

#include "schema/documents/verdict.h"

/* PASS, WARN, FAIL, ... */
extern const char *const verdict_status_words[VERDICT_STATUS_COUNT];

/* What stands before the words of people about a verdict (verdict.accepted, verdict.beyond,
 * verdict.based_on_retracted). */
#define VERDICT_WORDS_ACCEPTED "Accepted, and no longer in the way: "
#define VERDICT_WORDS_BEYOND "More than was accepted: "
#define VERDICT_WORDS_RETRACTED "Based on a retracted profile: "

/* The one sentence that a person can act on, without the status: "step time 412.3 ms -> 431.9 ms
 * (+4.8 %): fusion.7 (attention/softmax) +18.9 ms/step". Names are cut, but hold what a profile
 * holds: who shows it makes it clean. */
const char *verdict_sentence(const struct verdict *verdict, struct arena *arena);

/* What managers read first, behind the sentence: "MFU 39.8 % (was 41.2 %, -1.4 pp), tokens per
 * device 2710/s (was 2805/s, -95.0/s)"; "" where no side tells any, or where sides must not be
 * compared. */
const char *verdict_efficiency(const struct verdict *verdict, struct arena *arena);

/* What lies between the steps decided, or some of them: their median, and its cause, say nothing of
 * it. */
bool verdict_median_is_aside(const struct verdict *verdict);

/* Step time cannot be told, and something that is sure by itself warns: who wants to hear of
 * warnings hears of this one too. */
bool verdict_warns_beside(const struct verdict *verdict);

#endif
