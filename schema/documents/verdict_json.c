/* The JSON form of a verdict: verdict.v1, as it is appended to the ledger, printed and sent. */
#include "schema/documents/verdict.h"

#include "schema/documents/verdict_records.h"

const char *const verdict_status_names[VERDICT_STATUS_COUNT] = {"pass", "warn", "fail",
                                                                "inconclusive", "incomparable"};

static const struct member reason_members[] = {
    M_TEXT(verdict_reason, code),
    M_TEXT(verdict_reason, text),
};
static const struct record reason_record = RECORD_OF(verdict_reason, reason_members);

static const struct member mismatch_members[] = {
    M_TEXT(verdict_mismatch, field),
    M_TEXT(verdict_mismatch, baseline, M_NULLABLE),
    M_TEXT(verdict_mismatch, candidate, M_NULLABLE),
    M_TEXT(verdict_mismatch, action),
};
static const struct record mismatch_record = RECORD_OF(verdict_mismatch, mismatch_members);

static const struct member set_aside_members[] = {
    M_TEXT(verdict_set_aside, run),
    M_TEXTS(verdict_set_aside, profile_ids),
    M_TEXT(verdict_set_aside, reason),
    M_TEXT(verdict_set_aside, text),
};
static const struct record set_aside_record = RECORD_OF(verdict_set_aside, set_aside_members);

static const struct member side_members[] = {
    M_TEXTS(verdict_side, profile_ids),
    M_TEXTS(verdict_side, run_ids),
    M_TEXT(verdict_side, branch, M_NULLABLE),
    M_TEXT(verdict_side, commit, M_NULLABLE),
    M_TEXT(verdict_side, why, M_NULLABLE),
    M_INT(verdict_side, run_count),
    M_INT(verdict_side, step_count),
    M_OPT_NUMBER(verdict_side, step_median_us, M_NULLABLE),
    M_OPT_NUMBER(verdict_side, step_p90_us, M_NULLABLE),
    M_TEXTS(verdict_side, labels),
    M_OPT_INT(verdict_side, attempts, M_NULLABLE),
    M_TEXTS(verdict_side, earlier_failed, M_OPTIONAL),
    M_LIST("set_aside", verdict_side, set_aside, set_aside_count, verdict_set_aside,
           set_aside_record, M_OPTIONAL),
};
static const struct record side_record = RECORD_OF(verdict_side, side_members);

static const struct member op_members[] = {
    M_TEXT(verdict_op, signature),
    M_TEXT(verdict_op, name),
    M_TEXT(verdict_op, category, M_NULLABLE),
    M_TEXT(verdict_op, op_path, M_NULLABLE),
    M_TEXT(verdict_op, change),
    M_NUMBER(verdict_op, before_us),
    M_NUMBER(verdict_op, after_us),
    M_NUMBER(verdict_op, delta_us),
    M_OPT_NUMBER(verdict_op, delta_pct, M_NULLABLE),
    M_NUMBER(verdict_op, share_of_step),
    M_OPT_NUMBER(verdict_op, p, M_NULLABLE),
    M_OPT_NUMBER(verdict_op, q, M_NULLABLE),
};
static const struct record op_record = RECORD_OF(verdict_op, op_members);

static const struct member group_members[] = {
    M_TEXT(verdict_group, kind),        M_TEXT(verdict_group, name),
    M_NUMBER(verdict_group, before_us), M_NUMBER(verdict_group, after_us),
    M_NUMBER(verdict_group, delta_us),
};
static const struct record group_record = RECORD_OF(verdict_group, group_members);

static const struct member step_bin_members[] = {
    M_NUMBER(verdict_step_bin, from_us),
    M_OPT_NUMBER(verdict_step_bin, until_us, M_NULLABLE),
    M_INT(verdict_step_bin, baseline),
    M_INT(verdict_step_bin, candidate),
};
static const struct record step_bin_record = RECORD_OF(verdict_step_bin, step_bin_members);

static const struct member measure_members[] = {
    M_TEXT(verdict_measure, name),
    M_TEXT(verdict_measure, unit),
    M_OPT_NUMBER(verdict_measure, before, M_NULLABLE),
    M_OPT_NUMBER(verdict_measure, after, M_NULLABLE),
    M_OPT_NUMBER(verdict_measure, delta, M_NULLABLE),
    M_OPT_NUMBER(verdict_measure, limit, M_NULLABLE),
    M_TEXT(verdict_measure, status),
};
static const struct record measure_record = RECORD_OF(verdict_measure, measure_members);

static const struct member statistics_members[] = {
    M_OPT_NUMBER(verdict_statistics, estimate_pct, M_NULLABLE),
    M_OPT_NUMBER(verdict_statistics, ci_low_pct, M_NULLABLE),
    M_OPT_NUMBER(verdict_statistics, ci_high_pct, M_NULLABLE),
    M_OPT_NUMBER(verdict_statistics, pass_upper_pct, M_OPTIONAL,
                 .flag_offset = offsetof(struct verdict_statistics, pass_upper_pct.set)),
    M_OPT_NUMBER(verdict_statistics, p, M_NULLABLE),
    M_OPT_NUMBER(verdict_statistics, df, M_NULLABLE),
    M_OPT_NUMBER(verdict_statistics, run_sd_pct, M_NULLABLE),
    M_OPT_NUMBER(verdict_statistics, mde_pct, M_NULLABLE),
    M_OPT_INT(verdict_statistics, more_runs_needed, M_NULLABLE),
    M_OPT_INT(verdict_statistics, more_steps_needed, M_NULLABLE),
    M_OPT_NUMBER(verdict_statistics, drift_pct_per_run, M_NULLABLE),
    M_OPT_NUMBER(verdict_statistics, level_change_pct, M_NULLABLE),
    M_OPT_NUMBER(verdict_statistics, effective_steps, M_NULLABLE),
    M_OPT_NUMBER(verdict_statistics, autocorrelation, M_NULLABLE),
};
static const struct record statistics_record = RECORD_OF(verdict_statistics, statistics_members);

static const struct member balance_members[] = {
    M_BOOL(verdict_balance, known),          M_NUMBER(verdict_balance, step_delta_us),
    M_NUMBER(verdict_balance, ops_delta_us), M_NUMBER(verdict_balance, idle_delta_us),
    M_NUMBER(verdict_balance, residual_us),
};
static const struct record balance_record = RECORD_OF(verdict_balance, balance_members);

static const struct member cause_members[] = {
    M_TEXT(verdict_cause, kind, M_NULLABLE),
    M_TEXT(verdict_cause, name, M_NULLABLE),
    M_INT(verdict_cause, count),
    M_INT(verdict_cause, of_count),
    M_NUMBER(verdict_cause, delta_us),
    M_OPT_NUMBER(verdict_cause, change_pct, M_NULLABLE),
    M_OPT_NUMBER(verdict_cause, share_of_delta, M_NULLABLE),
    M_OPT_NUMBER(verdict_cause, first_share, M_NULLABLE),
    M_TEXT(verdict_cause, precision, M_NULLABLE),
};
static const struct record cause_record = RECORD_OF(verdict_cause, cause_members);

static const struct member verdict_members[] = {
    M_TEXT(verdict, schema_version),
    M_TEXT(verdict, id, M_OPTIONAL, .flag_offset = offsetof(struct verdict, has_id)),
    M_TEXT(verdict, accepted, M_OPTIONAL, .flag_offset = offsetof(struct verdict, is_answered)),
    M_TEXT(verdict, beyond, M_OPTIONAL, .flag_offset = offsetof(struct verdict, is_answered)),
    M_TEXT(verdict, based_on_retracted, M_OPTIONAL,
           .flag_offset = offsetof(struct verdict, was_retracted)),
    M_TEXT(verdict, project, M_NULLABLE),
    M_TEXT(verdict, workload, M_NULLABLE),
    M_TEXT(verdict, series, M_NULLABLE),
    M_CHOICE(verdict, status, enum verdict_status, verdict_status_names, VERDICT_STATUS_COUNT),
    M_LIST("reasons", verdict, reasons, reason_count, verdict_reason, reason_record),
    M_TEXT(verdict, rule_id, M_NULLABLE),
    M_INT(verdict, rule_version),
    M_BOOL(verdict, paired, M_OPTIONAL, .flag_offset = offsetof(struct verdict, paired)),
    M_TEXT(verdict, policy_sha256, M_NULLABLE),
    M_RECORD("baseline", verdict, baseline, verdict_side, side_record),
    M_RECORD("candidate", verdict, candidate, verdict_side, side_record),
    M_LIST("mismatches", verdict, mismatches, mismatch_count, verdict_mismatch, mismatch_record),
    M_TEXTS(verdict, provenance_messages),
    M_LIST("measures", verdict, measures, measure_count, verdict_measure, measure_record),
    M_RECORD("statistics", verdict, statistics, verdict_statistics, statistics_record),
    M_LIST("ops", verdict, ops, op_count, verdict_op, op_record),
    M_TEXT(verdict, ops_per, M_NULLABLE),
    M_LIST("groups", verdict, groups, group_count, verdict_group, group_record, M_OPTIONAL),
    M_LIST("step_times", verdict, step_bins, step_bin_count, verdict_step_bin, step_bin_record,
           M_OPTIONAL),
    M_RECORD("balance", verdict, balance, verdict_balance, balance_record),
    M_RECORD("cause", verdict, cause, verdict_cause, cause_record, M_OPTIONAL),
    M_TEXT(verdict, slow_devices, M_NULLABLE),
    M_TEXT(verdict, evidence_sha256, M_NULLABLE),
    M_TEXT(verdict, created_at_utc, M_NULLABLE),
};
const struct record verdict_record = RECORD_OF(verdict, verdict_members);

json_t *verdict_to_json(const struct verdict *verdict, struct err *err)
{
    return record_to_json(&verdict_record, verdict, err);
}

bool verdict_from_json(const json_t *root, const char *name, struct arena *arena,
                       struct verdict *ret_verdict, struct err *err)
{
    struct verdict verdict = {0};
    if (!record_read(&verdict_record, root, name, arena, &verdict, err))
        return false;
    *ret_verdict = verdict;
    return true;
}
