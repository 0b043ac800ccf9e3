/* Implements the words of a trend's values and verdicts. */
#include "ops/present/trend/trend_words.h"

#include "ops/runtime/text.h"
#include "schema/documents/measures.h"

#include <stdio.h>
#include <string.h>

enum { VALUE_DIGITS = 5 };

const char *trend_value(const struct trend *trend, double value, char *buffer)
{
    if (strcmp(trend->unit, "us") == 0)
        return format_duration(value, VALUE_DIGITS, buffer);
    if (strcmp(trend->unit, "share") == 0)
        return format_share(value, buffer);
    if (strcmp(trend->unit, "bytes") == 0 || strcmp(trend->unit, "per_s") == 0)
        return measure_text(trend->unit, value, false, buffer);
    (void)snprintf(buffer, FORMAT_BYTES, "%.6g", value);
    return buffer;
}

enum tone verdict_tone(const char *verdict, bool accepted)
{
    static const struct {
        const char *verdict;
        enum tone tone;
    } tones[] = {{"pass", TONE_GOOD},
                 {"warn", TONE_WARN},
                 {"fail", TONE_BAD},
                 {"inconclusive", TONE_WARN},
                 {"incomparable", TONE_WARN}};
    if (accepted)
        return TONE_GOOD;
    for (size_t i = 0; verdict != NULL && i < sizeof tones / sizeof *tones; i++) {
        if (strcmp(tones[i].verdict, verdict) == 0)
            return tones[i].tone;
    }
    return TONE_PLAIN;
}

enum series_mark verdict_mark(const char *verdict, bool accepted)
{
    static const enum series_mark marks[TONE_COUNT] = {
        [TONE_GOOD] = SERIES_PASSED, [TONE_WARN] = SERIES_WARNED, [TONE_BAD] = SERIES_FAILED};
    return marks[verdict_tone(verdict, accepted)];
}
