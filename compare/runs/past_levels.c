/* Implements the candidate's level among the past runs: the changes that are sure, and one that is
 * likely, next to it on either side. */
#include "compare/runs/past_levels.h"

#include "compare/runs/newest.h"
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

static struct past_runs past_take(const struct gate_state *judgement)
{
    size_t most = judgement->timeline_count;
    struct past_runs past = {arena_array(judgement->arena, struct run_point, most),
                             arena_array(judgement->arena, double, most),
                             arena_array(judgement->arena, size_t, most),
                             arena_array(judgement->arena, size_t, most), 0};
    for (size_t i = 0; i < most; i++) {
        const struct placed_run *placed = &judgement->timeline[i];
        double value = placed_run_value(placed);
        if (placed->role == RUN_CANDIDATE || isnan(value))
            continue;
        past.places[past.count] = i;
        past.numbers[past.count] = placed->number;
        past.times[past.count] = exp(value);
        past.points[past.count++] =
            (struct run_point){placed->role, value, placed->variance, placed->hosts, placed->pair};
    }
    return past;
}

/* Half of what the policy asks for, as a logarithm: smaller changes are modelled and neither named
 * nor worth a baseline. */
static double least_change(const struct gate_state *judgement)
{
    return log1p(judgement->policy->min_effect_pct / 100) / 2;
}

/* Runs in timeline[from..end), which an edge parts from the candidate. */
struct aside {
    size_t from, end;
    const struct course_edge *edge; /* NULL: a change of level that is only likely */
    double jump;                    /* 0: the level does not change there */
    bool is_before;                 /* they are older than the candidate */
};

static double slope_change(const struct course_slope *slope)
{
    return stats_percent(log(slope->after / slope->before));
}

static const char *aside_text(struct gate_state *judgement, const struct aside *aside,
                              const struct placed_run *placed)
{
    char name[NAME_TEXT_BYTES];
    const struct course_edge *edge = aside->edge;
    (void)name_text(placed->run.id, name);
    if (fabs(aside->jump) > 0)
        return arena_printf(judgement->arena,
                            "Run %s ran on the other side of a change of level (%+.1f %%).", name,
                            stats_percent(aside->jump));
    bool over = edge->ends != NULL;
    return arena_printf(judgement->arena, "Run %s ran %s a drift (%+.1f %%) %s.", name,
                        aside->is_before ? "before" : "when",
                        slope_change(over ? edge->ends : edge->begins),
                        aside->is_before ? (over ? "ended" : "began")
                        : over           ? "had ended"
                                         : "had begun");
}

/* They stay in the timeline: the model knows a jump. */
static void stretch_set_aside(struct gate_state *judgement, const struct aside *aside)
{
    for (size_t i = aside->from; i < aside->end; i++) {
        const struct placed_run *placed = &judgement->timeline[i];
        if (placed->role == RUN_PAST)
            timeline_set_aside(judgement, placed, fabs(aside->jump) > 0 ? "other_level" : "drift",
                               aside_text(judgement, aside, placed));
    }
}

/* The edges around the candidate: of those before it the newest two, of those behind it the oldest
 * two, the nearer one first; NULL: no such. */
struct sure_edges {
    const struct course_edge *before[2], *behind[2];
};

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
    const struct past_runs past = past_take(judgement);
    struct err err = {0};
    *ret_levels = (struct past_levels){0};
    ret_levels->is_known = is_one_baseline(&past);
    /* of the budget gate_judge asks */
    if (ret_levels->is_known &&
        course_find(past.times, past.count, judgement->arena, &ret_levels->found, &err))
        course_edges_find(&ret_levels->found, past.count, least_change(judgement), judgement->arena,
                          &ret_levels->edges);
    /* Numbers of placed runs for places among the past's. */
    for (size_t i = 0; i < ret_levels->found.shift_count; i++) {
        struct course_shift *shift = &ret_levels->found.shifts[i];
        shift->index = past.numbers[shift->index];
        shift->first = past.numbers[shift->first];
        shift->last = past.numbers[shift->last];
    }
    for (size_t i = 0; i < ret_levels->found.slope_count; i++) {
        struct course_slope *slope = &ret_levels->found.slopes[i];
        slope->first = past.numbers[slope->first];
        slope->end = slope->end < past.count ? past.numbers[slope->end] : SIZE_MAX;
    }
    for (size_t i = 0; i < ret_levels->edges.count; i++)
        ret_levels->edges.items[i].place = past.numbers[ret_levels->edges.items[i].place];
}

/* A change that trends tell as well, for sure or not, of the same direction and about there. */
static bool is_told(const struct past_levels *levels, size_t number, double jump)
{
    enum { BESIDE = 2 };
    for (size_t i = 0; i < levels->found.shift_count; i++) {
        const struct course_shift *shift = &levels->found.shifts[i];
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

/* Where the candidate's level, or drift, lies among the past's runs, and by what it is parted from
 * others. */
struct level_place {
    size_t begin, end;  /* past[begin..end) */
    size_t least, most; /* past[least..most) holds one of the changes around it, no other */
    const struct course_edge *before, *behind; /* NULL: none is, or only likely to be */
    double jump, end_jump;
};

static double edge_jump(const struct course_edge *edge)
{
    return edge->shift == NULL ? 0 : log(edge->shift->after / edge->shift->before);
}

/* The model knows a jump between levels: what drifts on one side of an edge, or on both, tells
 * nothing of the other one. */
static bool is_between_levels(const struct course_edge *edge)
{
    return edge->shift != NULL && edge->ends == NULL && edge->begins == NULL;
}

/* By what is sure. The model knows one jump, which is that at the begin where there is one. */
static struct level_place level_of_sure(const struct past_runs *past,
                                        const struct past_levels *levels, size_t candidate)
{
    struct sure_edges sure = {0};
    for (size_t i = 0; i < levels->edges.count; i++) {
        const struct course_edge *edge = &levels->edges.items[i];
        if (edge->place < candidate) {
            sure.before[1] = sure.before[0];
            sure.before[0] = edge;
        } else if (sure.behind[1] == NULL) {
            sure.behind[sure.behind[0] != NULL] = edge;
        }
    }
    struct level_place level = {.end = past->count,
                                .most = past->count,
                                .before = sure.before[0],
                                .behind = sure.behind[0]};
    if (level.before != NULL) {
        level.begin = first_from(past, level.before->place);
        level.least = sure.before[1] == NULL ? 0 : first_from(past, sure.before[1]->place);
        level.least = is_between_levels(level.before) ? level.least : level.begin;
        level.jump = edge_jump(level.before);
    }
    if (level.behind != NULL) {
        level.end = first_from(past, level.behind->place);
        level.end_jump = edge_jump(level.behind);
        level.most = level.end;
    }
    if (level.behind != NULL && is_between_levels(level.behind) && level.least == level.begin)
        level.most = sure.behind[1] == NULL ? past->count : first_from(past, sure.behind[1]->place);
    return level;
}

/* What ran beyond the changes next to the candidate's level tells nothing of it. */
static void others_drop(struct gate_state *judgement, const struct past_runs *past,
                        const struct level_place *level)
{
    if ((double)(level->most - level->least) < judgement->policy->min_past_runs)
        return;
    bool *gone = arena_array(judgement->arena, bool, judgement->timeline_count);
    size_t from = level->least == 0 ? 0 : past->places[level->least];
    size_t end = level->most == past->count ? judgement->timeline_count : past->places[level->most];
    for (size_t i = 0; i < judgement->timeline_count; i++) {
        bool is_before = i < from, is_past = judgement->timeline[i].role == RUN_PAST;
        double jump = is_before ? level->jump : level->end_jump;
        gone[i] = (is_before || i >= end) && judgement->timeline[i].role != RUN_CANDIDATE;
        judgement->beyond_count += gone[i] && is_past && fabs(jump) > 0;
    }
    timeline_drop(judgement, gone);
}

static bool is_in_drift(const struct past_levels *levels, size_t candidate)
{
    for (size_t i = 0; i < levels->found.slope_count; i++) {
        const struct course_slope *slope = &levels->found.slopes[i];
        if (slope->is_sure && candidate > slope->first && candidate <= slope->end)
            return true;
    }
    return false;
}

/* What the model holds likely inside of what is sure. */
static void likely_take(struct gate_state *judgement, const struct past_runs *past,
                        const struct stretch_answer *answer, struct level_place *level)
{
    size_t place = level->begin + answer->place;
    if (past->numbers[place] < timeline_candidate(judgement)) {
        level->least = level->begin;
        level->most = level->end;
        level->begin = place;
        level->jump = answer->jump;
        level->before = NULL;
    } else {
        level->most = level->least == level->begin ? level->end : place;
        level->end = place;
        level->end_jump = answer->jump;
        level->behind = NULL;
    }
}

static void level_aside(struct gate_state *judgement, const struct past_runs *past,
                        const struct level_place *level)
{
    struct verdict_statistics *out = &judgement->verdict->statistics;
    if (level->begin > 0) {
        struct aside aside = {0, past->places[level->begin], level->before, level->jump, true};
        stretch_set_aside(judgement, &aside);
    }
    if (level->end < past->count) {
        struct aside aside = {past->places[level->end], judgement->timeline_count, level->behind,
                              level->end_jump, false};
        stretch_set_aside(judgement, &aside);
    }
    if (fabs(level->jump) > 0)
        out->level_change_pct = some_f64(stats_percent(level->jump));
    if (fabs(level->end_jump) > 0)
        out->level_end_pct = some_f64(stats_percent(level->end_jump));
    judgement->level_is_sure = level->before != NULL;
    judgement->level_end_is_sure = level->behind != NULL;
    judgement->edge_before = level->before;
    judgement->edge_behind = level->behind;
}

void past_levels_find(struct gate_state *judgement, const struct past_levels *levels)
{
    const struct past_runs past = past_take(judgement);
    size_t candidate = timeline_candidate(judgement);
    struct level_place level = level_of_sure(&past, levels, candidate);
    struct stretch_answer answer;
    size_t count = level.end - level.begin;
    stretch_ask(past.points + level.begin, count, judgement->arena, &answer);
    judgement->drift_is_sure = is_in_drift(levels, candidate);
    judgement->drift_leads = judgement->drift_is_sure || answer.drift_weight > STRETCH_LIKELY;
    if (answer.jump_weight > STRETCH_LIKELY && fabs(answer.jump) > least_change(judgement) &&
        is_told(levels, past.numbers[level.begin + answer.place], answer.jump))
        likely_take(judgement, &past, &answer, &level);
    bool is_all = level.begin == 0 && level.end == past.count;
    /* A drift or a change of level that the model holds likely; is_all: the past has one stretch.
     */
    struct verdict_statistics *out = &judgement->verdict->statistics;
    double matters = least_change(judgement);
    bool is_drift_told = fabs(answer.slope) * (double)count > matters;
    if (answer.drift_weight > STRETCH_LIKELIER && is_drift_told)
        out->drift_pct_per_run = some_f64(stats_percent(answer.slope));
    if (is_all && is_drift_told && fabs(answer.jump) > matters && answer.drift_weight > open_part &&
        answer.drift_weight <= STRETCH_LIKELIER &&
        answer.drift_weight + answer.jump_weight > moves_surely) {
        judgement->open_drift_pct = some_f64(stats_percent(answer.slope));
        judgement->open_jump_pct = stats_percent(answer.jump);
    }
    bool is_whole = is_all || level.begin == level.end;
    if (!is_whole) {
        level_aside(judgement, &past, &level);
        others_drop(judgement, &past, &level);
    }
    /* The newest runs that the model rather holds for a level of their own, fewer than tell it for
     * sure. Where it holds that likely they are the baseline; else the past as a whole is, and they
     * are asked beside it. Behind others_drop. */
    bool is_level = level.before == NULL && level.begin > 0;
    size_t place = level.begin + (is_level ? 0 : answer.place), fresh = past.count - place;
    if (answer.jump_weight <= STRETCH_LIKELIER ||
        fabs(answer.jump) <= 2 * least_change(judgement) || judgement->newest_count > 0 ||
        fresh >= COURSE_NEWEST_RUNS || past.numbers[past.count - 1] > timeline_candidate(judgement))
        return;
    judgement->newest_is_level = is_level;
    judgement->newest_stay = true;
    judgement->newest_apart = answer.jump;
    newest_keep(judgement, past.numbers[place], fresh, NULL);
}

/* " changed its level by +5.0 %" */
static void level_change_add(struct text *text, double by_pct, bool is_sure)
{
    text_addf(text, " %s its level by %+.1f %%%s", is_sure ? "changed" : "may have changed", by_pct,
              is_sure ? "" : " (likelier than not, and not shown for sure)");
}

/* What is said of an edge without a change of level, by whether a drift ends there and whether it
 * lies before the candidate. */
static const char *const drift_edge_words[2][2] = {
    {"began behind the candidate, which was captured before that: runs since then do not count",
     "began before the candidate: runs of before it do not count"},
    {"ended behind the candidate, which was captured before that: runs since then do not count",
     "ended before the candidate, which is compared with runs since then alone"},
};

static void drift_edge_reason(struct gate_state *judgement, const struct course_edge *edge,
                              bool is_before)
{
    if (edge == NULL || edge->shift != NULL)
        return;
    bool ends = edge->ends != NULL;
    reason_add(judgement, "baseline_drift_apart", "A drift of the past (%+.1f %%) %s.",
               slope_change(ends ? edge->ends : edge->begins), drift_edge_words[ends][is_before]);
}

static void levels_reason(struct gate_state *judgement)
{
    const struct verdict_statistics *statistics = &judgement->verdict->statistics;
    struct opt_f64 begin = statistics->level_change_pct, end = statistics->level_end_pct;
    const struct verdict_side *baseline = &judgement->verdict->baseline;
    size_t others = 0, beyond = judgement->beyond_count;
    char words[NEWEST_WORDS_BYTES];
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
    const char *against = newest_before_words(judgement, words);
    if (judgement->newest_is_level && against[0] != '\0')
        text_addf(&text, ". The candidate is %s", against);
    reason_add(judgement, "baseline_level_changed", "%s.", text_shown(&text));
}

void past_levels_reasons(struct gate_state *judgement)
{
    const struct verdict_statistics *statistics = &judgement->verdict->statistics;
    if (statistics->level_change_pct.set || statistics->level_end_pct.set)
        levels_reason(judgement);
    drift_edge_reason(judgement, judgement->edge_before, true);
    drift_edge_reason(judgement, judgement->edge_behind, false);
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
