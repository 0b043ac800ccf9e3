/* Implements what is set aside: outliers before the model of runs is made, other levels after it.
 */
#include "compare/runs/past.h"

#include "compare/changes/changes.h"
#include "compare/judgement/judgement.h"
#include "compare/provenance/provenance.h"
#include "compare/runs/runs.h"
#include "compare/runs/timeline.h"
#include "compare/statistics/statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Runs that may be the first of a new level: fewer than a change of level is found by. */
enum { NEWEST_MOST = 2 };

/* So many standard deviations of the runs before, the newest runs stand apart. They stay past runs
 * as long as they are no outliers; only what they alone would make of the candidate is asked. */
static const double newest_distance = 3;

static double percent(double logarithm)
{
    return 100 * expm1(logarithm);
}

/* ---- outliers -------------------------------------------------------------------------------- */

/* Runs of one role in the order of time, with how far each is from its neighbours. */
struct neighbours {
    size_t *places; /* in the timeline */
    double *values;
    size_t count;
    struct apart apart;
};

static bool neighbours_find(struct gate_state *judgement, enum run_role role,
                            struct neighbours *ret)
{
    size_t most = judgement->timeline_count;
    double matters = log1p(judgement->policy->min_effect_pct / 100);
    *ret = (struct neighbours){
        .places = arena_array(judgement->arena, size_t, most),
        .values = arena_array(judgement->arena, double, most),
    };
    if (ret->places == NULL || ret->values == NULL)
        return false;
    for (size_t i = 0; i < most; i++) {
        double value = placed_run_value(&judgement->timeline[i]);
        if (judgement->timeline[i].role != role || isnan(value))
            continue;
        ret->places[ret->count] = i;
        ret->values[ret->count++] = value;
    }
    return apart_find(ret->values, ret->count, matters, judgement->arena, &ret->apart);
}

/* The newest runs, fewer than a change of level is found by, that moved together from those before
 * them by more than `least`; *ret_before: where those stand. 0: none did. */
static size_t newest_moved(const struct neighbours *near, double least, double *ret_before)
{
    for (size_t count = NEWEST_MOST; count > 0; count--) {
        size_t first = near->count - count;
        double before = apart_median(near->values, first - APART_REACH, first),
               last = near->values[first - 1];
        double apart = fabs(near->values[near->count - 1] - near->values[first]);
        double moved = apart_median(near->values, first, near->count) - before;
        bool together = apart <= least && fabs(moved) - apart / 2 > least;
        if (together && fabs(last - before) < fabs(last - before - moved)) {
            *ret_before = before;
            return count;
        }
    }
    return 0;
}

/* Of the runs before the newest ones, without those that are farther than `least` from the others.
 */
static double older_sd(const struct neighbours *near, double least)
{
    double sum = 0, squares = 0, count = 0;
    for (size_t i = 0; i + NEWEST_MOST < near->count; i++) {
        if (fabs(near->apart.by[i]) > least)
            continue;
        double value = near->values[i] - near->values[0];
        sum += value;
        squares += value * value;
        count++;
    }
    return count > 1 ? sqrt(fmax(squares - sum * sum / count, 0) / (count - 1)) : 0;
}

/* "main's newest run m20 (commit 0123abcd)", "the baseline's newest 2 runs" */
static const char *newest_name(struct gate_state *judgement, const struct gate_run *run,
                               size_t count)
{
    const struct gate_profile *profile = run->profiles[0];
    char name[NAME_TEXT_BYTES], branch[NAME_TEXT_BYTES], commit[NAME_TEXT_BYTES];
    const char *of = profile->branch == NULL ? "the baseline" : name_text(profile->branch, branch);
    if (count > 1)
        return arena_printf(judgement->arena, "%s's newest %zu runs", of, count);
    if (profile->commit == NULL)
        return arena_printf(judgement->arena, "%s's newest run %s", of, name_text(run->id, name));
    return arena_printf(judgement->arena, "%s's newest run %s (commit %s)", of,
                        name_text(run->id, name), name_text(profile->commit, commit));
}

/* Past runs before the newest tell only how runs vary, as those of another baseline would. */
static void newest_keep(struct gate_state *judgement, const struct neighbours *near, size_t count,
                        const bool *gone)
{
    struct placed_run *rows =
        arena_array(judgement->arena, struct placed_run, judgement->timeline_count);
    size_t first = near->places[near->count - count], kept = 0;
    judgement->out_of_memory |= rows == NULL;
    for (size_t i = 0; rows != NULL && i < judgement->timeline_count; i++) {
        const struct placed_run *placed = &judgement->timeline[i];
        bool is_newest = placed->role == RUN_PAST && i >= first;
        if (placed->role == RUN_OTHER || (gone[i] && !is_newest))
            continue;
        rows[kept] = *placed;
        rows[kept++].role = placed->role == RUN_PAST && !is_newest ? RUN_OTHER : placed->role;
    }
    judgement->newest_timeline = rows;
    judgement->newest_timeline_count = kept;
    judgement->newest_count = count;
    judgement->newest_name = newest_name(judgement, &judgement->timeline[first].run, count);
    judgement->out_of_memory |= judgement->newest_name == NULL;
}

static void outliers_set_aside(struct gate_state *judgement, enum run_role role)
{
    struct neighbours near;
    bool *gone = arena_array(judgement->arena, bool, judgement->timeline_count);
    if (gone == NULL || !neighbours_find(judgement, role, &near)) {
        judgement->out_of_memory = true;
        return;
    }
    if (near.count < APART_MIN_RUNS)
        return;
    double matters = log1p(judgement->policy->min_effect_pct / 100);
    double least = near.apart.least, before = 0;
    size_t newest = role == RUN_PAST ? newest_moved(&near, least, &before) : 0;
    size_t asked = newest;
    if (role == RUN_PAST && newest == 0)
        asked =
            newest_moved(&near, fmax(newest_distance * older_sd(&near, least), matters), &before);
    for (size_t i = 0; i < near.count; i++) {
        const struct placed_run *placed = &judgement->timeline[near.places[i]];
        bool is_newest = i >= near.count - newest;
        char name[NAME_TEXT_BYTES];
        if (fabs(near.apart.by[i]) <= near.apart.farthest && !is_newest)
            continue;
        gone[near.places[i]] = true;
        timeline_set_aside(
            judgement, placed, newest > 1 && is_newest ? "newest" : "outlier",
            arena_printf(judgement->arena, "Run %s took %+.1f %% against the runs %s.",
                         name_text(placed->run.id, name),
                         percent(is_newest ? near.values[i] - before : near.apart.by[i]),
                         !is_newest   ? "around it"
                         : newest > 1 ? "before the newest 2"
                                      : "before it"));
    }
    if (asked > 0) {
        judgement->newest_stay = newest == 0;
        judgement->newest_apart =
            apart_median(near.values, near.count - asked, near.count) - before;
        newest_keep(judgement, &near, asked, gone);
    }
    timeline_drop(judgement, gone);
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* Which levels the past had, and whether it drifts: what trends tell of the same runs
 * (changes/course.h), and the model of runs with what the gate knows of them beside (hosts, steps,
 * baselines). A change that a trend of the same runs confirms is one here too; one that is only
 * likely by the model parts the runs as well, and is told as possible.
 *
 * The changes of level that a trend tells of all past runs, before any is set aside: */
struct past_levels {
    bool is_known;               /* they are of one baseline */
    struct course_shift *shifts; /* places are the numbers of placed runs */
    size_t shift_count;
    bool drifts;
};

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

/* Of the timeline as it was built. Sets out_of_memory. */
static void past_levels_tell(struct gate_state *judgement, struct past_levels *ret_levels)
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
    if (older == 0 || (double)(past->count - older) < judgement->policy->min_past_runs)
        return true;
    /* The model knows one jump: what ran before the newest but one of those that are sure
     * tells it nothing of this level. */
    bool *gone = arena_array(judgement->arena, bool, judgement->timeline_count);
    for (size_t i = 0; gone != NULL && i < past->places[older]; i++)
        gone[i] = judgement->timeline[i].role != RUN_CANDIDATE;
    if (gone != NULL)
        timeline_drop(judgement, gone);
    return gone != NULL;
}

/* Behind the outliers: sets runs of other levels than the candidate's aside, by name, and fills the
 * verdict's drift and change of level. What a trend confirms is a level here too; what is only
 * likely by the model is one where a trend tells of it. Sets out_of_memory. */
static void past_levels_find(struct gate_state *judgement, const struct past_levels *levels)
{
    struct past_runs past;
    judgement->out_of_memory |=
        !past_take(judgement, &past) || !levels_settle(judgement, &past, levels);
}

/* ---- the whole ------------------------------------------------------------------------------- */

void past_sift(struct gate_state *judgement)
{
    struct past_levels levels = {0};
    if (!judgement->paired) { /* a pair stands and falls together */
        past_levels_tell(judgement, &levels);
        outliers_set_aside(judgement, RUN_PAST);
    }
    outliers_set_aside(judgement, RUN_OTHER);
    if (judgement->out_of_memory)
        return;
    if (!judgement->paired) /* what moves hits both runs of a pair */
        past_levels_find(judgement, &levels);
    judgement->out_of_memory |= !runs_recent(judgement);
}

/* ---- reasons --------------------------------------------------------------------------------- */

static size_t set_aside_count(const struct verdict *verdict, const char *reason)
{
    size_t count = 0;
    for (size_t i = 0; i < verdict->baseline.set_aside_count; i++)
        count += strcmp(verdict->baseline.set_aside[i].reason, reason) == 0;
    return count;
}

static void newest_reason(struct gate_state *judgement, enum newest_alone alone)
{
    bool one = judgement->newest_count == 1;
    bool has_answer = judgement->verdict->status == VERDICT_PASS; /* and asks for nothing */
    char said[80] = "";
    if (alone != NEWEST_SAY_THE_SAME)
        (void)snprintf(said, sizeof said, " Against %s alone the candidate would %sfail.",
                       one ? "it" : "them", alone == NEWEST_WOULD_FAIL ? "" : "not surely ");
    reason_add(judgement, "baseline_newest_moved",
               "The baseline's newest %s moved, and no run behind %s tells an accident from a new "
               "level%s.%s",
               one ? "run" : "2 runs", one ? "it" : "them",
               has_answer ? "" : ": more runs of the baseline would", said);
}

void past_reasons(struct gate_state *judgement, enum newest_alone alone)
{
    const struct verdict *verdict = judgement->verdict;
    const struct verdict_statistics *statistics = &verdict->statistics;
    for (size_t i = 0; i < verdict->baseline.set_aside_count; i++) {
        const struct verdict_set_aside *item = &verdict->baseline.set_aside[i];
        if (strcmp(item->reason, "outlier") == 0 || strcmp(item->reason, "newest") == 0)
            reason_add(judgement, "baseline_outlier", "%s It is set aside.", item->text);
    }
    if (judgement->newest_count > 0 && (!judgement->newest_stay || alone != NEWEST_SAY_THE_SAME))
        newest_reason(judgement, alone);
    size_t others = set_aside_count(verdict, "other_level");
    if (statistics->level_change_pct.set) {
        char rest[120] = "";
        if (others > 0)
            (void)snprintf(rest, sizeof rest,
                           "; %zu past run%s of the other level %s only for how runs vary", others,
                           others == 1 ? "" : "s", others == 1 ? "counts" : "count");
        reason_add(judgement, "baseline_level_changed", "The past %s its level by %+.1f %%%s%s.",
                   judgement->level_is_sure ? "changed" : "may have changed",
                   statistics->level_change_pct.value,
                   judgement->level_is_sure ? "" : " (likelier than not, and not shown for sure)",
                   rest);
    }
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
