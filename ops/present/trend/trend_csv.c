/* Prints a trend as CSV (RFC 4180). */
#include "ops/present/words/words.h"
#include "ops/present/trend/courses_page.h"
#include "ops/present/trend/trend_page.h"

bool trend_csv(const struct trend *trend, struct text *out, struct err *err)
{
    if (trend->grouped_by != NULL)
        return courses_csv(trend, out, err);
    text_add(out, "recorded_at_utc,profile,run,series,branch,commit,measure,unit,value,verdict,"
                  "verdict_id,accepted,rebaseline,change_point,archived,outlier,"
                  "ran_at_utc,captured");
    for (size_t i = 0; i < trend->point_count; i++) {
        const struct trend_point *point = &trend->points[i];
        char number[TEXT_DOUBLE_BYTES];
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
        };
        csv_row_add(fields, sizeof fields / sizeof *fields, out);
    }
    return text_ok(out, "the trend", err);
}
