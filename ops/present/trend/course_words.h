/* What moved, in words: the same sentences in trends, reports and messages. Stays in its room. */
#ifndef OPS_PRESENT_TREND_COURSE_WORDS_H
#define OPS_PRESENT_TREND_COURSE_WORDS_H

#include "ops/present/page/page.h"
#include "schema/documents/course.h"

enum { COURSE_SENTENCE_BYTES = 2000 };

/* "+5.0 %: 100.0 ms -> 105.0 ms, behind 1a2b3c4 (p79), at the latest with 5d6e7f8 (p81),
 * 2026-03-20". Replaces the text. */
void course_change_words(const struct course *course, const struct course_change *change,
                         struct text *out);

/* "+6.0 % slowly from 2026-01-01 to 2026-12-31 (p1..p365), +0.5 % a month". */
void course_drift_words(const struct course *course, const struct course_drift *drift,
                        struct text *out);

/* "noisy: a single run may be off by 7.1 %"; "" when it is not known. */
void course_noise_words(const struct course *course, struct text *out);

/* Suspected and of a size that matters, by nobody withdrawn. */
bool course_change_is_suspected(const struct course_change *change);

/* Of what is said of a loss, or of a gain. */
enum tone course_tone(bool loss);

/* One item for each change and drift of the course that is to be spoken of; label stands before
 * each (NULL = "change" and "drift"). Returns how many. */
size_t course_items_add(const struct course *course, const char *label, struct page *page);

/* Least to greatest value of the course in one line. */
void course_sparkline(const struct course *course, size_t columns, struct text *out);

#endif
