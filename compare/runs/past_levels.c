/* Implements the candidate's level among the past runs: the changes that are sure, and one that is
 * likely, next to it on either side. */
#include "compare/runs/past_levels.h"

#include "compare/runs/runs.h"
#include "compare/runs/timeline.h"
#include "compare/statistics/statistics.h"
#include "ops/runtime/text.h"

#include <math.h>
#include <string.h>

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

/* Baseline runs in timeline[from..end), which a jump parts from the candidate. They stay in the
 * timeline: the model knows the jump. */
static void level_set_aside(struct gate_state *judgement, size_t from, size_t end, double jump)
{
    for (size_t i = from; i < end; i++) {
        const struct placed_run *placed = &judgement->timeline[i];
        char name[NAME_TEXT_BYTES];
        if (placed->role != RUN_PAST)
            continue;
        timeline_set_aside(
            judgement, placed, "other_level",
            arena_printf(judgement->arena,
                         "Run %s ran on the other side of a change of level (%+.1f %%).",
                         name_text(placed->run.id, name), stats_percent(jump)));
    }
}

/* The changes around the candidate that are sure and matter: of those before it the newest two, of
 * those behind it the oldest two, the nearer one first; NULL: no such. */
struct sure_changes {
    const struct course_shift *before[2], *behind[2];
};

static struct sure_changes sure_find(const struct past_levels *levels, double matters,
                                     size_t candidate)
{
    struct sure_changes sure = {0};
    for (size_t i = 0; i < levels->shift_count; i++) {
        const struct course_shift *shift = &levels->shifts[i];
        if (!shift->confirmed || fabs(log(shift->after / shift->before)) <= matters)
            continue;
        if (shift->index < candidate) {
            sure.before[1] = sure.before[0];
            sure.before[0] = shift;
        } else if (sure.behind[1] == NULL) {
            sure.behind[sure.behind[0] != NULL] = shift;
        }
    }
    return sure;
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

/* Where the candidate's level lies among the past's runs, and by what it is parted from others. */
struct level_place {
    size_t begin, end;  /* past[begin..end) */
    size_t least, most; /* past[least..most) holds one of the changes around it, no other */
    double jump, end_jump;
    bool is_sure, end_is_sure;
};

/* By what is sure. The model knows one jump, which is that at the begin where there is one. */
static struct level_place level_of_sure(const struct past_runs *past,
                                        const struct past_levels *levels, double matters,
                                        size_t candidate)
{
    const struct sure_changes sure = sure_find(levels, matters, candidate);
    struct level_place level = {.end = past->count, .most = past->count};
    if (sure.before[0] != NULL) {
        level.begin = first_from(past, sure.before[0]->index);
        level.least = sure.before[1] == NULL ? 0 : first_from(past, sure.before[1]->index);
        level.jump = log(sure.before[0]->after / sure.before[0]->before);
        level.is_sure = true;
    }
    if (sure.behind[0] != NULL) {
        level.end = first_from(past, sure.behind[0]->index);
        level.end_jump = log(sure.behind[0]->after / sure.behind[0]->before);
        level.end_is_sure = true;
    }
    if (sure.before[0] != NULL)
        level.most = level.end;
    else if (sure.behind[1] != NULL)
        level.most = first_from(past, sure.behind[1]->index);
    return level;
}

/* What ran beyond the changes next to the candidate's level tells nothing of it. */
static bool others_drop(struct gate_state *judgement, const struct past_runs *past,
                        const struct level_place *level)
{
    if ((double)(level->most - level->least) < judgement->policy->min_past_runs)
        return true;
    bool *gone = arena_array(judgement->arena, bool, judgement->timeline_count);
    size_t from = level->least == 0 ? 0 : past->places[level->least];
    size_t end = level->most == past->count ? judgement->timeline_count : past->places[level->most];
    for (size_t i = 0; gone != NULL && i < judgement->timeline_count; i++) {
        gone[i] = (i < from || i >= end) && judgement->timeline[i].role != RUN_CANDIDATE;
        judgement->beyond_count += gone[i] && judgement->timeline[i].role == RUN_PAST;
    }
    if (gone != NULL)
        timeline_drop(judgement, gone);
    return gone != NULL;
}

static bool levels_settle(struct gate_state *judgement, const struct past_runs *past,
                          const struct past_levels *levels)
{
    struct verdict_statistics *out = &judgement->verdict->statistics;
    /* Smaller ones are modelled and neither named nor worth a baseline. */
    double matters = log1p(judgement->policy->min_effect_pct / 100) / 2;
    size_t candidate = timeline_candidate(judgement);
    struct level_place level = level_of_sure(past, levels, matters, candidate);
    struct stretch_answer answer;
    size_t from = level.begin, count = level.end - from;
    if (!stretch_ask(past->points + from, count, judgement->arena, &answer))
        return false;
    bool is_drift_told = fabs(answer.slope) * (double)count > matters;
    if (answer.drift_weight > STRETCH_LIKELIER && is_drift_told)
        out->drift_pct_per_run = some_f64(stats_percent(answer.slope));
    judgement->drift_is_sure = levels->drifts;
    judgement->drift_leads = levels->drifts || answer.drift_weight > STRETCH_LIKELY;
    if (answer.jump_weight > STRETCH_LIKELY && fabs(answer.jump) > matters &&
        is_told(levels, past->numbers[from + answer.place], answer.jump)) {
        bool is_begin = past->numbers[from + answer.place] < candidate;
        *(is_begin ? &level.begin : &level.end) = from + answer.place;
        *(is_begin ? &level.jump : &level.end_jump) = answer.jump;
        *(is_begin ? &level.is_sure : &level.end_is_sure) = false;
        level.most = level.begin > 0 ? level.end : from + count;
    }
    bool is_all = level.begin == 0 && level.end == past->count;
    if (is_all && is_drift_told && fabs(answer.jump) > matters && answer.drift_weight > open_part &&
        answer.drift_weight <= STRETCH_LIKELIER &&
        answer.drift_weight + answer.jump_weight > moves_surely) {
        judgement->open_drift_pct = some_f64(stats_percent(answer.slope));
        judgement->open_jump_pct = stats_percent(answer.jump);
    }
    if (is_all || level.begin == level.end)
        return true;
    if (level.begin > 0) {
        out->level_change_pct = some_f64(stats_percent(level.jump));
        judgement->level_is_sure = level.is_sure;
        level_set_aside(judgement, 0, past->places[level.begin], level.jump);
    }
    if (level.end < past->count) {
        out->level_end_pct = some_f64(stats_percent(level.end_jump));
        judgement->level_end_is_sure = level.end_is_sure;
        level_set_aside(judgement, past->places[level.end], judgement->timeline_count,
                        level.end_jump);
    }
    return others_drop(judgement, past, &level);
}

void past_levels_find(struct gate_state *judgement, const struct past_levels *levels)
{
    struct past_runs past;
    judgement->out_of_memory |=
        !past_take(judgement, &past) || !levels_settle(judgement, &past, levels);
}

/* " changed its level by +5.0 %" */
static void level_change_add(struct text *text, double by_pct, bool is_sure)
{
    text_addf(text, " %s its level by %+.1f %%%s", is_sure ? "changed" : "may have changed", by_pct,
              is_sure ? "" : " (likelier than not, and not shown for sure)");
}

static void levels_reason(struct gate_state *judgement)
{
    const struct verdict_statistics *statistics = &judgement->verdict->statistics;
    struct opt_f64 begin = statistics->level_change_pct, end = statistics->level_end_pct;
    const struct verdict_side *baseline = &judgement->verdict->baseline;
    size_t others = 0, beyond = judgement->beyond_count;
    for (size_t i = 0; i < baseline->set_aside_count; i++)
        others += strcmp(baseline->set_aside[i].reason, "other_level") == 0;
    scoped_text text;
    text_init(&text, 1 << 10);
    text_add(&text, "The past");
    if (begin.set)
        level_change_add(&text, begin.value, judgement->level_is_sure);
    if (begin.set && end.set)
        text_add(&text, " before the candidate, and");
    if (end.set) {
        level_change_add(&text, end.value, judgement->level_end_is_sure);
        text_add(&text, " behind the candidate, which was captured before that");
    }
    others -= beyond;
    if (others > 0)
        text_addf(&text, "; %zu past run%s of %s level%s %s only for how runs vary", others,
                  others == 1 ? "" : "s", begin.set && end.set ? "other" : "the other",
                  begin.set && end.set ? "s" : "", others == 1 ? "counts" : "count");
    if (beyond > 0)
        text_addf(&text, ", %zu of levels beyond not at all", beyond);
    judgement->out_of_memory |= text.refused;
    reason_add(judgement, "baseline_level_changed", "%s.", text_string(&text));
}

void past_levels_reasons(struct gate_state *judgement)
{
    const struct verdict_statistics *statistics = &judgement->verdict->statistics;
    if (statistics->level_change_pct.set || statistics->level_end_pct.set)
        levels_reason(judgement);
    if (statistics->drift_pct_per_run.set)
        reason_add(judgement, "baseline_drifts", "The past %s by %+.2f %% a run%s; %s.",
                   judgement->drift_is_sure ? "drifts" : "may drift",
                   statistics->drift_pct_per_run.value,
                   judgement->drift_is_sure ? "" : " (likelier than not, and not shown for sure)",
                   judgement->drift_leads
                       ? "the candidate is compared with where the drift leads"
                       : "the estimate goes by where that leads as far as it is likely");
    if (judgement->open_drift_pct.set)
        reason_add(judgement, "baseline_drifts",
                   "The past moves: it may drift by %+.2f %% a run, or have changed its level by "
                   "%+.1f %%; its runs do not tell which, and the estimate weighs both.",
                   judgement->open_drift_pct.value, judgement->open_jump_pct);
}
