/* Implements the look at the thirds of a capture. */
#include "compare/steps/step_growth.h"

#include "compare/statistics/statistics.h"
#include "schema/documents/measures.h"

#include <math.h>
#include <stdio.h>

/* What of a step is looked at: all that was waited for, or the step alone. */
enum grown { GROWN_WAITED, GROWN_STEP };

/* A capture's: medians of its first, second and last third, and t of the trend through its steps.
 */
enum { THIRDS = 3, STEPS_OF_THIRD = 3 };
struct course_of_steps {
    double thirds[THIRDS], t;
};

static size_t steps_read(const struct step_table *steps, enum grown which, double *us)
{
    size_t first = steps_first_warmup(steps), count = 0;
    if (which == GROWN_WAITED)
        return steps_waited(steps, first, us);
    for (size_t i = first; i < steps->count; i++) {
        if (steps->rows[i].max_ps > 0)
            us[count++] = (double)steps->rows[i].max_ps / 1e6;
    }
    return count;
}

/* false: too few steps to tell. */
static bool course_find(struct gate_state *judgement, const struct summary *summary,
                        enum grown which, struct course_of_steps *ret)
{
    struct arena_mark mark = arena_mark(judgement->arena);
    double *us = arena_array(judgement->arena, double, summary->steps.count);
    size_t count = steps_read(&summary->steps, which, us);
    size_t length = count / THIRDS;
    bool enough = length >= STEPS_OF_THIRD;
    if (enough)
        ret->t = stats_trend(us, count).t;
    for (size_t i = 0; enough && i < THIRDS; i++) {
        double *first = us + (i == THIRDS - 1 ? count - length : i * length);
        stats_sort(first, length);
        ret->thirds[i] = stats_quantile(first, length, 0.5);
    }
    arena_rewind(judgement->arena, mark);
    return enough;
}

/* Of all captures of runs: means of the first and the last third, t of all together. */
struct growth {
    double first, last, t;
};

/* false: not each capture grows from third to third, by `least` (a logarithm) in all. */
static bool growth_find(struct gate_state *judgement, const struct gate_runs *runs,
                        enum grown which, double least, struct growth *ret)
{
    double count = 0;
    *ret = (struct growth){0};
    for (size_t i = 0; i < runs->count; i++) {
        for (size_t j = 0; j < runs->items[i].profile_count; j++) {
            struct course_of_steps course;
            const double *thirds = course.thirds;
            if (!judgement->steps_are_ours ||
                !course_find(judgement, runs->items[i].profiles[j]->summary, which, &course) ||
                thirds[1] <= thirds[0] || thirds[2] <= thirds[1] ||
                log(thirds[2] / thirds[0]) < least)
                return false;
            ret->first += thirds[0];
            ret->last += thirds[2];
            ret->t += course.t;
            count++;
        }
    }
    ret->first /= fmax(count, 1);
    ret->last /= fmax(count, 1);
    ret->t /= sqrt(fmax(count, 1));
    return count > 0;
}

bool step_growth_text(struct gate_state *judgement, double margin, char *buffer, size_t size)
{
    struct growth growth;
    char pair[FORMAT_CHANGE_BYTES];
    bool grows = growth_find(judgement, &judgement->candidate, GROWN_WAITED, margin, &growth);
    if (grows)
        (void)snprintf(buffer, size,
                       "steps take longer and longer, %s from the first third of a capture to its "
                       "last",
                       format_change(growth.first, growth.last, pair));
    return grows;
}

/* What growth explains of a longer step, at least. */
static const double most_of_it = 0.5;

void step_growth_cause(struct gate_state *judgement)
{
    struct verdict *verdict = judgement->verdict;
    struct opt_f64 before = verdict->baseline.step_median_us;
    struct opt_f64 after = verdict->candidate.step_median_us;
    double margin = log1p(judgement->policy->min_effect_pct / 100);
    struct growth now, past;
    if (verdict->cause.kind != NULL || !before.set || !after.set ||
        !growth_find(judgement, &judgement->candidate, GROWN_STEP, margin, &now) ||
        now.t <= judgement->policy->max_drift_t ||
        growth_find(judgement, &judgement->recent, GROWN_STEP, 0, &past))
        return;
    double gain = after.value - before.value;
    double share = gain > 0 ? fmin((after.value - now.first) / gain, 1) : 0;
    if (share < most_of_it)
        return;
    verdict->cause = (struct verdict_cause){
        .kind = "growth",
        .delta_us = share * gain,
        .change_pct = some_f64(100 * (now.last / now.first - 1)),
        .share_of_delta = some_f64(share),
    };
}
