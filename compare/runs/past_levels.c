/* Implements the levels of the past. A change that a trend of the same runs confirms is one here
 * too; one that is only likely by the model parts the runs as well, and is told as possible. */
#include "compare/runs/past_levels.h"

#include "compare/runs/runs.h"
#include "compare/runs/timeline.h"

#include <math.h>

static double percent(double logarithm)
{
    return 100 * expm1(logarithm);
}

/* Past runs of all baselines in the order of time. */
struct past_runs {
    struct run_point *points;
    double *times;            /* not logarithms, as a trend has them */
    size_t *places, *numbers; /* in the timeline as it is, and as it was built */
    size_t count;
};

static bool past_take(struct gate_state *judgement, struct past_runs *ret)
{
    size_t most = judgement->timeline_count;
    *ret = (struct past_runs){arena_array(judgement->arena, struct run_point, most),
                              arena_array(judgement->arena, double, most),
                              arena_array(judgement->arena, size_t, most),
                              arena_array(judgement->arena, size_t, most), 0};
    if (ret->points == NULL || ret->times == NULL || ret->places == NULL || ret->numbers == NULL)
        return false;
    for (size_t i = 0; i < most; i++) {
        const struct placed_run *placed = &judgement->timeline[i];
        double value = placed_run_value(placed);
        if (placed->role == RUN_CANDIDATE || isnan(value))
            continue;
        ret->places[ret->count] = i;
        ret->numbers[ret->count] = placed->number;
        ret->times[ret->count] = exp(value);
        ret->points[ret->count++] =
            (struct run_point){placed->role, value, placed->variance, placed->hosts, placed->pair};
    }
    return true;
}

/* Baseline runs that a jump at that place of the timeline parts from the candidate. They stay in
 * the timeline: the model knows the jump. */
static void level_set_aside(struct gate_state *judgement, size_t place, double jump)
{
    bool behind = false;
    for (size_t i = place; i < judgement->timeline_count; i++)
        behind |= judgement->timeline[i].role == RUN_CANDIDATE;
    for (size_t i = 0; i < judgement->timeline_count; i++) {
        const struct placed_run *placed = &judgement->timeline[i];
        char name[NAME_TEXT_BYTES];
        if (placed->role != RUN_PAST || (i >= place) == behind)
            continue;
        timeline_set_aside(
            judgement, placed, "other_level",
            arena_printf(judgement->arena,
                         "Run %s ran on the other side of a change of level (%+.1f %%).",
                         name_text(placed->run.id, name), percent(jump)));
    }
}

/* The model knows one jump: what ran before the newest but one of those that are sure tells it
 * nothing of this level. */
static bool older_levels_drop(struct gate_state *judgement, size_t place)
{
    bool *gone = arena_array(judgement->arena, bool, judgement->timeline_count);
    for (size_t i = 0; gone != NULL && i < place; i++)
        gone[i] = judgement->timeline[i].role != RUN_CANDIDATE;
    if (gone != NULL)
        timeline_drop(judgement, gone);
    return gone != NULL;
}

/* The newest two changes that are sure and matter, the newest first; NULL: no such. */
static void sure_find(const struct past_levels *levels, double matters,
                      const struct course_shift *ret_sure[2])
{
    ret_sure[0] = ret_sure[1] = NULL;
    for (size_t i = 0; i < levels->shift_count; i++) {
        const struct course_shift *shift = &levels->shifts[i];
        if (!shift->confirmed || fabs(log(shift->after / shift->before)) <= matters)
            continue;
        ret_sure[1] = ret_sure[0];
        ret_sure[0] = shift;
    }
}

/* Which of the past's runs a trend could be drawn of: those of one baseline. */
static bool is_one_baseline(const struct past_runs *past)
{
    for (size_t i = 1; i < past->count; i++) {
        if (past->points[i].role != past->points[0].role)
            return false;
    }
    return true;
}

void past_levels_tell(struct gate_state *judgement, struct past_levels *ret_levels)
{
    struct past_runs past;
    struct course_findings found = {0};
    struct err err = {0};
    *ret_levels = (struct past_levels){0};
    bool done = past_take(judgement, &past);
    ret_levels->is_known = done && is_one_baseline(&past);
    if (ret_levels->is_known)
        done = course_find(past.times, past.count, judgement->arena, &found, &err);
    for (size_t i = 0; i < found.shift_count; i++) {
        struct course_shift *shift = &found.shifts[i];
        shift->index = past.numbers[shift->index];
        shift->first = past.numbers[shift->first];
        shift->last = past.numbers[shift->last];
    }
    ret_levels->shifts = found.shifts;
    ret_levels->shift_count = found.shift_count;
    for (size_t i = 0; i < found.slope_count; i++)
        ret_levels->drifts |= found.slopes[i].is_sure;
    judgement->out_of_memory |= !done;
}

/* A change that trends tell as well, for sure or not, of the same direction and about there. */
static bool is_told(const struct past_levels *levels, size_t number, double jump)
{
    enum { BESIDE = 2 };
    for (size_t i = 0; i < levels->shift_count; i++) {
        const struct course_shift *shift = &levels->shifts[i];
        if ((shift->after > shift->before) == (jump > 0) && number + BESIDE >= shift->first &&
            number <= shift->last + BESIDE)
            return true;
    }
    return !levels->is_known;
}

/* The first of the runs from that number on; their count when there is none. */
static size_t first_from(const struct past_runs *past, size_t number)
{
    size_t first = 0;
    while (first < past->count && past->numbers[first] < number)
        first++;
    return first;
}

/* A drift that is less likely is told beside the change of level that it may be as well, where the
 * past surely does one of the two. */
static const double open_part = 0.2, moves_surely = 0.9;

static bool levels_settle(struct gate_state *judgement, const struct past_runs *past,
                          const struct past_levels *levels)
{
    struct verdict_statistics *out = &judgement->verdict->statistics;
    /* Smaller ones are modelled and neither named nor worth a baseline. */
    double matters = log1p(judgement->policy->min_effect_pct / 100) / 2;
    const struct course_shift *sure[2];
    struct stretch_answer answer;
    sure_find(levels, matters, sure);
    size_t from = sure[0] == NULL ? 0 : first_from(past, sure[0]->index);
    size_t older = sure[1] == NULL ? 0 : first_from(past, sure[1]->index);
    if (!stretch_ask(past->points + from, past->count - from, judgement->arena, &answer))
        return false;
    bool is_drift_told = fabs(answer.slope) * (double)(past->count - from) > matters;
    if (answer.drift_weight > STRETCH_LIKELIER && is_drift_told)
        out->drift_pct_per_run = some_f64(percent(answer.slope));
    judgement->drift_is_sure = levels->drifts;
    judgement->drift_leads = levels->drifts || answer.drift_weight > STRETCH_LIKELY;
    size_t begin = from;
    double jump = sure[0] == NULL ? 0 : log(sure[0]->after / sure[0]->before);
    judgement->level_is_sure = sure[0] != NULL;
    if (answer.jump_weight > STRETCH_LIKELY && fabs(answer.jump) > matters &&
        is_told(levels, past->numbers[from + answer.place], answer.jump)) {
        begin = from + answer.place;
        jump = answer.jump;
        judgement->level_is_sure = false;
    }
    if (begin == 0 && is_drift_told && fabs(answer.jump) > matters &&
        answer.drift_weight > open_part && answer.drift_weight <= STRETCH_LIKELIER &&
        answer.drift_weight + answer.jump_weight > moves_surely) {
        judgement->open_drift_pct = some_f64(percent(answer.slope));
        judgement->open_jump_pct = percent(answer.jump);
    }
    if (begin == 0 || begin == past->count)
        return true;
    out->level_change_pct = some_f64(percent(jump));
    level_set_aside(judgement, past->places[begin], jump);
    return older == 0 || (double)(past->count - older) < judgement->policy->min_past_runs ||
           older_levels_drop(judgement, past->places[older]);
}

void past_levels_find(struct gate_state *judgement, const struct past_levels *levels)
{
    struct past_runs past;
    judgement->out_of_memory |=
        !past_take(judgement, &past) || !levels_settle(judgement, &past, levels);
}
