/* change_points.v1 as a table of members. */
#include "schema/documents/change_points.h"

static const char *const tiers[CHANGE_TIER_COUNT] = {
    [CHANGE_SUSPECTED] = "suspected",
    [CHANGE_CONFIRMED] = "confirmed",
};

static const struct member point_members[] = {
    M_FIELDS(change_point, index, first, last),
    M_CHOICE(change_point, tier, enum change_tier, tiers, CHANGE_TIER_COUNT),
    M_FIELDS(change_point, before, after, confidence),
};
static const struct record point_record = RECORD_OF(change_point, point_members);

static const struct member report_members[] = {
    M_TEXT(change_report, schema_version),
    M_TEXT(change_report, source, M_NULLABLE),
    M_FIELDS(change_report, value_count, missing_count, noise_sd, noise_correlation, drift,
             level_min_count),
    M_LIST("change_points", change_report, change_points, change_point_count, change_point,
           point_record),
};
const struct record change_report_record = RECORD_OF(change_report, report_members);

json_t *change_report_to_json(const struct change_report *report)
{
    return record_to_json(&change_report_record, report);
}
