/* What readers were told before: what runs that are not new showed by themselves, and where. */
#include "compare/changes/changes.h"
#include "ops/flow/reports/making.h"

#include <math.h>
#include <string.h>

/* A level is that of before where it differs from it by less than this part of the change. */
static const double same_level = .25;

bool report_before_find(const struct report_looking *looking, struct err *err)
{
    const struct comparable *runs = looking->runs;
    struct report_before *before = looking->before;
    if (before->places != NULL)
        return true;
    struct arena *scratch = looking->making->scratch;
    double *values = arena_array(scratch, double, runs->count);
    size_t *places = arena_array(scratch, size_t, runs->count), count = 0;
    *before = (struct report_before){.places = places};
    for (size_t i = 0; i < runs->count; i++)
        if (!report_is_new(looking->making, runs->points[i])) {
            values[count] = runs->points[i]->value;
            places[count++] = i;
        }
    return count < CHANGES_VALUES_MIN || course_find(values, count, scratch, &before->found, err);
}

/* ---- changes --------------------------------------------------------------------------------- */

bool report_same_levels(double before, double after, const struct course_change *change)
{
    double size = fabs(change->after - change->before);
    return fabs(change->before - before) <= same_level * size &&
           fabs(change->after - after) <= same_level * size;
}

/* Whether they showed the change there, in that direction. */
static bool is_there(const struct report_looking *looking, const struct course_shift *shift,
                     const struct course_change *change)
{
    const size_t *places = looking->before->places;
    return places[shift->first] <= comparable_place(looking->runs, change->until_profile) &&
           places[shift->last] > comparable_place(looking->runs, change->after_profile) &&
           (change->after > change->before) == (shift->after > shift->before);
}

/* Whether a change of today stands where they showed one. */
static bool still_stands(const struct report_looking *looking, const struct course_shift *shift)
{
    const struct course *course = looking->course;
    size_t i = 0;
    while (i < course->change_count && !(strcmp(course->changes[i].tier, "confirmed") == 0 &&
                                         is_there(looking, shift, &course->changes[i])))
        i++;
    return i < course->change_count;
}

const struct course_shift *report_shown_before(const struct report_looking *looking,
                                               const struct course_change *change, bool *ret_there)
{
    const struct course_findings *found = &looking->before->found;
    bool sure = strcmp(change->tier, "confirmed") == 0;
    for (size_t i = 0; i < found->shift_count; i++)
        if ((found->shifts[i].confirmed || !sure) && is_there(looking, &found->shifts[i], change)) {
            *ret_there = true;
            return &found->shifts[i];
        }
    *ret_there = false;
    for (size_t i = 0; sure && looking->making->request->name != NULL && i < found->shift_count;
         i++) {
        const struct course_shift *shift = &found->shifts[i];
        if (shift->confirmed && report_same_levels(shift->before, shift->after, change) &&
            !still_stands(looking, shift))
            return shift;
    }
    return NULL;
}

/* ---- drifts ---------------------------------------------------------------------------------- */

static const double drift_least = 1; /* percent; of a share points: below it nobody was told */
static const double drift_grown = 2; /* times as large as it was told: that is news again */

static double drift_size(const char *unit, double before, double after)
{
    double size = 100 * fabs(after - before);
    return strcmp(unit, "share") == 0 ? size : before > 0 ? size / before : 0;
}

/* Whether runs of before showed the drift, and what it is now is no news beside it. */
static bool drift_was_shown(const struct report_looking *looking, const struct course_drift *drift)
{
    const struct report_before *before = looking->before;
    const char *unit = looking->course->unit;
    size_t from = comparable_place(looking->runs, drift->from_profile),
           until = comparable_place(looking->runs, drift->until_profile);
    double now = drift_size(unit, drift->before, drift->after);
    for (size_t i = 0; i < before->found.slope_count; i++) {
        const struct course_slope *slope = &before->found.slopes[i];
        double then = drift_size(unit, slope->before, slope->after);
        if (slope->is_sure && before->places[slope->first] <= until &&
            before->places[slope->end - 1] >= from &&
            (slope->after > slope->before) == (drift->after > drift->before) &&
            then >= drift_least && now < drift_grown * then)
            return true;
    }
    return false;
}

bool report_drift_find_told(const struct report_looking *looking, const struct course_drift *drift,
                            struct report_drift_before *ret_before, struct err *err)
{
    const struct report_making *making = looking->making;
    const struct report_drift_query query = {.report = making->report,
                                             .series = looking->course->series,
                                             .from_utc = drift->from_utc,
                                             .until_utc = drift->until_utc,
                                             .rises = drift->after > drift->before};
    struct report_drift_told *told = &ret_before->told;
    *ret_before = (struct report_drift_before){0};
    if (making->request->name != NULL &&
        !ledger_report_drift_told(making->db, &query, making->arena, told, &ret_before->is_told,
                                  err))
        return false;
    if (ret_before->is_told) {
        const char *unit = looking->course->unit;
        ret_before->goes_on = drift_size(unit, drift->before, drift->after) <
                              drift_grown * drift_size(unit, told->before, told->after);
        return true;
    }
    if (!report_before_find(looking, err))
        return false;
    ret_before->goes_on = drift_was_shown(looking, drift);
    return true;
}
