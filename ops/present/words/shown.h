/* Texts made fit for the room there is: how many columns they take, what is cut. What is never
 * printed is text_harmless.h's. */
#ifndef OPS_PRESENT_WORDS_SHOWN_H
#define OPS_PRESENT_WORDS_SHOWN_H

#include "ops/runtime/arena.h"
#include "ops/runtime/text.h"

#include <stddef.h>

/* Columns of a terminal that valid UTF-8 takes: wide East Asian characters and emoji two, combining
 * marks none. */
size_t shown_columns(const char *text);

/* A copy of at most `columns` columns (at least 1); what is cut is replaced by `…` in the middle,
 * because names of ops differ at both ends. */
char *shown_cut(struct arena *arena, const char *text, size_t columns);

/* As shown_cut, but what is cut stands at the start: paths differ at their end. */
char *shown_cut_start(struct arena *arena, const char *text, size_t columns);

/* Takes back characters of the set at the end of what was printed. */
void shown_trim_end(struct text *out, const char *set);

#endif
