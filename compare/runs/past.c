/* Implements what is set aside: outliers before the model of runs is made, other levels after it.
 */
#include "compare/runs/past.h"

#include "compare/changes/changes.h"
#include "compare/judgement/judgement.h"
#include "compare/provenance/provenance.h"
#include "compare/runs/newest.h"
#include "compare/runs/past_levels.h"
#include "compare/runs/runs.h"
#include "compare/runs/timeline.h"
#include "compare/statistics/statistics.h"

#include <math.h>
#include <string.h>

/* Runs that may be the first of a new level: fewer than a change of level is found by. */
enum { NEWEST_MOST = 2 };

/* So many standard deviations of the runs before, the newest runs stand apart. They stay past runs
 * as long as they are no outliers; only what they alone would make of the candidate is asked. */
static const double newest_distance = 3;

/* ---- outliers -------------------------------------------------------------------------------- */

/* Runs of one role in the order of time, with how far each is from its neighbours. */
struct neighbours {
    size_t *places; /* in the timeline */
    double *values;
    size_t count;
    struct apart apart;
};

static void neighbours_find(struct gate_state *judgement, enum run_role role,
                            struct neighbours *ret)
{
    size_t most = judgement->timeline_count;
    double matters = log1p(judgement->policy->min_effect_pct / 100);
    *ret = (struct neighbours){
        .places = arena_array(judgement->arena, size_t, most),
        .values = arena_array(judgement->arena, double, most),
    };
    for (size_t i = 0; i < most; i++) {
        double value = placed_run_value(&judgement->timeline[i]);
        if (judgement->timeline[i].role != role || isnan(value))
            continue;
        ret->places[ret->count] = i;
        ret->values[ret->count++] = value;
    }
    apart_find(ret->values, ret->count, matters, judgement->arena, &ret->apart);
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

static void outliers_set_aside(struct gate_state *judgement, enum run_role role)
{
    struct neighbours near;
    bool *gone = arena_array(judgement->arena, bool, judgement->timeline_count);
    neighbours_find(judgement, role, &near);
    if (near.count < APART_MIN_RUNS)
        return;
    double matters = log1p(judgement->policy->min_effect_pct / 100);
    double least = near.apart.least, before = 0;
    /* Three runs are a level that the model of runs knows, whatever the newest of them took. */
    bool is_asked = role == RUN_PAST && near.apart.settled == near.count;
    size_t newest = is_asked ? newest_moved(&near, least, &before) : 0;
    size_t asked = newest;
    if (is_asked && newest == 0)
        asked =
            newest_moved(&near, fmax(newest_distance * older_sd(&near, least), matters), &before);
    for (size_t i = 0; i < near.count; i++) {
        const struct placed_run *placed = &judgement->timeline[near.places[i]];
        bool is_newest = i >= near.count - newest;
        char name[NAME_TEXT_BYTES];
        if (!apart_is_far(&near.apart, i) && !is_newest)
            continue;
        gone[near.places[i]] = true;
        timeline_set_aside(
            judgement, placed, newest > 1 && is_newest ? "newest" : "outlier",
            arena_printf(judgement->arena, "Run %s took %+.1f %% against the runs %s.",
                         name_text(placed->run.id, name),
                         stats_percent(is_newest ? near.values[i] - before : near.apart.by[i]),
                         !is_newest   ? "around it"
                         : newest > 1 ? "before the newest 2"
                                      : "before it"));
    }
    /* Where others stand beside the candidate, the newest say nothing of its level. */
    size_t before_newest = near.places[near.count - NEWEST_MOST - 1];
    if (asked > 0 && judgement->timeline[before_newest].number < timeline_candidate(judgement)) {
        judgement->newest_stay = newest == 0;
        judgement->newest_apart =
            apart_median(near.values, near.count - asked, near.count) - before;
        newest_keep(judgement, judgement->timeline[near.places[near.count - asked]].number, asked,
                    gone);
    }
    timeline_drop(judgement, gone);
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
    if (!judgement->paired) /* what moves hits both runs of a pair */
        past_levels_find(judgement, &levels);
    runs_recent(judgement);
}

/* ---- reasons --------------------------------------------------------------------------------- */

void past_reasons(struct gate_state *judgement, enum newest_alone alone)
{
    const struct verdict *verdict = judgement->verdict;
    for (size_t i = 0; i < verdict->baseline.set_aside_count; i++) {
        const struct verdict_set_aside *item = &verdict->baseline.set_aside[i];
        if (strcmp(item->reason, "outlier") == 0 || strcmp(item->reason, "newest") == 0)
            reason_add(judgement, "baseline_outlier", "%s It is set aside.", item->text);
    }
    newest_reason(judgement, alone);
    past_levels_reasons(judgement);
}
