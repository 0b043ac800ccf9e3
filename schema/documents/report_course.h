/* How a measure went over the runs of a series: what reports and trends draw. */
#ifndef SCHEMA_DOCUMENTS_REPORT_COURSE_H
#define SCHEMA_DOCUMENTS_REPORT_COURSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A run of a course. */
struct report_point {
    const char *profile_id, *run, *commit; /* commit: NULL = not known */
    const char *ran_at_utc; /* when it was captured; where nobody knows, when it was recorded */
    double value;
    int64_t group; /* of runs that can be compared: 0 the newest, 1 the one before ... */
    const char *verdict_id, *verdict; /* NULL = never judged */
    bool accepted;
    bool outlier; /* far from the runs around it: no gate takes it for a past run */
};

/* Runs of a group from points[from] to points[end - 1] are of one level, or of one slope. */
struct report_level {
    int64_t from, end, group;
    double left, right; /* the fitted values at its ends; equal for a level */
};

/* The runs from points[at] on are not comparable with the ones before. */
struct report_break {
    int64_t at;
    const char *what; /* a fact ("batch") or a re-baseline ("r2") */
    const char *why;  /* as words */
};

/* How the measure of a series went, oldest run first: what there is to draw. */
struct report_course {
    const char *workload, *branch, *series, *measure, *unit;
    struct report_point *points;
    size_t point_count;
    struct report_level *levels;
    size_t level_count;
    struct report_break *breaks;
    size_t break_count;
};

/* The place of a profile's point; the last one where it has none. */
size_t report_point_find(const struct report_course *course, const char *profile);

#endif
