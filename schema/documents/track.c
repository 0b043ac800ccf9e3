/* The JSON form of a track record, as tables of members. */
#include "schema/documents/track.h"

static const struct member metrics_members[] = {
    M_FIELDS_NULLABLE(track_metrics, steady_state_median_regression_pct,
                      steady_state_p90_regression_pct),
    M_FIELDS(track_metrics, communication_share_delta, stall_share_delta),
};
static const struct record metrics_record = RECORD_OF(track_metrics, metrics_members);

static const struct member assessment_members[] = {
    M_FIELDS(track_assessment, status, failures, warnings),
    M_RECORD("metrics", track_assessment, metrics, track_metrics, metrics_record),
    M_RECORD("comparison", track_assessment, comparison, comparison, comparison_record),
};
static const struct record assessment_record = RECORD_OF(track_assessment, assessment_members);

static const struct member side_members[] = {
    M_FIELDS_NULLABLE(track_side, source_path, run_path, run_id, artifact_ref),
};
static const struct record side_record = RECORD_OF(track_side, side_members);

static const struct member record_members[] = {
    M_TEXT(track_record, recorded_at_utc),
    M_TEXT(track_record, label, M_NULLABLE),
    M_RECORD("before", track_record, before, track_side, side_record),
    M_RECORD("after", track_record, after, track_side, side_record),
    M_RECORD("assessment", track_record, assessment, track_assessment, assessment_record),
};
const struct record track_record_record = RECORD_OF(track_record, record_members);

json_t *track_record_to_json(const struct track_record *record)
{
    return record_to_json(&track_record_record, record);
}
