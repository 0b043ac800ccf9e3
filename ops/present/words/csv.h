/* Fields of CSV (RFC 4180). */
#ifndef OPS_PRESENT_WORDS_CSV_H
#define OPS_PRESENT_WORDS_CSV_H

#include "ops/runtime/text.h"

/* Appends a field in HARMLESS_LINE, quoted where it must be; nothing for NULL. Names come from
 * people: a spreadsheet must not run them as formulas, so what begins with `=`, `+`, `-`, `@` (wide
 * ones too) and is no number gets an apostrophe before it, as OWASP advises against CSV injection.
 * So does what follows a semicolon: where the comma stands in numbers, spreadsheets part cells
 * there, whatever is quoted. */
void csv_field_add(const char *value, struct text *out);

/* Appends a row behind the head or another row: its line break, and the fields. */
void csv_row_add(const char *const *fields, size_t count, struct text *out);

#endif
