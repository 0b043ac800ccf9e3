/* The JSON form of a canary's report. */
#include "schema/documents/canary.h"

#include "schema/documents/record.h"

static const struct member row_members[] = {
    M_NUMBER(canary_row, effect_pct),   M_NUMBER(canary_row, fail),
    M_NUMBER(canary_row, warn),         M_NUMBER(canary_row, pass),
    M_NUMBER(canary_row, inconclusive), M_NUMBER(canary_row, incomparable),
    M_NUMBER(canary_row, fail_low),     M_NUMBER(canary_row, fail_high),
};
static const struct record row_record = RECORD_OF(canary_row, row_members);

static const struct member report_members[] = {
    M_FIELDS(canary_report, schema_version, project, workload),
    M_FIELDS_NULLABLE(canary_report, series, branch, policy_sha256),
    M_FIELDS(canary_report, run_count, apart_count, runs_a_side, window_count, disjoint_count,
             crossing_count, level_count),
    M_OPT_NUMBER(canary_report, drift_pct, M_NULLABLE),
    M_LIST("rows", canary_report, rows, row_count, canary_row, row_record),
};
const struct record canary_record = RECORD_OF(canary_report, report_members);

json_t *canary_to_json(const struct canary_report *report)
{
    return record_to_json(&canary_record, report);
}
