/* Fields of CSV (RFC 4180). */
#ifndef OPS_PRESENT_CSV_H
#define OPS_PRESENT_CSV_H

#include "ops/runtime/text.h"

/* Appends a field, quoted where it must be; nothing for NULL. Names come from people: a spreadsheet
 * must not run them as formulas. */
void csv_field_add(const char *value, struct text *out);

#endif
