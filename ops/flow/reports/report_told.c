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
    if (values == NULL || places == NULL)
        return arena_failed(scratch, "a report", err);
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

/* How often a drift has doubled since it was 1 % (a point, of a share), which is told first; -1: it
 * is less. */
static int doublings(const char *unit, double before, double after)
{
    double size = 100 * fabs(after - before);
    if (strcmp(unit, "share") != 0)
        size = before > 0 ? size / before : 0;
    return size < 1 ? -1 : (int)floor(log2(size));
}

bool report_drift_was_told(const struct report_looking *looking, const struct course_drift *drift)
{
    const struct report_before *before = looking->before;
    size_t from = comparable_place(looking->runs, drift->from_profile),
           until = comparable_place(looking->runs, drift->until_profile);
    int now = doublings(looking->course->unit, drift->before, drift->after);
    for (size_t i = 0; i < before->found.slope_count; i++) {
        const struct course_slope *slope = &before->found.slopes[i];
        int then = doublings(looking->course->unit, slope->before, slope->after);
        if (slope->is_sure && before->places[slope->first] <= until &&
            before->places[slope->end - 1] >= from &&
            (slope->after > slope->before) == (drift->after > drift->before) && then >= 0 &&
            then >= now)
            return true;
    }
    return false;
}
