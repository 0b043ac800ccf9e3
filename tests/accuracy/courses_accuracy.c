/* How often the course of a history with drifts and steps is told as it was, each day the newest.
 *
 * Histories of daily runs that are level, drift, and step, with noise of a run of .3, .6 and 1 %,
 * independent or following its neighbour (.4); asked every third day from the day `asked from` on.
 * Prints per history and noise, of 100 days: `drifts`, all drifts are told that rose by 2 % and
 * more, and no other, each within 1.5 points of its size and 5 runs of its end; `over all`, one is
 * told from the first run to the newest where runs were level for 8 and more at either end;
 * `false`, a change is confirmed more than 5 runs from any step; `steps`, all steps that lie 8 runs
 * back and more are told, within 5 runs and a third of their size (-: there is none). DRAWS=n sets
 * the number of draws (default 10), HISTORY=text chooses histories, SEED=n other draws.
 */
#include "compare/changes/changes.h"
#include "tests/support/draws_asked.h"
#include "tests/support/summary_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEFAULT_DRAWS = 10, PARTS = 5, MOST = 400, STRIDE = 3, ARENA_BYTES = 256 << 20 };
enum { NEAR = 5, SETTLED = 8 };
static const double size_near = 1.5, least_rise = 2;
static const double noises[] = {.3, .6, 1}, correlations[] = {0, .4};

/* Up to the first length of 0. */
struct part {
    size_t length;
    double step, rise; /* %, at its begin, and along it */
};

static const struct history {
    const char *name;
    size_t asked_from;
    struct part parts[PARTS];
} histories[] = {
    {"level 15, +5 % in 21, level 26", 36, {{15, 0, 0}, {21, 0, 5}, {26, 0, 0}}},
    {"+5 % in 24, level 24", 24, {{24, 0, 5}, {24, 0, 0}}},
    {"level 10, +6 % in 30, level 30", 40, {{10, 0, 0}, {30, 0, 6}, {30, 0, 0}}},
    {"level 40, +5 % in 40, level 40", 80, {{40, 0, 0}, {40, 0, 5}, {40, 0, 0}}},
    {"level 60, +6 % in 60, level 60", 120, {{60, 0, 0}, {60, 0, 6}, {60, 0, 0}}},
    {"+7 % in 62", 30, {{62, 0, 7}}},
    {"+6 % in 120", 60, {{120, 0, 6}}},
    {"level 20, +6 % in 40", 40, {{20, 0, 0}, {40, 0, 6}}},
    {"level 60, +6 % in 60", 90, {{60, 0, 0}, {60, 0, 6}}},
    {"level 62", 20, {{62, 0, 0}}},
    {"level 150", 100, {{150, 0, 0}}},
    {"+12 % in 60, step +5 %", 50, {{48, 0, 9.6}, {12, 5, 2.4}}},
    {"+12 % in 120, step +6 %", 112, {{108, 0, 10.8}, {12, 6, 1.2}}},
    {"level 70, step +6 %, +14 % in 70", 80, {{70, 0, 0}, {70, 6, 14}}},
    {"+14 % in 70, step +6 %, level 70", 80, {{70, 0, 14}, {70, 6, 0}}},
    {"level 60, +10 % in 50, step, +6 % in 30", 120, {{60, 0, 0}, {50, 0, 10}, {30, 6, 6}}},
    {"level 60, +6 % in 30, step, +10 % in 50", 100, {{60, 0, 0}, {30, 0, 6}, {50, 6, 10}}},
    {"+7 % in 62, step -3 %", 50, {{40, 0, 4.5}, {22, -3, 2.5}}},
    {"level 30, step +5 %, level 30", 42, {{30, 0, 0}, {30, 5, 0}}},
};

static uint64_t chance = 1;

struct rates {
    double days, drifts, over_all, invented, stepped, steps;
};

static size_t history_draw(const struct history *history, double noise, double rho, double *values)
{
    size_t count = 0;
    double level = 0, wander = fixture_normal(&chance);
    for (const struct part *part = history->parts;
         part < history->parts + PARTS && part->length > 0; part++) {
        level += part->step;
        for (size_t i = 0; i < part->length; i++) {
            level += part->rise / (double)part->length;
            wander = rho * wander + sqrt(1 - rho * rho) * fixture_normal(&chance);
            values[count++] = 100 + level + noise * wander;
        }
    }
    return count;
}

static size_t apart(size_t a, size_t b)
{
    return a > b ? a - b : b - a;
}

static bool slope_fits(const struct course_slope *slope, size_t end, double rise)
{
    return slope->is_sure && apart(slope->end, end) <= NEAR &&
           fabs(slope->after - slope->before - rise) <= size_near;
}

/* Whether the drifts until `day` are told, one behind the other. Parts that are one line in two
 * with a step between may be told as one, of their slope. */
static bool drifts_are_told(const struct history *history, const struct course_findings *found,
                            size_t day)
{
    size_t at = 0, told = 0, sure = 0;
    double run_on = 0;
    bool right = true;
    for (size_t i = 0; i < found->slope_count; i++)
        sure += found->slopes[i].is_sure;
    for (const struct part *part = history->parts;
         part < history->parts + PARTS && part->length > 0 && at < day; part++) {
        size_t length = part->length < day - at ? part->length : day - at;
        double rise = part->rise * (double)length / (double)part->length;
        at += length;
        run_on = part->rise > 0 ? run_on + rise : 0;
        if (rise <= 0)
            continue;
        bool is_next = told < found->slope_count && slope_fits(&found->slopes[told], at, rise);
        bool is_one = told > 0 && slope_fits(&found->slopes[told - 1], at, run_on);
        bool may_lack = rise < least_rise;
        right &= is_next || is_one || may_lack;
        told += is_next && !is_one;
    }
    if (sure > told && sure == 1 && run_on > 0)
        return slope_fits(&found->slopes[0], day, run_on);
    return right && sure <= told;
}

static bool is_over_all(const struct history *history, const struct course_findings *found,
                        size_t day)
{
    size_t at = 0, level_end = 0;
    bool level_begin = history->parts[0].rise == 0;
    for (const struct part *part = history->parts;
         part < history->parts + PARTS && part->length > 0 && at < day; part++) {
        size_t length = part->length < day - at ? part->length : day - at;
        at += length;
        level_end = part->rise == 0 ? length : 0;
    }
    for (size_t i = 0; i < found->slope_count; i++)
        if (found->slopes[i].is_sure && found->slopes[i].first <= 2 && found->slopes[i].end == day)
            return level_begin || level_end >= SETTLED;
    return false;
}

/* Whether a step of `size` (any: 0) at `place` is told. */
static bool step_is_told(const struct course_findings *found, size_t place, double size)
{
    for (size_t i = 0; i < found->shift_count; i++) {
        const struct course_shift *shift = &found->shifts[i];
        if (shift->confirmed && apart(shift->index, place) <= NEAR &&
            fabs(shift->after - shift->before - size) <= fabs(size) / 3)
            return true;
    }
    return false;
}

static void steps_count(const struct history *history, const struct course_findings *found,
                        size_t day, struct rates *rates)
{
    size_t at = 0, steps = 0, told = 0, places[PARTS], place_count = 0;
    bool invented = false;
    for (const struct part *part = history->parts;
         part < history->parts + PARTS && part->length > 0; at += part->length, part++) {
        if (part->step == 0)
            continue;
        places[place_count++] = at;
        if (at + SETTLED > day)
            continue;
        steps++;
        told += step_is_told(found, at, part->step);
    }
    for (size_t i = 0; i < found->shift_count; i++) {
        bool near = !found->shifts[i].confirmed;
        for (size_t k = 0; k < place_count; k++)
            near |= apart(found->shifts[i].index, places[k]) <= NEAR;
        invented |= !near;
    }
    rates->invented += invented;
    rates->stepped += steps > 0;
    rates->steps += steps > 0 && told == steps;
}

static void day_count(const struct history *history, const double *values, size_t day,
                      struct rates *rates)
{
    struct arena arena;
    struct course_findings found;
    struct err err = {0};
    arena_init(&arena, ARENA_BYTES);
    if (!course_find(values, day, &arena, &found, &err)) {
        (void)fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    rates->days++;
    rates->drifts += drifts_are_told(history, &found, day);
    rates->over_all += is_over_all(history, &found, day);
    steps_count(history, &found, day, rates);
    arena_done(&arena);
}

static void history_measure(const struct history *history, double noise, double rho, size_t draws)
{
    static double values[MOST];
    struct rates rates = {0};
    for (size_t draw = 0; draw < draws; draw++) {
        size_t count = history_draw(history, noise, rho, values);
        for (size_t day = history->asked_from; day <= count; day += STRIDE)
            day_count(history, values, day, &rates);
    }
    double hundredth = rates.days / 100;
    printf("  %-40s sd %.1f rho %.1f: drifts %5.1f  over all %5.1f  false %5.1f  steps ",
           history->name, noise, rho, rates.drifts / hundredth, rates.over_all / hundredth,
           rates.invented / hundredth);
    if (rates.stepped > 0)
        printf("%5.1f\n", 100 * rates.steps / rates.stepped);
    else
        printf("    -\n");
}

int main(void)
{
    const struct draws_asked asked = draws_asked(DEFAULT_DRAWS, "HISTORY");
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    printf("courses, %zu draws; of 100 days\n", asked.count);
    for (size_t h = 0; h < sizeof histories / sizeof histories[0]; h++) {
        if (!draws_are_of(&asked, histories[h].name))
            continue;
        chance = (asked.first_seed + h + 1) * 0x2545F4914F6CDD1Du;
        for (size_t s = 0; s < sizeof noises / sizeof noises[0]; s++)
            for (size_t r = 0; r < sizeof correlations / sizeof correlations[0]; r++)
                history_measure(&histories[h], noises[s], correlations[r], asked.count);
    }
    return 0;
}
