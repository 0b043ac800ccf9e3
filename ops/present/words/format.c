/* Implements values that may be absent. */
#include "ops/present/words/format.h"

#include <stdio.h>

const char *format_scaled(struct duration_scale scale, struct opt_f64 us, bool with_sign,
                          char *buffer)
{
    if (us.set)
        return format_in_scale(scale, us.value, with_sign, buffer);
    (void)snprintf(buffer, FORMAT_BYTES, "-");
    return buffer;
}
