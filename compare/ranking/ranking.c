/* Implements the ranking: captures become runs, runs groups, groups are put in order. */
#include "compare/ranking/ranking.h"

#include "compare/provenance/provenance.h"
#include "compare/ranking/ranked_facts.h"
#include "compare/ranking/ranked_notes.h"
#include "compare/statistics/statistics.h"
#include "ops/runtime/text.h"
#include "schema/documents/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A run while it is looked at: its captures in the order in which they were named. */
struct attempt {
    const struct ranked_profile **profiles;
    size_t profile_count;
    struct provenance_facts facts; /* of the first */
    struct ranked_run row;
    struct opt_f64 ranked_us; /* of its row, what all are ranked by */
    size_t group, place;      /* the group it is of, its place among all */
};

struct making {
    struct arena *arena;
    struct gate_policy policy;
    struct attempt *attempts;
    size_t count, group_count;
    bool by_period; /* what is ranked: all runs know it */
    bool ours;      /* step times are those of `steps`; else of profile_summary.v1, on all sides */
    struct ranking *ranking;
    size_t left_capacity;
};

static bool both_differ(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) != 0;
}

static void leave_out(struct making *making, const char *why)
{
    struct string_list *list = &making->ranking->left_out;
    list->items = arena_grow(making->arena, list->items, list->count, &making->left_capacity,
                             sizeof *list->items);
    list->items[list->count++] = why;
}

/* ---- captures become runs ---------------------------------------------------------------------
 */

static bool is_same_run(const struct ranked_profile *a, const struct ranked_profile *b)
{
    return a->run != NULL && text_same(a->run, b->run) && text_same(a->workload, b->workload) &&
           text_same(a->branch, b->branch);
}

/* The attempt that holds a profile of the same bytes. */
static const struct ranked_profile *same_trace(const struct making *making,
                                               const struct ranked_profile *profile)
{
    const char *hash = profile->summary->trace_provenance.trace_sha256;
    for (size_t i = 0; hash != NULL && i < making->count; i++) {
        for (size_t j = 0; j < making->attempts[i].profile_count; j++) {
            const struct ranked_profile *held = making->attempts[i].profiles[j];
            if (text_same(held->summary->trace_provenance.trace_sha256, hash))
                return held;
        }
    }
    return NULL;
}

/* Of what was named twice nothing is said; two names of one trace are. */
static bool takes_part(struct making *making, const struct ranked_profile *profile)
{
    const struct ranked_profile *held = same_trace(making, profile);
    if (summary_is_memory(profile->summary)) {
        leave_out(making,
                  arena_printf(making->arena, "%s is a device memory profile: it tells no times",
                               profile->name));
        return false;
    }
    if (held != NULL && strcmp(held->name, profile->name) != 0)
        leave_out(making, arena_printf(making->arena, "%s is the same trace as %s", profile->name,
                                       held->name));
    return held == NULL;
}

static void profile_place(struct making *making, const struct ranked_profile *profile, size_t most)
{
    struct attempt *attempt = making->attempts;
    while (attempt < making->attempts + making->count &&
           !is_same_run(attempt->profiles[0], profile))
        attempt++;
    if (attempt == making->attempts + making->count) {
        *attempt = (struct attempt){
            .profiles = arena_array(making->arena, const struct ranked_profile *, most),
            .place = making->count};
        making->count++;
    }
    attempt->profiles[attempt->profile_count++] = profile;
}

/* ---- figures of a run -------------------------------------------------------------------------
 */

static struct opt_f64 median_of(double *values, size_t count)
{
    stats_sort(values, count);
    return count == 0 ? (struct opt_f64){0} : some_f64(stats_quantile(values, count, 0.5));
}

/* What a figure is of, or why it is not known, is said of the first capture that tells as much. */
static void figures_fill(struct attempt *attempt, struct arena *arena, double *values)
{
    struct summary_figure *all =
        arena_array(arena, struct summary_figure, attempt->profile_count * FIGURE_COUNT);
    for (size_t i = 0; i < attempt->profile_count; i++)
        figures_of(attempt->profiles[i]->summary, all + i * FIGURE_COUNT);
    for (size_t figure = 0; figure < FIGURE_COUNT; figure++) {
        size_t count = 0, first = 0;
        for (size_t i = 0; i < attempt->profile_count; i++) {
            const struct summary_figure *one = &all[i * FIGURE_COUNT + figure];
            if (!one->value.set)
                continue;
            first = count == 0 ? i : first;
            values[count++] = one->value.value;
        }
        all[figure] = all[first * FIGURE_COUNT + figure];
        all[figure].value = median_of(values, count);
    }
    attempt->row.figures = all;
    attempt->row.figure_count = FIGURE_COUNT;
}

static void row_fill(struct making *making, struct attempt *attempt)
{
    const struct ranked_profile *first = attempt->profiles[0];
    struct ranked_run *row = &attempt->row;
    double *values = arena_array(making->arena, double, attempt->profile_count);
    row->name = first->run != NULL ? first->run : first->name;
    row->branch = first->branch;
    row->commit = first->commit;
    row->label = first->label;
    row->profiles.items = arena_array(making->arena, const char *, attempt->profile_count);
    for (size_t i = 0; i < attempt->profile_count; i++) {
        const struct summary *summary = attempt->profiles[i]->summary;
        row->profiles.items[row->profiles.count++] = attempt->profiles[i]->name;
        row->step_count += making->ours ? summary->steps.steady_count
                                        : summary->step_time.steady_state_steps.count;
    }
    static const enum measure times[2] = {MEASURE_steady_step_median, MEASURE_steady_step_period};
    struct opt_f64 told[MEASURE_END], *out[2] = {&attempt->row.step_us, &attempt->row.period_us};
    for (int time = 0; time < 2; time++) {
        const enum measure measure = making->ours || time > 0 ? times[time] : MEASURE_step_median;
        size_t count = 0;
        for (size_t i = 0; i < attempt->profile_count; i++) {
            memset(told, 0, sizeof told);
            measures_take(attempt->profiles[i]->summary, told);
            if (told[measure].set)
                values[count++] = told[measure].value;
        }
        *out[time] = median_of(values, count);
    }
    figures_fill(attempt, making->arena, values);
    attempt->facts = provenance_facts_of(first->summary, making->arena);
}

/* ---- runs become groups -----------------------------------------------------------------------
 */

/* Whether something keeps two from being compared. */
static bool is_barred(const struct making *making, const struct attempt *a, const struct attempt *b)
{
    const struct gate_rules rules = {&making->policy, false};
    return a->row.step_us.set != b->row.step_us.set ||
           both_differ(a->profiles[0]->workload, b->profiles[0]->workload) ||
           provenance_block(&rules, &a->facts, &b->facts) != PROVENANCE_FIELD_COUNT;
}

/* A run of the group that it cannot be compared with; NULL: it can be with all of them. */
static const struct attempt *barred_in(const struct making *making, const struct attempt *attempt,
                                       size_t group)
{
    for (size_t i = 0; i < making->count; i++) {
        const struct attempt *other = &making->attempts[i];
        if (other != attempt && other->group == group && is_barred(making, attempt, other))
            return other;
    }
    return NULL;
}

/* What keeps two apart: "batch is 8, there 16; model is a, there b". */
struct bars {
    const char *text;
    size_t count;
};

static void bar_add(struct making *making, struct bars *bars, const char *name,
                    const char *const texts[2])
{
    bars->text = arena_printf(
        making->arena, "%s%s%s is %s, there %s", bars->text, bars->count == 0 ? "" : "; ", name,
        texts[0] != NULL ? texts[0] : "not known", texts[1] != NULL ? texts[1] : "not known");
    bars->count++;
}

static struct bars bars_between(struct making *making, const struct attempt *a,
                                const struct attempt *b)
{
    const struct gate_rules rules = {&making->policy, false};
    struct bars bars = {.text = ""};
    if (a->row.step_us.set != b->row.step_us.set)
        return (struct bars){"no steady step was found, whose time could be compared", 1};
    const char *texts[2] = {a->profiles[0]->workload, b->profiles[0]->workload};
    if (both_differ(texts[0], texts[1]))
        bar_add(making, &bars, "workload", texts);
    for (enum provenance_field field = provenance_block(&rules, &a->facts, &b->facts);
         field < PROVENANCE_FIELD_COUNT;
         field = provenance_block_from(&rules, &a->facts, &b->facts, field + 1)) {
        provenance_texts(&a->facts, &b->facts, field, making->arena, texts);
        bar_add(making, &bars, provenance_field_name(field), texts);
    }
    return bars;
}

/* Why attempts[count], a group, are apart from the first group, and from that of those above which
 * they differ least from, where that is another: each against a run that it cannot be compared
 * with. */
static const char *apart_text(struct making *making, const struct attempt *attempts, size_t count)
{
    struct bars first = {0}, nearest = {0};
    const struct attempt *against[2] = {NULL, NULL};
    for (size_t group = 0; group < attempts->group; group++) {
        const struct attempt *other = NULL;
        size_t own = 0;
        while (other == NULL && own < count)
            other = barred_in(making, &attempts[own++], group);
        if (other == NULL)
            continue;
        const struct bars bars = bars_between(making, &attempts[own - 1], other);
        if (group == 0)
            first = bars;
        if (nearest.count == 0 || bars.count < nearest.count) {
            nearest = bars;
            against[1] = other;
        }
        against[0] = group == 0 ? other : against[0];
    }
    if (against[0] == NULL)
        return NULL;
    const bool is_first = against[0] == against[1];
    return arena_printf(making->arena, "against %s: %s%s%s%s%s", against[0]->row.name, first.text,
                        is_first ? "" : "; against ", is_first ? "" : against[1]->row.name,
                        is_first ? "" : ": ", is_first ? "" : nearest.text);
}

static int attempt_order(const void *left, const void *right)
{
    const struct attempt *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->ranked_us.set && b->ranked_us.set && a->ranked_us.value != b->ranked_us.value)
        return a->ranked_us.value < b->ranked_us.value ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* A job costs the time from a step to the next. Where one run does not know it, or no step of it,
 * all are ranked by step times, which are what they have in common. */
static void ranked_times_fill(struct making *making)
{
    making->by_period = making->count > 0;
    for (size_t i = 0; i < making->count; i++) {
        const struct ranked_run *row = &making->attempts[i].row;
        making->by_period &= row->period_us.set || !row->step_us.set;
    }
    for (size_t i = 0; i < making->count; i++) {
        struct attempt *attempt = &making->attempts[i];
        attempt->ranked_us = making->by_period ? attempt->row.period_us : attempt->row.step_us;
    }
    making->ranking->by =
        measure_rows[making->by_period ? MEASURE_steady_step_period : MEASURE_steady_step_median]
            .name;
}

/* Of a group how many runs it has, and how fast the fastest of them is. */
struct group_facts {
    size_t group, size;
    double fastest_us; /* infinite: no time of it is known */
};

/* What can be compared stands first: the largest group; of equals the one with the fastest run. */
static int group_order(const void *left, const void *right)
{
    const struct group_facts *a = left, *b = right;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    if (a->fastest_us != b->fastest_us)
        return a->fastest_us < b->fastest_us ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

static void groups_order(struct making *making)
{
    struct group_facts *groups =
        arena_array(making->arena, struct group_facts, making->group_count + 1);
    size_t *places = arena_array(making->arena, size_t, making->group_count + 1);
    for (size_t i = 0; i < making->group_count; i++)
        groups[i] = (struct group_facts){.group = i, .fastest_us = INFINITY};
    for (size_t i = 0; i < making->count; i++) {
        struct group_facts *group = &groups[making->attempts[i].group];
        const struct opt_f64 us = making->attempts[i].ranked_us;
        group->size++;
        if (us.set && us.value < group->fastest_us)
            group->fastest_us = us.value;
    }
    if (making->group_count > 1)
        qsort(groups, making->group_count, sizeof *groups, group_order);
    for (size_t i = 0; i < making->group_count; i++)
        places[groups[i].group] = i;
    for (size_t i = 0; i < making->count; i++)
        making->attempts[i].group = places[making->attempts[i].group];
    if (making->count > 1)
        qsort(making->attempts, making->count, sizeof *making->attempts, attempt_order);
}

/* attempts[count] in order are the group's, runs[count] become its rows. */
static void group_fill(struct making *making, const struct attempt *attempts, size_t count,
                       struct ranked_run *runs)
{
    struct ranking *ranking = making->ranking;
    const struct opt_f64 best = attempts[0].ranked_us;
    for (size_t i = 0; i < count; i++) {
        runs[i] = attempts[i].row;
        if (best.set && best.value > 0 && attempts[i].ranked_us.set)
            runs[i].behind = some_f64(attempts[i].ranked_us.value / best.value - 1);
    }
    ranking->groups[ranking->group_count++] = (struct ranked_group){
        .apart = apart_text(making, attempts, count), .runs = runs, .run_count = count};
}

/* What runs differ in is told across groups: what keeps two apart may be what was tuned. */
static void groups_fill(struct making *making)
{
    const size_t count = making->count;
    struct ranked_run *runs = arena_array(making->arena, struct ranked_run, count + 1);
    struct ranked_captures *captures =
        arena_array(making->arena, struct ranked_captures, count + 1);
    making->ranking->groups =
        arena_array(making->arena, struct ranked_group, making->group_count + 1);
    for (size_t i = 0, size; i < count; i += size) {
        const struct attempt *first = &making->attempts[i];
        for (size = 1; i + size < count && first[size].group == first->group;)
            size++;
        group_fill(making, first, size, &runs[i]);
    }
    for (size_t i = 0; i < count; i++) {
        const struct attempt *attempt = &making->attempts[i];
        captures[i].items =
            arena_array(making->arena, const struct summary *, attempt->profile_count);
        for (size_t j = 0; j < attempt->profile_count; j++)
            captures[i].items[captures[i].count++] = attempt->profiles[j]->summary;
    }
    ranked_differences_fill(runs, captures, count, making->arena);
}

bool ranking_make(const struct ranked_profiles *profiles, struct arena *arena,
                  struct ranking *ret_ranking, struct err *err)
{
    const size_t count = profiles->count;
    struct making making = {.arena = arena, .ours = true, .ranking = ret_ranking};
    ret_ranking->schema_version = "ranking.v1";
    making.left_capacity = ret_ranking->left_out.count;
    gate_policy_default(&making.policy);
    making.policy.provenance[FIELD_mesh] = PROVENANCE_WARN;
    if (profiles->policy != NULL)
        making.policy = *profiles->policy;
    making.attempts = arena_array(arena, struct attempt, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct ranked_profile *profile = &profiles->items[i];
        if (takes_part(&making, profile)) {
            making.ours &= profile->summary->has_ours;
            profile_place(&making, profile, count - i);
        }
    }
    for (size_t i = 0; i < making.count; i++)
        row_fill(&making, &making.attempts[i]);
    ranked_times_fill(&making);
    /* Each run joins the first group all of whose runs it can be compared with. */
    for (size_t i = 0; i < making.count; i++)
        making.attempts[i].group = SIZE_MAX;
    for (size_t i = 0; i < making.count; i++) {
        size_t group = 0;
        while (group < making.group_count && barred_in(&making, &making.attempts[i], group) != NULL)
            group++;
        making.attempts[i].group = group;
        making.group_count += group == making.group_count;
    }
    groups_order(&making);
    groups_fill(&making);
    ranked_notes_fill(ret_ranking, arena);
    return arena_ok(arena, "the runs side by side", err);
}
