/* Fills the picture of the runs behind a verdict. Lines are the verdict's own medians, so that they
 * are the numbers of its page; bands and breaks are those of the branch's trend. */
#include "ops/present/verdict/verdict_picture.h"

#include "ops/present/trend/trend.h"
#include "ops/present/words/words.h"
#include "schema/documents/measures.h"

#include <string.h>

struct part {
    enum series_mark mark;
    const char *words; /* behind what the run is called */
};

static bool has_profile(const struct string_list *ids, const char *id)
{
    return text_index(id, ids->items, ids->count) < ids->count;
}

static struct part part_of(const struct verdict *verdict, const char *profile)
{
    const struct verdict_side *baseline = &verdict->baseline;
    if (has_profile(&verdict->candidate.profile_ids, profile))
        return (struct part){SERIES_CANDIDATE, "candidate"};
    for (size_t i = 0; i < baseline->set_aside_count; i++)
        if (has_profile(&baseline->set_aside[i].profile_ids, profile))
            return (struct part){SERIES_ASIDE, baseline->set_aside[i].text};
    if (has_profile(&baseline->profile_ids, profile))
        return (struct part){SERIES_BASELINE, "baseline"};
    return (struct part){SERIES_PLAIN, "not used"};
}

/* Runs of the branch, then the others. */
static struct series_point *runs_fill(const struct verdict *verdict,
                                      const struct verdict_course *course, struct arena *arena)
{
    const size_t on_branch = course->branch.point_count, count = on_branch + course->other_count;
    struct series_point *points = arena_array(arena, struct series_point, count);
    for (size_t i = 0; i < count; i++) {
        struct trend_point run =
            i < on_branch ? course->branch.points[i] : course->others[i - on_branch];
        const struct part part = part_of(verdict, run.profile_id);
        run.outlier = false; /* here it is the verdict that sets aside */
        const char *title =
            arena_printf(arena, "%s; %s", trend_point_title("us", &run, arena), part.words);
        points[i] =
            (struct series_point){run.value, title, run.ran_at_utc, run.commit, part.mark, false};
    }
    return points;
}

/* The median of a side, from its first run to its last. Nothing where it is not known. */
static void side_add(struct series_picture *picture, struct series_level *levels,
                     enum series_mark mark, struct opt_f64 median_us, struct arena *arena)
{
    char words[FORMAT_BYTES];
    size_t first = 0, last = picture->point_count;
    while (first < picture->point_count && picture->points[first].mark != mark)
        first++;
    while (last > first && picture->points[last - 1].mark != mark)
        last--;
    if (!median_us.set || last == first)
        return;
    const char *title = arena_strdup(arena, measure_text("us", median_us.value, false, words));
    levels[picture->level_count++] = (struct series_level){
        first, last - 1, median_us.value, median_us.value, title, false, TONE_PLAIN};
}

static struct series_picture *picture_make(const struct verdict *verdict,
                                           const struct verdict_course *course, struct arena *arena)
{
    enum { SIDES = 2 };
    struct series_picture *picture = arena_new(arena, struct series_picture);
    struct series_level *levels = arena_array(arena, struct series_level, SIDES);
    struct series_point *points = runs_fill(verdict, course, arena);
    *picture = (struct series_picture){0};
    if (course->branch.point_count > 0)
        trend_series(&course->branch, arena, picture);
    picture->title = arena_printf(arena, "Step time of %s/%s, series %s%s%s, up to this verdict",
                                  verdict->project, verdict->workload, verdict->series,
                                  course->branch.branch != NULL ? ", branch " : "",
                                  course->branch.branch != NULL ? course->branch.branch : "");
    picture->unit = "us";
    picture->points = points;
    picture->point_count = course->branch.point_count + course->other_count;
    picture->levels = levels;
    picture->level_count = 0;
    side_add(picture, levels, SERIES_BASELINE, verdict->baseline.step_median_us, arena);
    side_add(picture, levels, SERIES_CANDIDATE, verdict->candidate.step_median_us, arena);
    return picture;
}

void verdict_course_add(const struct verdict *verdict, const struct verdict_course *course,
                        struct page *page)
{
    static const char without[] = "this page was made without a ledger";
    page_heading(page, false, "Step time over commits");
    if (course == NULL || course->why != NULL) {
        page_paragraph(page, TONE_DIM, "Not drawn: %s.", course == NULL ? without : course->why);
        return;
    }
    struct series_picture *picture = picture_make(verdict, course, page->arena);
    page_picture(page, (struct drawing){picture->title, series_picture_draw, picture}, NULL);
}
