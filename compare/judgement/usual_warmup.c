#include "compare/judgement/usual_warmup.h"

#include "compare/statistics/statistics.h"

#include <math.h>

/* Of past captures: more are most of them, no more are few. */
static const double most_part = 0.5, few_part = 0.25;
/* Of the candidate's, so many. */
static const double lead_part = 0.5;
/* Of fewer that begin at the same step number nothing is said, unless there are no others. */
enum { ALIKE_LEAST = 3 };
/* Steps are longer than the later half's middle one by this share at least, and by so many times
 * the noise of past steps. */
static const double longer_least = 0.02, longer_noises = 3;
/* No more than a capture tells as warm-up itself. */
enum { LEAD_MOST = 8 };

struct capture_start {
    int64_t number; /* of its first step */
    size_t own;     /* steps that it leaves out as warm-up */
    bool leads;     /* longer ones stand behind them */
};

/* ---- past captures --------------------------------------------------------------------------- */

/* Which of the past captures a capture is held against. */
struct alike {
    const struct usual_warmup *usual;
    int64_t number;
    bool any_number; /* too few begin at the same one */
};

static bool is_alike(const struct alike *alike, const struct capture_start *start)
{
    return alike->any_number || start->number == alike->number;
}

static struct alike alike_to(const struct usual_warmup *usual, const struct step_table *table)
{
    struct alike alike = {usual, table->rows[0].number, false};
    size_t same = 0;
    for (size_t i = 0; i < usual->count; i++)
        same += is_alike(&alike, &usual->starts[i]);
    alike.any_number = same < ALIKE_LEAST && same < usual->count;
    return alike;
}

/* The part of them that leaves out more than so many steps. */
static double part_leaving_out(const struct alike *alike, size_t than)
{
    double all = 0, more = 0;
    for (size_t i = 0; i < alike->usual->count; i++) {
        const struct capture_start *start = &alike->usual->starts[i];
        all += is_alike(alike, start);
        more += is_alike(alike, start) && start->own > than;
    }
    return all > 0 ? more / all : 0;
}

static double part_leading(const struct alike *alike)
{
    double all = 0, leading = 0;
    for (size_t i = 0; i < alike->usual->count; i++) {
        const struct capture_start *start = &alike->usual->starts[i];
        all += is_alike(alike, start);
        leading += is_alike(alike, start) && start->leads;
    }
    return all > 0 ? leading / all : 1;
}

/* ---- one capture ----------------------------------------------------------------------------- */

static struct told_warmup told_own(const struct usual_warmup *usual, const struct step_table *table)
{
    size_t told = short_warmup(table, &usual->past);
    return (struct told_warmup){told > 0 ? WARMUP_BY_NOISE : WARMUP_AS_READ, told};
}

static size_t first_left(const struct told_warmup *told, const struct step_table *table)
{
    size_t read = steps_first_warmup(table);
    return told->first > read ? told->first : read;
}

/* What steps take by the later half of them: its middle, a logarithm, and how far longer ones are
 * from it at least. */
struct settled {
    double level, limit;
};

static void settled_read(const struct usual_warmup *usual, const struct step_table *table,
                         struct arena *arena, struct settled *ret)
{
    struct arena_mark mark = arena_mark(arena);
    size_t whole = steps_whole(table), count = 0;
    double *values = arena_array(arena, double, whole);
    for (size_t i = whole / 2; i < whole; i++)
        values[count++] = log(fmax((double)table->rows[i].max_ps, 1));
    stats_sort(values, count);
    ret->level = count == 0 ? INFINITY : stats_quantile(values, count, 0.5);
    ret->limit = fmax(log1p(longer_least), longer_noises * usual->past.noise);
    arena_rewind(arena, mark);
}

static bool is_longer(const struct settled *settled, const struct step_row *row)
{
    return log(fmax((double)row->max_ps, 1)) - settled->level > settled->limit;
}

/* The longer ones of the steps that most past captures leave out, unless these were all. */
static void most_apply(const struct usual_warmup *usual, const struct step_table *table,
                       const struct settled *settled, struct told_warmup *told)
{
    const struct alike alike = alike_to(usual, table);
    size_t own = first_left(told, table), most = own;
    while (!alike.any_number && part_leaving_out(&alike, most) > most_part)
        most++;
    for (size_t i = own; most < steps_whole(table) && i < most; i++) {
        if (is_longer(settled, &table->rows[i]))
            *told = (struct told_warmup){WARMUP_BY_MOST, i + 1};
    }
}

/* The longer steps behind what is left out; none, where they do not end before half of the capture:
 * then that is what steps take. */
static void lead_apply(const struct usual_warmup *usual, const struct step_table *table,
                       const struct settled *settled, struct told_warmup *told)
{
    size_t own = first_left(told, table), first = own, whole = steps_whole(table);
    while (usual->past.noise >= 0 && first < whole && is_longer(settled, &table->rows[first]))
        first++;
    if (first > own && own < LEAD_MOST && 2 * first <= whole)
        *told = (struct told_warmup){WARMUP_BY_LEAD, first < LEAD_MOST ? first : LEAD_MOST};
}

void usual_warmup_of(const struct usual_warmup *usual, const struct step_table *table,
                     bool of_candidate, struct arena *arena, struct told_warmup *ret)
{
    struct settled settled;
    *ret = told_own(usual, table);
    settled_read(usual, table, arena, &settled);
    most_apply(usual, table, &settled, ret);
    if (of_candidate && usual->lead_tells)
        lead_apply(usual, table, &settled, ret);
}

/* ---- both sides ------------------------------------------------------------------------------ */

static const struct step_table *steps_wanted(const struct gate_profile *profile,
                                             const struct step_table *wanted)
{
    const struct step_table *table =
        wanted == NULL ? NULL : summary_steps_by(profile->summary, wanted->method);
    return table != NULL && step_tables_alike(table, wanted) && table->count > 0 ? table : NULL;
}

static void past_read(const struct gate_side *past, const struct step_table *wanted,
                      struct arena *arena, struct usual_warmup *usual)
{
    usual->starts = arena_array(arena, struct capture_start, past->profile_count);
    for (size_t i = 0; i < past->profile_count; i++) {
        const struct step_table *table = steps_wanted(&past->profiles[i], wanted);
        if (table == NULL)
            continue;
        struct told_warmup own = told_own(usual, table), lead = own;
        struct settled settled;
        settled_read(usual, table, arena, &settled);
        lead_apply(usual, table, &settled, &lead);
        usual->starts[usual->count++] = (struct capture_start){
            table->rows[0].number, first_left(&own, table), lead.source == WARMUP_BY_LEAD};
    }
}

void usual_warmup_read(const struct gate_input *input, const struct step_table *wanted,
                       struct arena *arena, struct usual_warmup *ret)
{
    *ret = (struct usual_warmup){0};
    short_past_read(&input->baseline, wanted, arena, &ret->past);
    past_read(&input->baseline, wanted, arena, ret);
    double captures = 0, leading = 0, past = 0;
    for (size_t i = 0; i < input->candidate.profile_count; i++) {
        const struct step_table *table = steps_wanted(&input->candidate.profiles[i], wanted);
        if (table == NULL)
            continue;
        const struct alike alike = alike_to(ret, table);
        struct told_warmup told = told_own(ret, table);
        struct settled settled;
        settled_read(ret, table, arena, &settled);
        most_apply(ret, table, &settled, &told);
        lead_apply(ret, table, &settled, &told);
        captures++;
        leading += told.source == WARMUP_BY_LEAD;
        past = fmax(past, part_leading(&alike));
    }
    ret->lead_tells = leading > 0 && leading >= lead_part * captures && past <= few_part;
}
