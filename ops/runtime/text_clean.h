/* Text from profiles, branches and people made fit for a message: valid UTF-8, one line, nothing
 * invisible, bounded. */
#ifndef OPS_RUNTIME_TEXT_CLEAN_H
#define OPS_RUNTIME_TEXT_CLEAN_H

#include "ops/runtime/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends at most max_chars code points of string ("…" is the last one when it was cut). Invalid
 * UTF-8 becomes U+FFFD, white space (line breaks, tabs) one blank, and control characters,
 * bidirectional controls and zero-width marks are left out, so that no name can break a line or
 * show itself as another. NULL appends `absent`. */
void clean_add(struct text *out, const char *string, size_t max_chars, const char *absent);

/* Ends a text that was cut behind `start` with "…", so that no word and no number is cut: the
 * part of a word goes, and then numbers and arrows that lost what they belong to. A word as long
 * as a name stays cut where it is. is_within: the cut fell inside a word. */
void cut_mark(struct text *out, size_t start, bool is_within);

#endif
