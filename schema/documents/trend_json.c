/* The JSON form of a trend. */
#include "schema/documents/trend.h"

#include "schema/documents/record.h"

#include <string.h>

static const struct member point_members[] = {
    M_FIELDS(trend_point, profile_id, run, series),
    M_FIELDS_NULLABLE(trend_point, branch, commit),
    M_FIELDS(trend_point, ran_at_utc, captured, recorded_at_utc, value),
    M_FIELDS_NULLABLE(trend_point, verdict_id, verdict),
    M_BOOL(trend_point, accepted),
    M_FIELDS_NULLABLE(trend_point, rebaseline, change_point),
    M_FIELDS(trend_point, outlier, archived),
};
static const struct record point_record = RECORD_OF(trend_point, point_members);

static const struct member trend_members[] = {
    M_FIELDS(trend, schema_version, project),
    M_FIELDS_NULLABLE(trend, workload, branch, branch_why, policy, measure, unit, grouped_by),
    M_LIST("points", trend, points, point_count, trend_point, point_record),
    M_LIST("courses", trend, courses, course_count, course, course_record),
    M_RECORD("mfu", trend, mfu, report_mfu, report_mfu_record, M_NULLABLE,
             .flag_offset = offsetof(struct trend, has_mfu)),
    M_RECORD("newest_change", trend, newest, report_change, report_made_of_record, M_NULLABLE,
             .flag_offset = offsetof(struct trend, has_newest)),
};
const struct record trend_record = RECORD_OF(trend, trend_members);

int run_order_compare(struct run_order a, struct run_order b)
{
    int by_time = (a.ran_us > b.ran_us) - (a.ran_us < b.ran_us);
    return by_time != 0 ? by_time : (a.place > b.place) - (a.place < b.place);
}

size_t trend_point_find(const struct trend *trend, const char *profile)
{
    size_t i = 0;
    while (i < trend->point_count && strcmp(trend->points[i].profile_id, profile) != 0)
        i++;
    return i;
}

static bool begins(const char *before, const char *after)
{
    return after != NULL && (before == NULL || strcmp(before, after) != 0);
}

const char *trend_level_start(const struct trend *trend, size_t index)
{
    if (index == 0)
        return NULL;
    const struct trend_point *before = &trend->points[index - 1], *after = &trend->points[index];
    if (begins(before->series, after->series))
        return after->series;
    if (begins(before->rebaseline, after->rebaseline))
        return after->rebaseline;
    return begins(before->change_point, after->change_point) ? after->change_point : NULL;
}

json_t *trend_to_json(const struct trend *trend)
{
    return record_to_json(&trend_record, trend);
}
