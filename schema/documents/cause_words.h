/* What made the step longer or shorter, in words that stand behind its numbers. */
#ifndef SCHEMA_DOCUMENTS_CAUSE_WORDS_H
#define SCHEMA_DOCUMENTS_CAUSE_WORDS_H

#include "schema/documents/verdict.h"

/* The medians' change, the rule's estimate and the ops' change are figures of their own: where they
 * are so far apart that they could not be taken for one, a sentence says which it gives. */
#define ESTIMATES_APART_PCT 0.5

/* "fusion.12 (layers/mlp/dot_general) +30 ms/step, 81 % of the loss". */
const char *verdict_cause_words(const struct verdict *verdict, struct arena *arena);

#endif
