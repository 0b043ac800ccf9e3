/* The JSON form of a report of trends. */
#include "schema/documents/trend_report.h"

#include "schema/documents/measures.h"

#include <stdio.h>
#include <string.h>

bool report_is_rebaseline(const char *what)
{
    return what[0] == 'r' && what[1] != '\0' && what[1 + strspn(what + 1, "0123456789")] == '\0';
}

const char *report_moved_word(const struct report_withdrawn *moved)
{
    return strcmp(moved->moved_to.until_utc, moved->at_utc) <= 0 ? "earlier" : "later";
}

struct report_change *report_change_at(const struct trend_report *report, size_t i)
{
    size_t improvements = report->loss_count, recoveries = improvements + report->improvement_count;
    if (i < improvements)
        return &report->losses[i];
    if (i < recoveries)
        return &report->improvements[i - improvements];
    return i < recoveries + report->recovery_count ? &report->recoveries[i - recoveries] : NULL;
}

struct report_named report_named_at(const struct trend_report *report, size_t i)
{
    size_t changes = report->loss_count + report->improvement_count + report->recovery_count;
    const struct report_change *change = report_change_at(report, i);
    if (change != NULL)
        return (struct report_named){change->workload, change->series};
    i -= changes;
    if (i < report->drift_count)
        return (struct report_named){report->drifts[i].workload, report->drifts[i].series};
    i -= report->drift_count;
    if (i < report->noisiest_count)
        return (struct report_named){report->noisiest[i].workload, report->noisiest[i].series};
    return (struct report_named){0};
}

const char *report_mfu_text(const struct report_mfu *mfu, const char *before, char *buffer)
{
    char earlier[FORMAT_BYTES];
    (void)measure_text("share", mfu->now, false, buffer);
    size_t length = strlen(buffer);
    if (mfu->before.set)
        (void)snprintf(buffer + length, REPORT_MFU_BYTES - length, " (%s %s)",
                       measure_text("share", mfu->before.value, false, earlier), before);
    return buffer;
}

const char *report_drift_told_text(const struct report_drift *drift, char *buffer)
{
    char delta[FORMAT_BYTES];
    const struct report_drift_told *told = &drift->told;
    struct opt_f64 pct = told->before > 0
                             ? some_f64(100 * (told->after - told->before) / told->before)
                             : (struct opt_f64){0};
    (void)snprintf(buffer, REPORT_TOLD_BYTES, "told on %.10s in %.20s at %s", told->until_utc,
                   told->report,
                   measure_change_text(drift->unit, told->after - told->before, pct, delta));
    return buffer;
}

static const struct member commit_members[] = {
    M_TEXT(report_commit, sha),
    M_TEXT(report_commit, subject, M_NULLABLE),
};
static const struct record commit_record = RECORD_OF(report_commit, commit_members);

static const struct member op_members[] = {
    M_TEXT(report_op, name),        M_TEXT(report_op, signature),
    M_NUMBER(report_op, before_us), M_NUMBER(report_op, after_us),
    M_NUMBER(report_op, delta_us),  M_OPT_NUMBER(report_op, share_pct, M_NULLABLE),
};
static const struct record op_record = RECORD_OF(report_op, op_members);

static const struct member part_members[] = {
    M_FIELDS(report_part, name, before_us, after_us),
};
static const struct record part_record = RECORD_OF(report_part, part_members);

static const struct member step_bin_members[] = {
    M_NUMBER(report_step_bin, from_us),
    M_OPT_NUMBER(report_step_bin, until_us, M_NULLABLE),
    M_FIELDS(report_step_bin, before, after),
};
static const struct record step_bin_record = RECORD_OF(report_step_bin, step_bin_members);

static const struct member change_members[] = {
    M_TEXT(report_change, workload),
    M_TEXT(report_change, branch, M_NULLABLE),
    M_FIELDS(report_change, series, measure, unit, tier, at_profile, at_utc, after_profile),
    M_TEXT(report_change, after_commit, M_NULLABLE),
    M_FIELDS(report_change, after_utc, until_profile),
    M_TEXT(report_change, until_commit, M_NULLABLE),
    M_FIELDS(report_change, until_utc, before, after),
    M_FIELDS_NULLABLE(report_change, change_pct, low_pct, high_pct),
    M_FIELDS(report_change, confidence, loss, went_away),
    M_FIELDS_NULLABLE(report_change, rest, undone, undone_by, undone_utc),
    M_FIELDS_NULLABLE(report_change, takes_back, takes_back_utc, takes_back_entry, entry, status),
    M_LIST("commits", report_change, commits, commit_count, report_commit, commit_record),
    M_INT(report_change, commits_in_range),
    M_TEXT(report_change, commits_why, M_NULLABLE),
    M_LIST("ops", report_change, ops, op_count, report_op, op_record),
    M_LIST("parts", report_change, parts, part_count, report_part, part_record),
    M_LIST("categories", report_change, categories, category_count, report_part, part_record,
           M_OPTIONAL),
    M_LIST("step_times", report_change, step_bins, step_bin_count, report_step_bin, step_bin_record,
           M_OPTIONAL),
    M_TEXT(report_change, next),
    M_FIELDS_NULLABLE(report_change, command, course),
};
static const struct record change_record = RECORD_OF(report_change, change_members);

static const struct member made_of_members[] = {
    M_FIELDS(report_change, at_profile, after_profile, until_profile, before, after),
    M_LIST("ops", report_change, ops, op_count, report_op, op_record),
    M_LIST("parts", report_change, parts, part_count, report_part, part_record),
    M_LIST("categories", report_change, categories, category_count, report_part, part_record),
    M_LIST("step_times", report_change, step_bins, step_bin_count, report_step_bin,
           step_bin_record),
};
const struct record report_made_of_record = RECORD_OF(report_change, made_of_members);

static const struct member drift_told_members[] = {
    M_FIELDS(report_drift_told, report, until_utc, before, after),
};
static const struct record drift_told_record = RECORD_OF(report_drift_told, drift_told_members);

static const struct member drift_members[] = {
    M_TEXT(report_drift, workload),
    M_TEXT(report_drift, branch, M_NULLABLE),
    M_FIELDS(report_drift, series, measure, unit, from_profile),
    M_TEXT(report_drift, from_commit, M_NULLABLE),
    M_FIELDS(report_drift, from_utc, until_profile),
    M_TEXT(report_drift, until_commit, M_NULLABLE),
    M_FIELDS(report_drift, until_utc, run_count, before, after),
    M_FIELDS_NULLABLE(report_drift, change_pct, run_pct, month_pct),
    M_FIELDS(report_drift, p, loss, next),
    M_FIELDS_NULLABLE(report_drift, command, course),
    M_RECORD("told", report_drift, told, report_drift_told, drift_told_record, M_OPTIONAL,
             .flag_offset = offsetof(struct report_drift, has_told)),
};
static const struct record drift_record = RECORD_OF(report_drift, drift_members);

static const struct member noise_members[] = {
    M_TEXT(report_noise, workload), M_TEXT(report_noise, branch, M_NULLABLE),
    M_TEXT(report_noise, series),   M_TEXT(report_noise, measure),
    M_TEXT(report_noise, noise),    M_NUMBER(report_noise, noise_pct),
    M_INT(report_noise, run_count), M_OPT_INT(report_noise, course, M_NULLABLE),
};
static const struct record noise_record = RECORD_OF(report_noise, noise_members);

static const struct member count_members[] = {
    M_FIELDS(report_count, status, count),
};
static const struct record count_record = RECORD_OF(report_count, count_members);

static const struct member alert_members[] = {
    M_FIELDS(report_alert, alert, status, workload),
    M_FIELDS_NULLABLE(report_alert, series, branch, verdict),
    M_TEXT(report_alert, moved_at_utc),
};
static const struct record alert_record = RECORD_OF(report_alert, alert_members);

static const struct member quiet_members[] = {
    M_TEXT(report_quiet, workload),
    M_TEXT(report_quiet, branch, M_NULLABLE),
    M_FIELDS(report_quiet, series, last_profile, last_utc, run_count, usual_hours, silent_hours,
             next),
    M_FIELDS_NULLABLE(report_quiet, command, other_size),
};
static const struct record quiet_record = RECORD_OF(report_quiet, quiet_members);

static const struct member newcomer_members[] = {
    M_TEXT(report_newcomer, workload),
    M_TEXT(report_newcomer, branch, M_NULLABLE),
    M_FIELDS(report_newcomer, series, first_profile, first_utc, run_count),
    M_TEXT(report_newcomer, other_size, M_NULLABLE),
};
static const struct record newcomer_record = RECORD_OF(report_newcomer, newcomer_members);

static const struct member return_members[] = {
    M_TEXT(report_return, workload),  M_TEXT(report_return, branch, M_NULLABLE),
    M_TEXT(report_return, series),    M_TEXT(report_return, last_profile),
    M_TEXT(report_return, last_utc),  M_TEXT(report_return, first_profile),
    M_TEXT(report_return, first_utc), M_NUMBER(report_return, silent_hours),
};
static const struct record return_record = RECORD_OF(report_return, return_members);

static const struct member restart_members[] = {
    M_TEXT(report_restart, workload),
    M_TEXT(report_restart, branch, M_NULLABLE),
    M_FIELDS(report_restart, series, measure, unit, what, why, after_profile),
    M_TEXT(report_restart, after_commit, M_NULLABLE),
    M_FIELDS(report_restart, after_utc, at_profile),
    M_TEXT(report_restart, at_commit, M_NULLABLE),
    M_FIELDS(report_restart, at_utc, run_count, before, after),
    M_OPT_NUMBER(report_restart, change_pct, M_NULLABLE),
    M_TEXT(report_restart, next),
    M_TEXT(report_restart, command, M_NULLABLE),
};
static const struct record restart_record = RECORD_OF(report_restart, restart_members);

static const struct member mfu_members[] = {
    M_TEXT(report_mfu, workload),
    M_TEXT(report_mfu, branch, M_NULLABLE),
    M_NUMBER(report_mfu, now),
    M_OPT_NUMBER(report_mfu, before, M_NULLABLE),
};
const struct record report_mfu_record = RECORD_OF(report_mfu, mfu_members);

static const struct member moved_members[] = {
    M_FIELDS(report_moved, at_profile, after_profile),
    M_TEXT(report_moved, after_commit, M_NULLABLE),
    M_FIELDS(report_moved, after_utc, until_profile),
    M_TEXT(report_moved, until_commit, M_NULLABLE),
    M_TEXT(report_moved, until_utc),
};
static const struct record moved_record = RECORD_OF(report_moved, moved_members);

static const struct member withdrawn_members[] = {
    M_TEXT(report_withdrawn, workload),
    M_TEXT(report_withdrawn, branch, M_NULLABLE),
    M_FIELDS(report_withdrawn, series, measure, unit),
    M_TEXT(report_withdrawn, entry, M_NULLABLE),
    M_TEXT(report_withdrawn, at_profile),
    M_TEXT(report_withdrawn, at_commit, M_NULLABLE),
    M_FIELDS(report_withdrawn, at_utc, before, after),
    M_OPT_NUMBER(report_withdrawn, change_pct, M_NULLABLE),
    M_TEXT(report_withdrawn, told_in, M_NULLABLE),
    M_TEXT(report_withdrawn, why),
    M_RECORD("moved_to", report_withdrawn, moved_to, report_moved, moved_record, M_OPTIONAL,
             .flag_offset = offsetof(struct report_withdrawn, has_moved)),
};
static const struct record withdrawn_record = RECORD_OF(report_withdrawn, withdrawn_members);

static const struct member canary_members[] = {
    M_TEXT(report_canary, workload),          M_TEXT(report_canary, series),
    M_INT(report_canary, run_count),          M_INT(report_canary, window_count),
    M_NUMBER(report_canary, false_fail),      M_NUMBER(report_canary, false_fail_low),
    M_NUMBER(report_canary, false_fail_high), M_NUMBER(report_canary, effect_pct),
    M_NUMBER(report_canary, caught),
};
static const struct record canary_record = RECORD_OF(report_canary, canary_members);

static const struct member point_members[] = {
    M_FIELDS(report_point, profile_id, run),
    M_TEXT(report_point, commit, M_NULLABLE),
    M_TEXT(report_point, ran_at_utc, .old_name = "recorded_at_utc"),
    M_FIELDS(report_point, value, group),
    M_FIELDS_NULLABLE(report_point, verdict_id, verdict),
    M_BOOL(report_point, accepted),
    M_BOOL(report_point, outlier, M_OPTIONAL,
           .flag_offset = offsetof(struct report_point, outlier)),
};
static const struct record point_record = RECORD_OF(report_point, point_members);

static const struct member level_members[] = {
    M_INT(report_level, from),    M_INT(report_level, end),      M_INT(report_level, group),
    M_NUMBER(report_level, left), M_NUMBER(report_level, right),
};
static const struct record level_record = RECORD_OF(report_level, level_members);

static const struct member break_members[] = {
    M_FIELDS(report_break, at, what, why),
};
static const struct record break_record = RECORD_OF(report_break, break_members);

static const struct member course_members[] = {
    M_TEXT(report_course, workload),
    M_TEXT(report_course, branch, M_NULLABLE),
    M_FIELDS(report_course, series, measure, unit),
    M_LIST("points", report_course, points, point_count, report_point, point_record),
    M_LIST("levels", report_course, levels, level_count, report_level, level_record),
    M_LIST("breaks", report_course, breaks, break_count, report_break, break_record),
};
static const struct record course_record = RECORD_OF(report_course, course_members);

static const struct member report_members[] = {
    M_TEXT(trend_report, schema_version),
    M_FIELDS_NULLABLE(trend_report, report, name),
    M_TEXT(trend_report, project),
    M_FIELDS_NULLABLE(trend_report, branch, workloads),
    M_FIELDS(trend_report, measure, unit),
    M_TEXT(trend_report, policy, M_NULLABLE),
    M_FIELDS(trend_report, since_utc, until_utc, made_at_utc),
    M_FIELDS_NULLABLE(trend_report, told_by, told_until_utc),
    M_FIELDS(trend_report, workload_count, series_count, run_count),
    M_FIELDS_NULLABLE(trend_report, reporting_workload_count, reporting_series_count),
    M_FIELDS(trend_report, nothing_new, headlines),
    M_LIST("losses", trend_report, losses, loss_count, report_change, change_record),
    M_LIST("improvements", trend_report, improvements, improvement_count, report_change,
           change_record),
    M_LIST("recoveries", trend_report, recoveries, recovery_count, report_change, change_record,
           M_OPTIONAL),
    M_LIST("suspected", trend_report, suspected, suspected_count, report_change, change_record),
    M_LIST("drifts", trend_report, drifts, drift_count, report_drift, drift_record),
    M_LIST("drifting", trend_report, drifting, drifting_count, report_drift, drift_record,
           M_OPTIONAL),
    M_LIST("noisiest", trend_report, noisiest, noisiest_count, report_noise, noise_record),
    M_TEXT(trend_report, noise_graded),
    M_LIST("verdicts", trend_report, verdicts, verdict_count, report_count, count_record),
    M_LIST("alerts", trend_report, alerts, alert_count, report_alert, alert_record),
    M_LIST("quiet", trend_report, quiet, quiet_count, report_quiet, quiet_record),
    M_LIST("newcomers", trend_report, newcomers, newcomer_count, report_newcomer, newcomer_record),
    M_LIST("returns", trend_report, returns, return_count, report_return, return_record,
           M_OPTIONAL),
    M_LIST("restarts", trend_report, restarts, restart_count, report_restart, restart_record,
           M_OPTIONAL),
    M_LIST("mfu", trend_report, mfu, mfu_count, report_mfu, report_mfu_record, M_OPTIONAL),
    M_LIST("withdrawn", trend_report, withdrawn, withdrawn_count, report_withdrawn,
           withdrawn_record, M_OPTIONAL),
    M_LIST("canaries", trend_report, canaries, canary_count, report_canary, canary_record),
    M_LIST("courses", trend_report, courses, course_count, report_course, course_record),
};
const struct record trend_report_record = RECORD_OF(trend_report, report_members);

size_t report_point_find(const struct report_course *course, const char *profile)
{
    size_t i = 0;
    while (i + 1 < course->point_count && strcmp(course->points[i].profile_id, profile) != 0)
        i++;
    return i;
}

json_t *trend_report_to_json(const struct trend_report *report)
{
    return record_to_json(&trend_report_record, report);
}

bool trend_report_from_json(const json_t *root, const char *source, struct arena *arena,
                            struct trend_report *ret_report, struct err *err)
{
    return record_from_json(&trend_report_record, root, source, arena, ret_report, err);
}
