/* The JSON form of courses, and their words. */
#include "schema/documents/course.h"

#include <string.h>

const double course_matters_pct = 1, course_matters_share = .01, course_op_matters_share = .002;

static const struct member change_members[] = {
    M_FIELDS(course_change, tier, at_profile, at_utc, after_profile),
    M_TEXT(course_change, after_commit, M_NULLABLE),
    M_TEXT(course_change, until_profile),
    M_TEXT(course_change, until_commit, M_NULLABLE),
    M_FIELDS(course_change, before, after),
    M_FIELDS_NULLABLE(course_change, change_pct, low_pct, high_pct),
    M_FIELDS(course_change, confidence, loss, matters, went_away),
    M_TEXT(course_change, takes_back, M_NULLABLE),
    M_FIELDS_NULLABLE(course_change, rest, undone, undone_by),
    M_INT(course_change, runs_since),
    M_FIELDS_NULLABLE(course_change, entry, status),
};
static const struct record change_record = RECORD_OF(course_change, change_members);

static const struct member drift_members[] = {
    M_FIELDS(course_drift, tier, from_profile),
    M_TEXT(course_drift, from_commit, M_NULLABLE),
    M_FIELDS(course_drift, from_utc, until_profile),
    M_TEXT(course_drift, until_commit, M_NULLABLE),
    M_FIELDS(course_drift, until_utc, before, after),
    M_FIELDS_NULLABLE(course_drift, change_pct, month_pct),
    M_FIELDS(course_drift, p, loss, matters),
};
static const struct record drift_record = RECORD_OF(course_drift, drift_members);

static const struct member level_members[] = {
    M_FIELDS(course_level, from_profile, until_profile, run_count, left, right),
    M_OPT_INT(course_level, drift, M_NULLABLE),
};
static const struct record level_record = RECORD_OF(course_level, level_members);

static const struct member value_members[] = {M_NUMBER(course_value, value)};
static const struct record value_record = RECORD_OF(course_value, value_members);

static const struct member course_members[] = {
    M_TEXT(course, workload),
    M_TEXT(course, branch, M_NULLABLE),
    M_FIELDS(course, measure, unit),
    M_FIELDS_NULLABLE(course, op, op_name),
    M_TEXT(course, series),
    M_FIELDS_NULLABLE(course, apart, apart_why),
    M_FIELDS(course, run_count, first_utc, last_utc, first_profile, last_profile, first_level,
             last_level),
    M_OPT_NUMBER(course, change_pct, M_NULLABLE),
    M_FIELDS(course, matters_from, noise),
    M_OPT_NUMBER(course, noise_pct, M_NULLABLE),
    M_LIST("changes", course, changes, change_count, course_change, change_record),
    M_LIST("drifts", course, drifts, drift_count, course_drift, drift_record),
    M_LIST("levels", course, levels, level_count, course_level, level_record, M_OPTIONAL),
    M_LIST("shape", course, shape, shape_count, course_value, value_record),
};
const struct record course_record = RECORD_OF(course, course_members);

const char *course_noise_grade(struct opt_f64 noise_pct)
{
    static const struct {
        double below_pct;
        const char *grade;
    } grades[] = {{2, "quiet"}, {5, "fair"}, {15, "noisy"}};
    if (!noise_pct.set)
        return "unknown";
    for (size_t i = 0; i < sizeof grades / sizeof *grades; i++)
        if (noise_pct.value < grades[i].below_pct)
            return grades[i].grade;
    return "wild";
}

/* And nobody has said otherwise. */
static bool change_is_sure(const struct course_change *change)
{
    bool withdrawn = change->status != NULL && strcmp(change->status, "withdrawn") == 0;
    return !withdrawn && strcmp(change->tier, "confirmed") == 0;
}

bool course_change_counts(const struct course_change *change)
{
    return change->matters && change_is_sure(change);
}

bool course_change_is_small(const struct course_change *change)
{
    return !change->matters && change_is_sure(change);
}

bool course_drift_is_sure(const struct course_drift *drift)
{
    return strcmp(drift->tier, "confirmed") == 0;
}

bool course_moved(const struct course *course)
{
    for (size_t i = 0; i < course->change_count; i++)
        if (course_change_counts(&course->changes[i]))
            return true;
    for (size_t i = 0; i < course->drift_count; i++)
        if (course->drifts[i].matters)
            return true;
    return false;
}
