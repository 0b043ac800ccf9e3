/* Implements the fields of CSV. */
#include "ops/present/words/csv.h"

#include "ops/runtime/text_harmless.h"

#include <string.h>

/* Whether a cell that begins here is a formula; spreadsheets pass over blanks and quotes. */
static bool starts_formula(const char *cell)
{
    static const char *const marks[] = {"=", "+", "-", "@", "＝", "＋", "－", "＠"};
    cell += strspn(cell, " \"");
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (strncmp(cell, marks[i], strlen(marks[i])) == 0)
            return true;
    }
    return false;
}

void csv_field_add(const char *value, struct text *out)
{
    double number;
    scoped_text line;
    text_init(&line, SIZE_MAX); /* first: what is never begun is released all the same */
    if (value == NULL)
        return;
    harmless_add(&line, HARMLESS_LINE, value);
    const char *p = text_string(&line);
    bool is_formula = starts_formula(p) && !text_parse_double(p, &number);
    bool is_quoted = is_formula || strpbrk(p, ",;\"") != NULL;
    text_add(out, is_quoted ? "\"" : "");
    text_add(out, is_formula ? "'" : "");
    for (; *p != '\0'; p++) {
        text_add(out, *p == '"' ? "\"" : "");
        text_addc(out, *p);
        text_add(out, *p == ';' && starts_formula(p + 1) ? "'" : "");
    }
    text_add(out, is_quoted ? "\"" : "");
    text_fail_as(out, &line);
}

void csv_row_add(const char *const *fields, size_t count, struct text *out)
{
    for (size_t i = 0; i < count; i++) {
        text_add(out, i == 0 ? "\r\n" : ",");
        csv_field_add(fields[i], out);
    }
}
