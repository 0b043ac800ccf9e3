/* A checker of documents that people read: every pair of numbers in them, its percentage, and
 * whether they are those of the verdict.
 *
 * It reads the print, not the program: text, Markdown, HTML, XML, workflow commands and messages
 * are brought to one plain line first.
 */
#ifndef TESTS_SUPPORT_SHOWN_NUMBERS_H
#define TESTS_SUPPORT_SHOWN_NUMBERS_H

#include "ops/runtime/text.h"
#include "schema/documents/verdict.h"

#include <stddef.h>

enum { SHOWN_WHY_BYTES = 400 };

struct shown_count {
    size_t pairs, rows, shares, estimates; /* how many were found and checked */
};

/* true: nothing in the document contradicts itself or the verdict. Else why[SHOWN_WHY_BYTES] says
 * what does. Adds to *count. */
bool shown_numbers_agree(const struct verdict *verdict, const char *document,
                         struct shown_count *count, char *why);

/* Appends a page without its pictures: their axes are rows of numbers that mean nothing as such.
 * What is drawn has tests of its own. */
void shown_without_pictures(const struct text *html, struct text *out);

#endif
