/* The JSON form of a comparison, as tables of members. */
#include "schema/documents/comparison.h"

static const struct member checks_members[] = {
    M_TEXT(provenance_checks, status),
    M_TEXTS(provenance_checks, messages),
    M_TEXT(provenance_checks, before_trace_sha256, M_NULLABLE),
    M_TEXT(provenance_checks, after_trace_sha256, M_NULLABLE),
    M_TEXT(provenance_checks, before_run_id, M_NULLABLE),
    M_TEXT(provenance_checks, after_run_id, M_NULLABLE),
};
static const struct record checks_record = RECORD_OF(provenance_checks, checks_members);

static const struct member step_time_members[] = {
    M_OPT_NUMBER(step_time_delta, steady_state_median_before, M_NULLABLE),
    M_OPT_NUMBER(step_time_delta, steady_state_median_after, M_NULLABLE),
    M_OPT_NUMBER(step_time_delta, steady_state_median_delta, M_NULLABLE),
    M_OPT_NUMBER(step_time_delta, steady_state_p90_before, M_NULLABLE),
    M_OPT_NUMBER(step_time_delta, steady_state_p90_after, M_NULLABLE),
    M_OPT_NUMBER(step_time_delta, steady_state_p90_delta, M_NULLABLE),
};
static const struct record step_time_record = RECORD_OF(step_time_delta, step_time_members);

static const struct member class_row_members[] = {
    M_TEXT(step_class_row, name),
    M_INT(step_class_row, count),
    M_NUMBER(step_class_row, fraction_of_steady),
    M_OPT_NUMBER(step_class_row, median_duration, M_NULLABLE),
    M_OPT_NUMBER(step_class_row, p90_duration, M_NULLABLE),
    M_OPT_INT(step_class_row, representative_step, M_NULLABLE),
    M_OPT_NUMBER(step_class_row, representative_duration, M_NULLABLE),
    M_OPT_INT(step_class_row, periodicity, M_NULLABLE),
};
static const struct record class_row_record = RECORD_OF(step_class_row, class_row_members);

static const struct member class_delta_members[] = {
    M_TEXT(step_class_delta, name),
    M_INT(step_class_delta, before_count),
    M_INT(step_class_delta, after_count),
    M_NUMBER(step_class_delta, before_fraction),
    M_NUMBER(step_class_delta, after_fraction),
    M_OPT_NUMBER(step_class_delta, median_before, M_NULLABLE),
    M_OPT_NUMBER(step_class_delta, median_after, M_NULLABLE),
    M_OPT_NUMBER(step_class_delta, median_delta, M_NULLABLE),
    M_OPT_NUMBER(step_class_delta, median_regression_pct, M_NULLABLE),
};
static const struct record class_delta_record = RECORD_OF(step_class_delta, class_delta_members);

static const struct member classes_members[] = {
    M_LIST("before", step_classes, before, before_count, step_class_row, class_row_record),
    M_LIST("after", step_classes, after, after_count, step_class_row, class_row_record),
    M_LIST("delta", step_classes, delta, delta_count, step_class_delta, class_delta_record),
};
static const struct record classes_record = RECORD_OF(step_classes, classes_members);

static const struct member share_members[] = {
    M_OPT_NUMBER(share_delta, compute, M_NULLABLE),
    M_OPT_NUMBER(share_delta, communication, M_NULLABLE),
    M_OPT_NUMBER(share_delta, host, M_NULLABLE),
    M_OPT_NUMBER(share_delta, stall, M_NULLABLE),
    M_OPT_NUMBER(share_delta, other, M_NULLABLE),
};
static const struct record share_record = RECORD_OF(share_delta, share_members);

static const struct member family_members[] = {
    M_TEXT(family_delta, family),
    M_NUMBER(family_delta, before_exclusive_duration),
    M_NUMBER(family_delta, after_exclusive_duration),
    M_NUMBER(family_delta, exclusive_duration_delta),
    M_OPT_NUMBER(family_delta, exclusive_regression_pct, M_NULLABLE),
    M_OPT_NUMBER(family_delta, before_flop_proxy_total, M_NULLABLE),
    M_OPT_NUMBER(family_delta, after_flop_proxy_total, M_NULLABLE),
    M_OPT_NUMBER(family_delta, flop_proxy_ratio, M_NULLABLE),
    M_OPT_NUMBER(family_delta, before_time_per_flop_proxy, M_NULLABLE),
    M_OPT_NUMBER(family_delta, after_time_per_flop_proxy, M_NULLABLE),
    M_OPT_NUMBER(family_delta, time_per_flop_regression_pct, M_NULLABLE),
    M_OPT_NUMBER(family_delta, time_ratio, M_NULLABLE),
    M_OPT_NUMBER(family_delta, work_ratio, M_NULLABLE),
    M_OPT_NUMBER(family_delta, efficiency_ratio, M_NULLABLE),
    M_TEXT(family_delta, example_before, M_NULLABLE),
    M_TEXT(family_delta, example_after, M_NULLABLE),
    M_TEXT(family_delta, shape_signature_before, M_NULLABLE),
    M_TEXT(family_delta, shape_signature_after, M_NULLABLE),
};
static const struct record family_record = RECORD_OF(family_delta, family_members);

static const struct member op_members[] = {
    M_TEXT(op_delta, name),
    M_NUMBER(op_delta, before),
    M_NUMBER(op_delta, after),
    M_NUMBER(op_delta, delta),
};
static const struct record op_record = RECORD_OF(op_delta, op_members);

static const struct member unlisted_members[] = {
    M_TEXT(unlisted_op, name),
    M_TEXT(unlisted_op, side),
    M_NUMBER(unlisted_op, at_most),
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
    M_TEXT(memory_delta_share, name),
    M_INT(memory_delta_share, before_bytes),
    M_INT(memory_delta_share, after_bytes),
    M_INT(memory_delta_share, delta_bytes),
};
static const struct record memory_share_record =
    RECORD_OF(memory_delta_share, memory_share_members);

static const struct member memory_members[] = {
    M_INT(memory_delta, before_bytes),
    M_INT(memory_delta, after_bytes),
    M_INT(memory_delta, delta_bytes),
    M_INT(memory_delta, before_unknown_count),
    M_INT(memory_delta, after_unknown_count),
    M_LIST("devices", memory_delta, devices, device_count, memory_delta_share, memory_share_record),
    M_LIST("allocations", memory_delta, allocations, allocation_count, memory_delta_row,
           memory_row_record),
};
static const struct record memory_record = RECORD_OF(memory_delta, memory_members);

static const struct member comparison_members[] = {
    M_TEXT(comparison, before_source),
    M_TEXT(comparison, after_source),
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

json_t *comparison_to_json(const struct comparison *comparison, struct err *err)
{
    return record_to_json(&comparison_record, comparison, err);
}
