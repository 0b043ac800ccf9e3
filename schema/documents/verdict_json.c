/* The JSON form of a verdict: verdict.v1, as it is appended to the ledger, printed and sent. */
#include "schema/documents/verdict.h"

#include "schema/documents/verdict_records.h"

const char *const verdict_status_names[VERDICT_STATUS_COUNT] = {"pass", "warn", "fail",
                                                                "inconclusive", "incomparable"};

static const struct member reason_members[] = {
    M_FIELDS(verdict_reason, code, text),
};
static const struct record reason_record = RECORD_OF(verdict_reason, reason_members);

static const struct member mismatch_members[] = {
    M_TEXT(verdict_mismatch, field),
    M_FIELDS_NULLABLE(verdict_mismatch, baseline, candidate),
    M_TEXT(verdict_mismatch, action),
};
static const struct record mismatch_record = RECORD_OF(verdict_mismatch, mismatch_members);

static const struct member set_aside_members[] = {
    M_FIELDS(verdict_set_aside, run, profile_ids, reason, text),
};
static const struct record set_aside_record = RECORD_OF(verdict_set_aside, set_aside_members);

static const struct member side_members[] = {
    M_FIELDS(verdict_side, profile_ids, run_ids),
    M_FIELDS_NULLABLE(verdict_side, branch, commit, why),
    M_FIELDS(verdict_side, run_count, step_count),
    M_FIELDS_NULLABLE(verdict_side, step_median_us, step_p90_us),
    M_TEXTS(verdict_side, labels),
    M_OPT_INT(verdict_side, attempts, M_NULLABLE),
    M_TEXTS(verdict_side, earlier_failed, M_OPTIONAL),
    M_LIST("set_aside", verdict_side, set_aside, set_aside_count, verdict_set_aside,
           set_aside_record, M_OPTIONAL),
};
static const struct record side_record = RECORD_OF(verdict_side, side_members);

#define M_PART(t, side) \
    M_ANY(#side, MEMBER_OPT_INT, FIELD_AT(struct t, side.runs, struct opt_i64), M_OPTIONAL, \
          .flag_offset = offsetof(struct t, side.runs.set)), \
        M_ANY(#side "_of", MEMBER_OPT_INT, FIELD_AT(struct t, side.of, struct opt_i64), \
              M_OPTIONAL, .flag_offset = offsetof(struct t, side.of.set))

static const struct member op_members[] = {
    M_FIELDS(verdict_op, signature, name),
    M_FIELDS_NULLABLE(verdict_op, category, op_path),
    M_FIELDS(verdict_op, change, before_us, after_us, delta_us),
    M_OPT_NUMBER(verdict_op, delta_pct, M_NULLABLE),
    M_NUMBER(verdict_op, share_of_step),
    M_FIELDS_NULLABLE(verdict_op, p, q),
    M_PART(verdict_op, before_runs),
    M_PART(verdict_op, after_runs),
};
static const struct record op_record = RECORD_OF(verdict_op, op_members);

static const struct member group_members[] = {
    M_TEXT(verdict_group, kind),        M_TEXT(verdict_group, name),
    M_NUMBER(verdict_group, before_us), M_NUMBER(verdict_group, after_us),
    M_NUMBER(verdict_group, delta_us),  M_PART(verdict_group, before_runs),
    M_PART(verdict_group, after_runs),
};
static const struct record group_record = RECORD_OF(verdict_group, group_members);

static const struct member step_bin_members[] = {
    M_NUMBER(verdict_step_bin, from_us),
    M_OPT_NUMBER(verdict_step_bin, until_us, M_NULLABLE),
    M_FIELDS(verdict_step_bin, baseline, candidate),
};
static const struct record step_bin_record = RECORD_OF(verdict_step_bin, step_bin_members);

static const struct member measure_members[] = {
    M_FIELDS(verdict_measure, name, unit),
    M_FIELDS_NULLABLE(verdict_measure, before, after, delta, limit),
    M_TEXT(verdict_measure, status),
};
static const struct record measure_record = RECORD_OF(verdict_measure, measure_members);

static const struct member statistics_members[] = {
    M_FIELDS_NULLABLE(verdict_statistics, estimate_pct, ci_low_pct, ci_high_pct),
    M_OPT_NUMBER(verdict_statistics, pass_upper_pct, M_OPTIONAL,
                 .flag_offset = offsetof(struct verdict_statistics, pass_upper_pct.set)),
    M_FIELDS_NULLABLE(verdict_statistics, p, df, run_sd_pct, mde_pct, more_runs_needed,
                      more_steps_needed, drift_pct_per_run, level_change_pct),
    M_OPT_NUMBER(verdict_statistics, level_end_pct, M_OPTIONAL,
                 .flag_offset = offsetof(struct verdict_statistics, level_end_pct.set)),
    M_FIELDS_NULLABLE(verdict_statistics, effective_steps, autocorrelation),
};
static const struct record statistics_record = RECORD_OF(verdict_statistics, statistics_members);

static const struct member balance_members[] = {
    M_BOOL(verdict_balance, known),          M_NUMBER(verdict_balance, step_delta_us),
    M_NUMBER(verdict_balance, ops_delta_us), M_NUMBER(verdict_balance, idle_delta_us),
    M_NUMBER(verdict_balance, residual_us),
};
static const struct record balance_record = RECORD_OF(verdict_balance, balance_members);

static const struct member cause_members[] = {
    M_FIELDS_NULLABLE(verdict_cause, kind, name),
    M_FIELDS(verdict_cause, count, of_count, delta_us),
    M_FIELDS_NULLABLE(verdict_cause, change_pct, share_of_delta, first_share, precision),
};
static const struct record cause_record = RECORD_OF(verdict_cause, cause_members);

static const struct member verdict_members[] = {
    M_TEXT(verdict, schema_version),
    M_TEXT(verdict, id, M_OPTIONAL, .flag_offset = offsetof(struct verdict, has_id)),
    M_TEXT(verdict, accepted, M_OPTIONAL, .flag_offset = offsetof(struct verdict, is_answered)),
    M_TEXT(verdict, beyond, M_OPTIONAL, .flag_offset = offsetof(struct verdict, is_answered)),
    M_TEXT(verdict, based_on_retracted, M_OPTIONAL,
           .flag_offset = offsetof(struct verdict, was_retracted)),
    M_FIELDS_NULLABLE(verdict, project, workload, series),
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
    M_FIELDS_NULLABLE(verdict, slow_devices, evidence_sha256, created_at_utc),
};
const struct record verdict_record = RECORD_OF(verdict, verdict_members);

json_t *verdict_to_json(const struct verdict *verdict)
{
    return record_to_json(&verdict_record, verdict);
}

bool verdict_from_json(const json_t *root, const char *name, struct arena *arena,
                       struct verdict *ret_verdict, struct err *err)
{
    return record_from_json(&verdict_record, root, name, arena, ret_verdict, err);
}

void verdict_parts_add(json_t *object, const struct verdict_part *before,
                       const struct verdict_part *after)
{
    const struct {
        const char *runs, *of;
        const struct verdict_part *part;
    } sides[] = {{"before_runs", "before_runs_of", before}, {"after_runs", "after_runs_of", after}};
    for (size_t i = 0; i < 2; i++) {
        const struct verdict_part *part = sides[i].part;
        if (!part->runs.set)
            continue;
        (void)json_object_set_new(object, sides[i].runs, json_integer(part->runs.value));
        (void)json_object_set_new(object, sides[i].of, json_integer(part->of.value));
    }
}
