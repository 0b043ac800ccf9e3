/* What the figures of a comparison do not tell, beside the reference's document: of summaries that
 * other tools wrote there is nothing to say, as they do not tell what they left out.
 */
#ifndef COMPARE_REFERENCE_COMPARISON_NOTES_H
#define COMPARE_REFERENCE_COMPARISON_NOTES_H

#include "schema/documents/comparison.h"
#include "schema/documents/summary.h"

/* The exclusive time, in µs, that an op which the summary does not list took at most: that of the
 * last one listed. Absent where all ops are listed, or nothing is known. */
struct opt_f64 unlisted_op_most(const struct summary *summary);

/* Fills has_notes, notes and unlisted_ops of a comparison that is made. ERR_LIMIT beyond the
 * budget. */
bool comparison_notes_make(const struct summary *before, const struct summary *after,
                           struct arena *arena, struct comparison *comparison, struct err *err);

#endif
