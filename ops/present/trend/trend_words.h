/* How a trend's values and the verdicts on its runs are shown. */
#ifndef OPS_PRESENT_TREND_TREND_WORDS_H
#define OPS_PRESENT_TREND_TREND_WORDS_H

#include "ops/present/picture/picture.h"
#include "schema/documents/trend.h"

/* A value of the trend with its unit: "412.3 ms", "12.3 %". Writes FORMAT_BYTES at most; returns
 * buffer. */
const char *trend_value(const struct trend *trend, double value, char *buffer);

/* The tone of the word of a verdict, NULL = never judged; an accepted one is good. */
enum tone verdict_tone(const char *verdict, bool accepted);

/* The mark of such a run in a picture. */
enum series_mark verdict_mark(const char *verdict, bool accepted);

#endif
