/* Prints a trend as CSV (RFC 4180). */
#include "ops/present/words/words.h"
#include "ops/present/trend/courses_page.h"
#include "ops/present/trend/trend_page.h"

#include <string.h>

/* The change whose new level likeliest begins with the run; NULL: none. */
static const struct course_change *change_at(const struct trend *trend, const char *profile)
{
    for (size_t i = 0; i < trend->course_count; i++)
        for (size_t k = 0; k < trend->courses[i].change_count; k++)
            if (strcmp(trend->courses[i].changes[k].at_profile, profile) == 0)
                return &trend->courses[i].changes[k];
    return NULL;
}

/* The drift that begins with the run; NULL: none. */
static const struct course_drift *drift_at(const struct trend *trend, const char *profile)
{
    for (size_t i = 0; i < trend->course_count; i++)
        for (size_t k = 0; k < trend->courses[i].drift_count; k++)
            if (strcmp(trend->courses[i].drifts[k].from_profile, profile) == 0)
                return &trend->courses[i].drifts[k];
    return NULL;
}

bool trend_csv(const struct trend *trend, struct text *out, struct err *err)
{
    if (trend->grouped_by != NULL)
        return courses_csv(trend, out, err);
    text_add(out, "recorded_at_utc,profile,run,series,branch,commit,measure,unit,value,verdict,"
                  "verdict_id,accepted,rebaseline,change_point,archived,outlier,"
                  "ran_at_utc,captured,change,change_before,change_after,change_pct,drift,"
                  "drift_pct,drift_until");
    for (size_t i = 0; i < trend->point_count; i++) {
        const struct trend_point *point = &trend->points[i];
        const struct course_change *change = change_at(trend, point->profile_id);
        const struct course_drift *drift = drift_at(trend, point->profile_id);
        char number[TEXT_DOUBLE_BYTES], before[TEXT_DOUBLE_BYTES], after[TEXT_DOUBLE_BYTES],
            percent[TEXT_DOUBLE_BYTES], slow[TEXT_DOUBLE_BYTES];
        const char *const fields[] = {
            point->recorded_at_utc,
            point->profile_id,
            point->run,
            point->series,
            point->branch,
            point->commit,
            trend->measure,
            trend->unit,
            text_double(point->value, number),
            point->verdict,
            point->verdict_id,
            point->accepted ? "yes" : "no",
            point->rebaseline,
            point->change_point,
            point->archived ? "yes" : "no",
            point->outlier ? "yes" : "no",
            point->ran_at_utc,
            point->captured ? "yes" : "no",
            change != NULL ? change->tier : "",
            change != NULL ? text_double(change->before, before) : "",
            change != NULL ? text_double(change->after, after) : "",
            change != NULL && change->change_pct.set
                ? text_double(change->change_pct.value, percent)
                : "",
            drift != NULL ? drift->tier : "",
            drift != NULL && drift->change_pct.set ? text_double(drift->change_pct.value, slow)
                                                   : "",
            drift != NULL ? drift->until_profile : "",
        };
        csv_row_add(fields, sizeof fields / sizeof *fields, out);
    }
    return text_ok(out, "the trend", err);
}
