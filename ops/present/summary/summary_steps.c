/* The steps of a profile: all of them as a chart, the slowest as a table. */
#include "ops/present/summary/summary_page.h"

#include "ops/present/words/words.h"
#include "ops/present/summary/steps_order.h"
#include "schema/documents/summary_view.h"

#include <stdio.h>
#include <string.h>

enum { STEP_DIGITS = 5, SLOWEST_SHOWN = 5 };
static const double PS_PER_US = 1e6;

static const char *device_name(const struct summary *summary, uint32_t device)
{
    return device < summary->device_count ? summary->devices[device].name : "";
}

/* " (warm-up: compilation)", of a step that is left out; "" of others. */
static const char *left_out_why(const struct step_row *row)
{
    static const char *const texts[][2] = {{WARMUP_NUMBER, " (warm-up: by its number)"},
                                           {WARMUP_COMPILATION, " (warm-up: compilation)"},
                                           {WARMUP_HOST_WAIT, " (warm-up: waited for the host)"},
                                           {WARMUP_APART, " (warm-up: slower than the rest)"},
                                           {WARMUP_CUT, " (cut off by the end of the capture)"}};
    for (size_t i = 0; row->warmup_reason != NULL && i < sizeof texts / sizeof *texts; i++) {
        if (strcmp(texts[i][0], row->warmup_reason) == 0)
            return texts[i][1];
    }
    return row->warmup ? " (warm-up)" : "";
}

/* A step that takes this much longer than the median stands out. */
static const double SLOW_FACTOR = 1.1;

static void chart_add(const struct summary *summary, struct page *page)
{
    const struct step_table *steps = &summary->steps;
    struct bar *bars = arena_array(page->arena, struct bar, steps->count);
    double median = steps->steady_median_us.set ? steps->steady_median_us.value : 0;
    for (size_t i = 0; i < steps->count; i++) {
        const struct step_row *row = &steps->rows[i];
        double us = (double)row->max_ps / PS_PER_US;
        bool slow = !row->warmup && median > 0 && us > SLOW_FACTOR * median;
        bars[i].value = us;
        bars[i].tone = row->warmup ? TONE_DIM : slow ? TONE_BAD : TONE_PLAIN;
        bars[i].label =
            arena_printf(page->arena, "step %lld%s", (long long)row->number, left_out_why(row));
    }
    page_chart(page, &(struct chart){.title = "Step time",
                                     .bars = bars,
                                     .bar_count = steps->count,
                                     .reference = median});
}

/* Devices that wait for each other end their steps together: the last one did not make it long. */
static bool are_alike(const struct step_row *row)
{
    static const double alike = 5e-4;
    return (double)(row->max_ps - row->mean_ps) < alike * (double)row->max_ps;
}

static void slow_row(struct table *table, const struct summary *summary, const struct step_row *row,
                     struct duration_scale scale)
{
    char buffer[FORMAT_BYTES];
    struct opt_f64 median = summary->steps.steady_median_us;
    struct opt_f64 us = some_f64((double)row->max_ps / PS_PER_US);
    struct opt_f64 above = change_percent(median, us);
    struct opt_f64 gap = {row->has_gap, (double)row->gap_before_ps / PS_PER_US};
    table_addf(table, TONE_PLAIN, "%lld%s", (long long)row->number, left_out_why(row));
    table_add(table, TONE_PLAIN, format_scaled(scale, us, false, buffer));
    table_add(table, TONE_PLAIN, above.set ? format_percent_delta(above.value, buffer) : "");
    table_add(table, TONE_PLAIN,
              summary->device_count > 1 && are_alike(row) ? "all alike"
                                                          : device_name(summary, row->slowest));
    table_add(table, TONE_PLAIN,
              format_scaled(scale, some_f64((double)row->mean_ps / PS_PER_US), false, buffer));
    table_add(table, TONE_PLAIN, format_scaled(scale, gap, false, buffer));
}

static void slowest_add(const struct summary *summary, size_t limit, struct page *page)
{
    static const struct table_column columns[] = {
        {"slowest steps", COLUMN_TEXT},     {"time", COLUMN_NUMBER},
        {"vs median", COLUMN_NUMBER},       {"slowest device", COLUMN_NAME},
        {"mean of devices", COLUMN_NUMBER}, {"gap before", COLUMN_NUMBER}};
    const struct step_row **order = steps_slowest_first(&summary->steps, page->arena);
    struct table *table = page_table(page, columns, sizeof columns / sizeof *columns);
    struct duration_scale scale =
        duration_scale_for((double)order[0]->max_ps / PS_PER_US, STEP_DIGITS);
    for (size_t i = 0; i < summary->steps.count && i < limit; i++)
        slow_row(table, summary, order[i], scale);
}

/* Version 1 knows classes of steps, not the steps. */
static void classes_add(const struct step_time *steps, struct page *page)
{
    static const struct table_column columns[] = {{"class", COLUMN_TEXT},
                                                  {"steps", COLUMN_NUMBER},
                                                  {"median", COLUMN_NUMBER},
                                                  {"p90", COLUMN_NUMBER},
                                                  {"every", COLUMN_NUMBER}};
    if (steps->class_count == 0)
        return;
    page_heading(page, false, "Step classes");
    struct table *table = page_table(page, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < steps->class_count; i++) {
        const struct step_class *row = &steps->classes[i];
        double longest = row->stats.p90.set ? row->stats.p90.value : 0;
        struct duration_scale scale = duration_scale_for(longest, STEP_DIGITS);
        char buffer[FORMAT_BYTES];
        table_add(table, TONE_PLAIN, row->name);
        table_add(table, TONE_PLAIN, format_count(row->count, buffer));
        table_add(table, TONE_PLAIN, format_scaled(scale, row->stats.median, false, buffer));
        table_add(table, TONE_PLAIN, format_scaled(scale, row->stats.p90, false, buffer));
        if (row->periodicity.set)
            table_addf(table, TONE_PLAIN, "%lld steps", (long long)row->periodicity.value);
        else
            table_add(table, TONE_PLAIN, "");
    }
}

/* What the file tells of steps by other methods too: a gate takes one that both sides have. */
static void others_add(const struct summary *summary, struct page *page)
{
    char counted[FORMAT_COUNTED_BYTES], median[FORMAT_BYTES];
    for (size_t i = 0; i < summary->other_step_count; i++) {
        const struct step_table *other = &summary->other_steps[i];
        (void)format_counted((int64_t)other->count, "step", counted);
        if (!other->steady_median_us.set)
            page_paragraph(page, TONE_DIM, "Also %s by %s, none of them steady.", counted,
                           step_method_names[other->method]);
        else
            page_paragraph(page, TONE_DIM, "Also %s by %s, median %s.", counted,
                           step_method_names[other->method],
                           format_duration(other->steady_median_us.value, STEP_DIGITS, median));
    }
}

void summary_steps_add(const struct summary *summary, size_t limit, struct page *page)
{
    const struct step_table *steps = &summary->steps;
    if (steps->count > 0) {
        page_heading(page, false, "Steps");
        char counted[FORMAT_COUNTED_BYTES];
        page_paragraph(page, TONE_DIM, "%s, %lld of them steady; %s.",
                       format_counted((int64_t)steps->count, "step", counted),
                       (long long)steps->steady_count, step_method_text(steps->method));
        struct summary_view view;
        summary_view_make(summary, page->arena, &view);
        if (view.left_out != NULL)
            page_paragraph(page, TONE_DIM, "Left out as warm-up: %s.", view.left_out);
        others_add(summary, page);
        chart_add(summary, page);
        slowest_add(summary, limit < SLOWEST_SHOWN ? limit : SLOWEST_SHOWN, page);
    }
    classes_add(&summary->step_time, page);
}
