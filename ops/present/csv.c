/* Implements the fields of CSV. */
#include "ops/present/csv.h"

#include <string.h>

void csv_field_add(const char *value, struct text *out)
{
    if (value == NULL)
        return;
    bool formula = value[0] != '\0' && strchr("=+-@\t\r", value[0]) != NULL;
    if (!formula && strpbrk(value, ",\"\r\n") == NULL) {
        text_add(out, value);
        return;
    }
    text_add(out, formula ? "\"'" : "\"");
    for (const char *p = value; *p != '\0'; p++)
        text_add(out, *p == '"' ? "\"\"" : (const char[]){*p, '\0'});
    text_addc(out, '"');
}
