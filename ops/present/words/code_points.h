/* How wide Unicode code points stand on a terminal. */
#ifndef OPS_PRESENT_WORDS_CODE_POINTS_H
#define OPS_PRESENT_WORDS_CODE_POINTS_H

#include <stdbool.h>
#include <stdint.h>

/* Columns of a terminal: 0, 1 or 2. */
int code_point_columns(uint32_t code_point);

#endif
