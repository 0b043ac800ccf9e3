/* Draws a course as its model has it: levels and lines, with the steps between them. */
#include "ops/flow/trends/course_levels.h"

#include "compare/statistics/statistics.h"

#include <math.h>
#include <string.h>

struct filling {
    struct course *course;
    const struct course_runs *runs;
    double *sorted; /* [runs->count] */
};

/* Runs [from, end) between two changes. */
struct stretch {
    size_t from, end;
    struct opt_f64 left, right; /* what the changes say; not set: it begins, or ends, the course */
};

/* The last run for a profile that is none of them. */
static size_t place_of(const struct course_runs *runs, const char *profile)
{
    size_t i = 0;
    while (i + 1 < runs->count && strcmp(runs->points[i]->profile_id, profile) != 0)
        i++;
    return i;
}

static double median_of(const struct filling *filling, size_t from, size_t end)
{
    memcpy(filling->sorted, filling->runs->values + from, (end - from) * sizeof *filling->sorted);
    stats_sort(filling->sorted, end - from);
    return stats_quantile(filling->sorted, end - from, .5);
}

static void level_add(const struct filling *filling, size_t from, size_t end, double left,
                      double right)
{
    struct course *course = filling->course;
    if (from < end)
        course->levels[course->level_count++] =
            (struct course_level){.from_profile = filling->runs->points[from]->profile_id,
                                  .until_profile = filling->runs->points[end - 1]->profile_id,
                                  .run_count = (int64_t)(end - from),
                                  .left = left,
                                  .right = right};
}

static void drift_add(const struct filling *filling, size_t from, size_t end, size_t which,
                      const double ends[2])
{
    struct course *course = filling->course;
    size_t before = course->level_count;
    level_add(filling, from, end, ends[0], ends[1]);
    if (course->level_count > before)
        course->levels[before].drift = some_i64((int64_t)which);
}

/* The part of a line that all levels share. */
static void shared_add(const struct filling *filling, const struct stretch *stretch, size_t which)
{
    const struct course_drift *drift = &filling->course->drifts[which];
    size_t count = filling->runs->count;
    double rate = count > 1 ? (drift->after - drift->before) / (double)(count - 1) : 0;
    double left = stretch->left.set ? stretch->left.value : drift->before;
    double along = left + rate * (double)(stretch->end - 1 - stretch->from);
    drift_add(filling, stretch->from, stretch->end, which,
              (const double[]){left, stretch->right.set ? stretch->right.value : along});
}

/* Levels and drifts of their own. */
static void stretch_add(const struct filling *filling, const struct stretch *stretch)
{
    const struct course *course = filling->course;
    const struct course_runs *runs = filling->runs;
    size_t at = stretch->from;
    for (size_t i = 0; i < course->drift_count; i++) {
        const struct course_drift *drift = &course->drifts[i];
        size_t from = place_of(runs, drift->from_profile),
               end = place_of(runs, drift->until_profile) + 1;
        if (!course_drift_is_sure(drift) || from >= stretch->end || end <= at)
            continue;
        if (from == 0 && end == runs->count) {
            shared_add(filling, stretch, i);
            return;
        }
        from = from > at ? from : at;
        end = end < stretch->end ? end : stretch->end;
        if (from > at) {
            double level = at == stretch->from && stretch->left.set ? stretch->left.value
                                                                    : median_of(filling, at, from);
            level_add(filling, at, from, level, level);
        }
        drift_add(filling, from, end, i, (const double[]){drift->before, drift->after});
        at = end;
    }
    if (at == stretch->end)
        return;
    double level = stretch->right.set ? stretch->right.value
                   : at == stretch->from && stretch->left.set
                       ? stretch->left.value
                       : median_of(filling, at, stretch->end);
    level_add(filling, at, stretch->end, level, level);
}

void course_levels_fill(struct course *course, const struct course_runs *runs, struct arena *arena)
{
    struct filling filling = {course, runs, NULL};
    size_t most = 2 * course->drift_count + course->change_count + 1;
    course->levels = arena_array(arena, struct course_level, most);
    struct arena_mark mark = arena_mark(arena);
    filling.sorted = arena_array(arena, double, runs->count);
    struct stretch stretch = {.from = 0};
    for (size_t i = 0; i < course->change_count; i++) {
        const struct course_change *change = &course->changes[i];
        if (!course_change_counts(change))
            continue;
        stretch.end = place_of(runs, change->at_profile);
        stretch.right = some_f64(change->before);
        stretch_add(&filling, &stretch);
        stretch = (struct stretch){.from = stretch.end, .left = some_f64(change->after)};
    }
    stretch.end = runs->count;
    stretch_add(&filling, &stretch);
    arena_rewind(arena, mark);
}
