/* Shape signatures: what the text of an HLO instruction says about array shapes
 * (profile_summary.v1 §8).
 *
 * Hand-written matchers, equal to the reference's expressions; linear in the text, also for texts
 * made to be slow.
 */
#ifndef INGEST_HLO_SHAPE_H
#define INGEST_HLO_SHAPE_H

#include "ops/runtime/text.h"

/* Writes the signature ("1024,512|512") of a text to out; nothing when it has none. */
void shape_signature(const char *text, size_t length, struct text *out);

#endif
