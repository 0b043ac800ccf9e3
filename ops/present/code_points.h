/* Classes of Unicode code points that presentation needs: display width, and what is
 * never shown. */
#ifndef OPS_PRESENT_CODE_POINTS_H
#define OPS_PRESENT_CODE_POINTS_H

#include <stdbool.h>
#include <stdint.h>

/* Columns of a terminal: 0, 1 or 2. */
int code_point_columns(uint32_t code_point);

/* Control characters (C0, DEL, C1) and marks that turn the direction of text: never shown. */
bool code_point_is_hidden(uint32_t code_point);

#endif
