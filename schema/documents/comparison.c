/* The JSON form of a comparison, as tables of members. */
#include "schema/documents/comparison.h"

static const struct member checks_members[] = {
    M_FIELDS(provenance_checks, status, messages),
    M_FIELDS_NULLABLE(provenance_checks, before_trace_sha256, after_trace_sha256, before_run_id,
                      after_run_id),
};
static const struct record checks_record = RECORD_OF(provenance_checks, checks_members);

static const struct member step_time_members[] = {
    M_FIELDS_NULLABLE(step_time_delta, steady_state_median_before, steady_state_median_after,
                      steady_state_median_delta, steady_state_p90_before, steady_state_p90_after,
                      steady_state_p90_delta),
};
static const struct record step_time_record = RECORD_OF(step_time_delta, step_time_members);

static const struct member class_row_members[] = {
    M_FIELDS(step_class_row, name, count, fraction_of_steady),
    M_FIELDS_NULLABLE(step_class_row, median_duration, p90_duration, representative_step,
                      representative_duration, periodicity),
};
static const struct record class_row_record = RECORD_OF(step_class_row, class_row_members);

static const struct member class_delta_members[] = {
    M_FIELDS(step_class_delta, name, before_count, after_count, before_fraction, after_fraction),
    M_FIELDS_NULLABLE(step_class_delta, median_before, median_after, median_delta,
                      median_regression_pct),
};
static const struct record class_delta_record = RECORD_OF(step_class_delta, class_delta_members);

static const struct member classes_members[] = {
    M_LIST("before", step_classes, before, before_count, step_class_row, class_row_record),
    M_LIST("after", step_classes, after, after_count, step_class_row, class_row_record),
    M_LIST("delta", step_classes, delta, delta_count, step_class_delta, class_delta_record),
};
static const struct record classes_record = RECORD_OF(step_classes, classes_members);

static const struct member share_members[] = {
    M_FIELDS_NULLABLE(share_delta, compute, communication, host, stall, other),
};
static const struct record share_record = RECORD_OF(share_delta, share_members);

static const struct member family_members[] = {
    M_FIELDS(family_delta, family, before_exclusive_duration, after_exclusive_duration,
             exclusive_duration_delta),
    M_FIELDS_NULLABLE(family_delta, exclusive_regression_pct, before_flop_proxy_total,
                      after_flop_proxy_total, flop_proxy_ratio, before_time_per_flop_proxy,
                      after_time_per_flop_proxy, time_per_flop_regression_pct, time_ratio,
                      work_ratio, efficiency_ratio, example_before, example_after,
                      shape_signature_before, shape_signature_after),
};
static const struct record family_record = RECORD_OF(family_delta, family_members);

static const struct member op_members[] = {
    M_FIELDS(op_delta, name, before, after, delta),
};
static const struct record op_record = RECORD_OF(op_delta, op_members);

static const struct member unlisted_members[] = {
    M_FIELDS(unlisted_op, name, side, at_most),
};
static const struct record unlisted_record = RECORD_OF(unlisted_op, unlisted_members);

static const struct member memory_row_members[] = {
    M_TEXT(memory_delta_row, kind),        M_TEXT(memory_delta_row, source),
    M_TEXT(memory_delta_row, function),    M_INT(memory_delta_row, before_bytes),
    M_INT(memory_delta_row, after_bytes),  M_INT(memory_delta_row, delta_bytes),
    M_INT(memory_delta_row, before_count), M_INT(memory_delta_row, after_count),
};
static const struct record memory_row_record = RECORD_OF(memory_delta_row, memory_row_members);

static const struct member memory_share_members[] = {
    M_FIELDS(memory_delta_share, name, before_bytes, after_bytes, delta_bytes),
};
static const struct record memory_share_record =
    RECORD_OF(memory_delta_share, memory_share_members);

static const struct member memory_members[] = {
    M_FIELDS(memory_delta, before_bytes, after_bytes, delta_bytes, before_unknown_count,
             after_unknown_count),
    M_LIST("devices", memory_delta, devices, device_count, memory_delta_share, memory_share_record),
    M_LIST("allocations", memory_delta, allocations, allocation_count, memory_delta_row,
           memory_row_record),
};
static const struct record memory_record = RECORD_OF(memory_delta, memory_members);

static const struct member comparison_members[] = {
    M_FIELDS(comparison, before_source, after_source),
    M_RECORD("provenance_checks", comparison, provenance_checks, provenance_checks, checks_record),
    M_RECORD("step_time", comparison, step_time, step_time_delta, step_time_record),
    M_RECORD("step_classes", comparison, step_classes, step_classes, classes_record),
    M_RECORD("time_breakdown_share_delta", comparison, time_breakdown_share_delta, share_delta,
             share_record),
    M_LIST("semantic_family_delta", comparison, semantic_family_delta, semantic_family_delta_count,
           family_delta, family_record),
    M_LIST("regressed_ops", comparison, regressed_ops, regressed_op_count, op_delta, op_record),
    M_LIST("improved_ops", comparison, improved_ops, improved_op_count, op_delta, op_record),
    M_RECORD("memory", comparison, memory, memory_delta, memory_record, M_OPTIONAL,
             .flag_offset = offsetof(struct comparison, has_memory)),
    M_TEXTS(comparison, notes, M_OPTIONAL, .flag_offset = offsetof(struct comparison, has_notes)),
    M_LIST("unlisted_ops", comparison, unlisted_ops, unlisted_op_count, unlisted_op,
           unlisted_record, M_OPTIONAL, .flag_offset = offsetof(struct comparison, has_notes)),
};
const struct record comparison_record = RECORD_OF(comparison, comparison_members);

json_t *comparison_to_json(const struct comparison *comparison)
{
    return record_to_json(&comparison_record, comparison);
}
