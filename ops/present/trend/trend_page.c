/* Builds the page of a trend: one sentence, a sparkline, a row per run, newest first. */
#include "ops/present/trend/trend_page.h"

#include "ops/present/page/page.h"
#include "ops/present/trend/change_parts.h"
#include "ops/present/trend/courses_page.h"
#include "ops/present/trend/trend_words.h"

#include "ops/runtime/text.h"
#include "schema/documents/measures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPARK_COLUMNS = 60,
    COMMIT_SHOWN = 12,
    TIME_AT = 11 /* of a moment as ISO 8601 has it, behind the T */
};

static int value_order(const void *left, const void *right)
{
    const struct trend_point *const *a = left, *const *b = right;
    return ((*a)->value > (*b)->value) - ((*a)->value < (*b)->value);
}

/* The values in their order. */
static const struct trend_point **sorted_of(const struct trend *trend, struct arena *arena)
{
    const struct trend_point **sorted =
        arena_array(arena, const struct trend_point *, trend->point_count);
    for (size_t i = 0; i < trend->point_count; i++)
        sorted[i] = &trend->points[i];
    qsort(sorted, trend->point_count, sizeof *sorted, value_order);
    return sorted;
}

/* ---- the page -------------------------------------------------------------------------------- */

static void headline_add(const struct trend *trend, struct page *page)
{
    const struct trend_point **sorted = sorted_of(trend, page->arena);
    size_t count = trend->point_count;
    double median = (sorted[(count - 1) / 2]->value + sorted[count / 2]->value) / 2;
    const struct trend_point *last = &trend->points[trend->point_count - 1];
    char low[FORMAT_BYTES], middle[FORMAT_BYTES], high[FORMAT_BYTES], now[FORMAT_BYTES];
    char runs[FORMAT_COUNTED_BYTES];
    page_headline(page, verdict_tone(last->verdict, last->accepted), trend->measure,
                  "%s of %s/%s%s%s; last %s: median %s, %s .. %s",
                  trend_value(trend, last->value, now), trend->project, trend->workload,
                  trend->branch != NULL ? ", branch " : "",
                  trend->branch != NULL ? trend->branch : "",
                  format_counted((int64_t)trend->point_count, "run", runs),
                  trend_value(trend, median, middle), trend_value(trend, sorted[0]->value, low),
                  trend_value(trend, sorted[count - 1]->value, high));
}

/* What managers read first, where runs tell it. */
static void mfu_add(const struct trend *trend, struct page *page)
{
    char words[REPORT_MFU_BYTES];
    if (trend->has_mfu && strcmp(trend->measure, "mfu") != 0)
        page_paragraph(page, TONE_PLAIN, "MFU: %s",
                       report_mfu_text(&trend->mfu, "before the newest change", words));
}

/* What the newest change is made of, where that is told. */
static void newest_add(const struct trend *trend, struct page *page)
{
    const struct report_change *newest = &trend->newest;
    if (!trend->has_newest || newest->part_count + newest->step_bin_count == 0)
        return;
    const char *title =
        arena_printf(page->arena, "The newest change, behind %s, at the latest with %s",
                     newest->after_profile, newest->until_profile);
    page_heading(page, false, title);
    change_parts_add(newest, page);
    page_heading(page, false, "The runs");
}

/* Which times runs have. */
static void times_add(const struct trend *trend, struct page *page)
{
    size_t captured = 0, count = trend->point_count;
    char others[FORMAT_COUNTED_BYTES];
    for (size_t i = 0; i < count; i++)
        captured += trend->points[i].captured;
    format_counted((int64_t)(count - captured), "run", others);
    if (captured == count)
        page_paragraph(page, TONE_DIM, "times are those of capture");
    else if (captured == 0)
        page_paragraph(page, TONE_DIM,
                       "times are those of recording: no run tells when it was captured (`ingest "
                       "--captured-at` says it)");
    else
        page_paragraph(page, TONE_DIM,
                       "times are those of capture; of %s, which %s not tell it, of recording "
                       "(`ingest --captured-at` says it)",
                       others, count - captured == 1 ? "does" : "do");
}

static void point_row(const struct trend *trend, size_t index, struct table *table)
{
    const struct trend_point *point = &trend->points[index];
    const struct trend_point *before = index > 0 ? &trend->points[index - 1] : NULL;
    char value[FORMAT_BYTES], change[FORMAT_BYTES] = "";
    const char *start = trend_level_start(trend, index);
    if (before != NULL && start == NULL && before->value > 0)
        measure_change_text(trend->unit, point->value - before->value,
                            some_f64(100 * (point->value - before->value) / before->value), change);
    table_addf(table, TONE_PLAIN, "%.10s %.5s", point->ran_at_utc, point->ran_at_utc + TIME_AT);
    table_add(table, TONE_PLAIN, point->run);
    table_addf(table, TONE_DIM, "%.*s", COMMIT_SHOWN, point->commit != NULL ? point->commit : "-");
    table_add(table, TONE_PLAIN, trend_value(trend, point->value, value));
    table_add(table, TONE_PLAIN, change);
    if (point->verdict == NULL)
        table_add(table, TONE_DIM, "");
    else
        table_addf(table, verdict_tone(point->verdict, point->accepted), "%s%s (%s)",
                   point->verdict, point->accepted ? ", accepted" : "", point->verdict_id);
    table_addf(table, TONE_DIM, "%s%s%s%s%s", point->series, start != NULL ? ": a new level, " : "",
               start == NULL                       ? ""
               : strcmp(start, point->series) == 0 ? "not comparable with what was before"
                                                   : start,
               point->outlier ? ": far from its neighbours, set aside" : "",
               point->archived ? " (archived)" : "");
}

/* Its blocks: a sentence, what moved, a row for each run or course. */
static void page_fill(const struct trend *trend, struct page *page)
{
    static const struct table_column columns[] = {
        {"ran (UTC)", COLUMN_TEXT},       {"run", COLUMN_NAME},
        {"commit", COLUMN_TEXT},          {"value", COLUMN_NUMBER},
        {"vs run before", COLUMN_NUMBER}, {"verdict", COLUMN_TEXT},
        {"series", COLUMN_TEXT}};
    if (trend->grouped_by != NULL) {
        courses_page_fill(trend, page);
        return;
    }
    headline_add(trend, page);
    mfu_add(trend, page);
    if (trend->branch_why != NULL)
        page_paragraph(page, TONE_DIM, "%s", trend->branch_why);
    /* A line of bars where it is not drawn; what is far off the others leaves the room to these. */
    const struct drawing drawing = trend_drawing(trend, page->arena);
    page_picture(page, drawing, series_sparkline(drawing.what, SPARK_COLUMNS, page->arena));
    courses_moved_add(trend, page);
    times_add(trend, page);
    newest_add(trend, page);
    struct table *table = page_table(page, columns, sizeof columns / sizeof *columns);
    for (size_t i = trend->point_count; i-- > 0;)
        point_row(trend, i, table);
}

static bool printed(const struct trend *trend, const char *format, const struct text_style *style,
                    struct text *out, struct err *err)
{
    scoped_arena arena;
    struct page page;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    page_init(&page, &arena, "trend");
    page_fill(trend, &page);
    page_print_as(&page, format, style, out);
    return page_ok(&page, "the trend", err) && text_ok(out, "the trend", err);
}

bool trend_text(const struct trend *trend, const struct text_style *style, struct text *out,
                struct err *err)
{
    return printed(trend, "text", style, out, err);
}

bool trend_markdown(const struct trend *trend, struct text *out, struct err *err)
{
    return printed(trend, "md", NULL, out, err);
}

bool trend_html(const struct trend *trend, struct text *out, struct err *err)
{
    return printed(trend, "html", NULL, out, err);
}
