/* Values of a page that may be absent: "-" then. How numbers look says ops/runtime/text.h.
 */
#ifndef OPS_PRESENT_WORDS_FORMAT_H
#define OPS_PRESENT_WORDS_FORMAT_H

#include "ops/runtime/text.h"
#include "schema/documents/optional.h"

/* format_in_scale of a value that may be absent. */
const char *format_scaled(struct duration_scale scale, struct opt_f64 us, bool with_sign,
                          char *buffer);

#endif
