/* See ranking_page.h. A figure that no run of a group tells has no column: why is said below. */
#include "ops/present/summary/ranking_page.h"

#include "ops/present/words/words.h"
#include "schema/documents/figures.h"

#include <string.h>

enum { DIGITS = 4, COMMIT_DIGITS = 12, COLUMNS_MAX = FIGURE_COUNT + 5 };

/* The best of the values that a group's runs have; not set: fewer than two that differ. */
struct best_value {
    size_t count;
    struct opt_f64 best;
    bool differ;
};

static void best_take(struct best_value *best, struct opt_f64 value, enum worse worse)
{
    if (!value.set)
        return;
    best->count++;
    best->differ |= best->best.set && best->best.value != value.value;
    if (!best->best.set ||
        (worse == WORSE_UP ? value.value < best->best.value : value.value > best->best.value))
        best->best = value;
}

static enum tone best_tone(const struct best_value *best, struct opt_f64 value)
{
    return best->differ && value.set && value.value == best->best.value ? TONE_GOOD : TONE_PLAIN;
}

static bool is_by_period(const struct ranking *ranking)
{
    return strcmp(ranking->by, measure_rows[MEASURE_steady_step_period].name) == 0;
}

/* What a group's table shows. */
struct shown_columns {
    bool by_period; /* the order */
    struct best_value step, period, figures[FIGURE_COUNT];
    bool differences;
};

/* Whether all runs of the group have the same there: what differs is another group. Differences of
 * all runs are of the same names in the same order. */
static bool is_common(const struct ranked_group *group, size_t difference)
{
    for (size_t i = 1; i < group->run_count; i++)
        if (!text_same(group->runs[0].differences[difference].value,
                       group->runs[i].differences[difference].value))
            return false;
    return true;
}

static struct shown_columns columns_of(const struct ranking *ranking, size_t number)
{
    const struct ranked_group *group = &ranking->groups[number];
    struct shown_columns shown = {.by_period = is_by_period(ranking)};
    for (size_t i = 0; i < group->run_count; i++) {
        const struct ranked_run *run = &group->runs[i];
        best_take(&shown.step, run->step_us, WORSE_UP);
        best_take(&shown.period, run->period_us, WORSE_UP);
        for (size_t f = 0; f < FIGURE_COUNT; f++) {
            enum measure measure;
            struct err unknown = {0};
            if (measure_find(run->figures[f].measure, &measure, &unknown))
                best_take(&shown.figures[f], run->figures[f].value, measure_rows[measure].worse);
        }
        for (size_t d = 0; d < run->difference_count; d++)
            shown.differences |= !is_common(group, d);
    }
    return shown;
}

static struct table *table_start(const struct shown_columns *shown, struct page *page)
{
    static const char *const short_names[FIGURE_COUNT] = {
        [FIGURE_mfu] = "MFU",
        [FIGURE_tokens_per_second_per_device] = "tokens/device",
        [FIGURE_hbm_peak] = "peak memory",
        [FIGURE_program_memory] = "program's peak",
        [FIGURE_exposed_communication_share] = "exposed comm.",
        [FIGURE_recompute_share] = "recompute",
        [FIGURE_input_wait_share] = "input wait",
    };
    struct table_column *columns = arena_array(page->arena, struct table_column, COLUMNS_MAX);
    size_t count = 0;
    columns[count++] = (struct table_column){"run", COLUMN_NAME};
    for (int place = 0; place < 2; place++) { /* first what the order is by */
        const bool period = shown->by_period == (place == 0);
        if ((period ? shown->period.count : shown->step.count) > 0)
            columns[count++] =
                (struct table_column){period ? "step to step" : "step time", COLUMN_NUMBER};
        if (place == 0 && (period ? shown->period.count : shown->step.count) > 0)
            columns[count++] = (struct table_column){"behind", COLUMN_NUMBER};
    }
    for (size_t f = 0; f < FIGURE_COUNT; f++)
        if (shown->figures[f].count > 0)
            columns[count++] = (struct table_column){short_names[f], COLUMN_NUMBER};
    if (shown->differences)
        columns[count++] = (struct table_column){"what differs", COLUMN_WORDS};
    return page_table(page, columns, count);
}

static void duration_add(struct table *table, const struct best_value *best, struct opt_f64 us)
{
    char number[FORMAT_BYTES];
    table_add(table, best_tone(best, us),
              us.set ? format_duration(us.value, DIGITS, number) : NULL);
}

/* "xla_flags --xla_a=1; remat=full": what all runs of its group have, or what they do not; NULL:
 * nothing. */
static const char *differences_text(const struct ranked_group *group, const struct ranked_run *run,
                                    bool common, struct page *page)
{
    const char *out = NULL;
    for (size_t i = 0; i < run->difference_count; i++) {
        const struct ranked_difference *one = &run->differences[i];
        const char *value = one->own != NULL ? one->own : one->value;
        const int digits = strcmp(one->name, "commit") == 0 ? COMMIT_DIGITS : INT16_MAX;
        if ((value != NULL && *value == '\0') || is_common(group, i) != common)
            continue;
        out = arena_printf(page->arena, "%s%s%s %.*s", out == NULL ? "" : out,
                           out == NULL ? "" : "; ", one->name, digits,
                           value == NULL ? "not known" : value);
    }
    return out;
}

static void run_add(const struct ranked_group *group, const struct ranked_run *run,
                    const struct shown_columns *shown, struct page *page, struct table *table)
{
    char number[FORMAT_BYTES];
    table_add(table, TONE_PLAIN, run->name);
    for (int place = 0; place < 2; place++) {
        const bool period = shown->by_period == (place == 0);
        const struct best_value *best = period ? &shown->period : &shown->step;
        if (best->count == 0)
            continue;
        duration_add(table, best, period ? run->period_us : run->step_us);
        if (place == 0)
            table_add(table, TONE_DIM,
                      run->behind.set && run->behind.value != 0
                          ? format_percent_delta(100 * run->behind.value, number)
                          : NULL);
    }
    for (size_t f = 0; f < FIGURE_COUNT; f++) {
        const struct summary_figure *figure = &run->figures[f];
        if (shown->figures[f].count > 0)
            table_add(table, best_tone(&shown->figures[f], figure->value),
                      figure->value.set
                          ? measure_text(figure->unit, figure->value.value, false, number)
                          : NULL);
    }
    if (shown->differences)
        table_add(table, TONE_PLAIN, differences_text(group, run, false, page));
}

/* The runs of all groups, in order. */
static const struct ranked_run **runs_of(const struct ranking *ranking, struct page *page,
                                         size_t *ret_count)
{
    size_t count = 0;
    for (size_t i = 0; i < ranking->group_count; i++)
        count += ranking->groups[i].run_count;
    const struct ranked_run **runs = arena_array(page->arena, const struct ranked_run *, count + 1);
    *ret_count = count;
    for (size_t i = 0, at = 0; i < ranking->group_count; i++)
        for (size_t run = 0; run < ranking->groups[i].run_count; run++)
            runs[at++] = &ranking->groups[i].runs[run];
    return runs;
}

/* How many runs lack the figure for the same reason as runs[first] does; 0: it was said of an
 * earlier one. */
static size_t absent_alike(const struct ranked_run *const *runs, size_t count, size_t first,
                           size_t figure)
{
    const char *why = runs[first]->figures[figure].absent;
    size_t alike = 0;
    for (size_t i = 0; i < count; i++) {
        const struct summary_figure *other = &runs[i]->figures[figure];
        const bool same = !other->value.set && strcmp(other->absent, why) == 0;
        if (same && i < first)
            return 0;
        alike += same;
    }
    return alike;
}

static void headline_add(const struct ranking *ranking, struct page *page)
{
    char runs[FORMAT_COUNTED_BYTES], number[FORMAT_BYTES];
    size_t count = 0;
    for (size_t i = 0; i < ranking->group_count; i++)
        count += ranking->groups[i].run_count;
    if (count == 0) {
        page_headline(page, TONE_WARN, "NOTHING", "to compare");
        return;
    }
    const struct ranked_group *first = &ranking->groups[0];
    const struct ranked_run *best = &first->runs[0];
    (void)format_counted((int64_t)count, "run", runs);
    if (!best->step_us.set || first->run_count == 1)
        page_headline(page, TONE_WARN, "APART", "%s, %s", runs,
                      count == 1          ? "which has none to be compared with"
                      : best->step_us.set ? "of which no two can be compared"
                                          : "whose step time is not known");
    else
        page_headline(
            page, TONE_GOOD, "FASTEST", "%s, %s %s; of %s %zu can be compared", best->name,
            format_duration(is_by_period(ranking) ? best->period_us.value : best->step_us.value,
                            DIGITS, number),
            is_by_period(ranking) ? "from step to step" : "a step", runs, first->run_count);
}

void ranking_page_add(const struct ranking *ranking, struct page *page)
{
    headline_add(ranking, page);
    for (size_t i = 0; i < ranking->group_count; i++) {
        const struct ranked_group *group = &ranking->groups[i];
        const struct shown_columns shown = columns_of(ranking, i);
        if (i > 0) {
            page_heading(page, false, "Not comparable with those above");
            page_paragraph(page, TONE_WARN, "%s.", group->apart);
        }
        const char *common = differences_text(group, &group->runs[0], true, page);
        if (common != NULL)
            page_paragraph(page, TONE_PLAIN, "Unlike others: %s.", common);
        struct table *table = table_start(&shown, page);
        for (size_t run = 0; run < group->run_count; run++)
            run_add(group, &group->runs[run], &shown, page, table);
    }
    page_heading(page, false, "To be kept in mind");
    page_item(
        page, TONE_PLAIN, NULL,
        "A row is one run, of several captures their median. Two runs of the same code differ "
        "as well: whether one is faster for sure is for `stepledger gate`.");
    for (size_t i = 0; i < ranking->notes.count; i++)
        page_item(page, TONE_WARN, NULL, "%s", ranking->notes.items[i]);
    for (size_t i = 0; i < ranking->left_out.count; i++)
        page_item(page, TONE_WARN, "left out", "%s", ranking->left_out.items[i]);
    size_t count;
    char number[FORMAT_COUNTED_BYTES];
    const struct ranked_run **runs = runs_of(ranking, page, &count);
    for (size_t f = 0; f < FIGURE_COUNT; f++) {
        for (size_t i = 0; i < count; i++) {
            const struct summary_figure *figure = &runs[i]->figures[f];
            const size_t alike = figure->value.set ? 0 : absent_alike(runs, count, i, f);
            const bool all = alike == count, several = alike > 1 && !all;
            if (alike > 0)
                page_item(page, TONE_DIM, figure_names[f], "not known of %s%s%s%s: %s",
                          all       ? "any"
                          : several ? format_counted((int64_t)alike, "run", number)
                                    : runs[i]->name,
                          several ? " (" : "", several ? runs[i]->name : "",
                          several ? " the first of them)" : "", figure->absent);
        }
    }
}
