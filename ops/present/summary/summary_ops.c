/* Where a step's time goes: by category of op, and the ops that take most. */
#include "ops/present/summary/summary_page.h"

#include "ops/present/words/words.h"
#include "schema/documents/told_ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OP_DIGITS = 4, CATEGORIES_MAX = 64, CATEGORIES_SHOWN = 10 };
static const double PS_PER_US = 1e6;

struct category {
    const char *name;
    double self_us;
};

/* Self time of an op per steady step and device, or, where there are no steps, in the whole
 * profile. */
static double op_self_us(const struct summary *summary, const struct op_row *op)
{
    int64_t spans = summary->steps.steady_spans;
    return spans > 0 ? (double)op->steady_self_ps / PS_PER_US / (double)spans
                     : (double)op->self_ps / PS_PER_US;
}

static double all_self_us(const struct summary *summary)
{
    double total = summary->steps.steady_spans > 0 ? summary->coverage.steady_idle_us_per_step : 0;
    const struct told_ops ops = told_ops_of(summary);
    for (size_t i = 0; i < ops.count; i++) {
        if (!ops.items[i].asynchronous)
            total += op_self_us(summary, &ops.items[i]);
    }
    return total;
}

static int category_compare(const void *left, const void *right)
{
    const struct category *a = left;
    const struct category *b = right;
    if (a->self_us != b->self_us)
        return a->self_us < b->self_us ? 1 : -1;
    return strcmp(a->name, b->name);
}

static void category_count(struct category *categories, size_t *count, const char *name, double us)
{
    size_t i = 0;
    while (i < *count && strcmp(categories[i].name, name) != 0)
        i++;
    if (i == *count && *count < CATEGORIES_MAX)
        categories[(*count)++] = (struct category){name, 0};
    if (i < *count)
        categories[i].self_us += us;
}

static void categories_add(const struct summary *summary, double total, struct page *page)
{
    struct category categories[CATEGORIES_MAX];
    struct bar bars[CATEGORIES_SHOWN];
    size_t count = 0;
    const struct told_ops ops = told_ops_of(summary);
    for (size_t i = 0; i < ops.count; i++) {
        const struct op_row *op = &ops.items[i];
        if (!op->asynchronous)
            category_count(categories, &count, op->category, op_self_us(summary, op));
    }
    if (summary->steps.steady_spans > 0)
        category_count(categories, &count, "idle", summary->coverage.steady_idle_us_per_step);
    qsort(categories, count, sizeof *categories, category_compare);
    size_t shown = count < CATEGORIES_SHOWN ? count : CATEGORIES_SHOWN;
    for (size_t i = 0; i < shown; i++)
        bars[i] = (struct bar){categories[i].name, categories[i].self_us / total,
                               strcmp(categories[i].name, "idle") == 0 ? TONE_WARN : TONE_PLAIN};
    page_chart(
        page, &(struct chart){
                  .title = "Where the time goes", .bars = bars, .bar_count = shown, .share = true});
}

/* Where paths of ops tell them. */
static void phases_add(const struct summary *summary, struct page *page)
{
    enum { TEXT_BYTES = 500 };
    const struct phase_times times = phase_times_of(summary);
    scoped_text text;
    text_init(&text, TEXT_BYTES);
    phase_times_print(&times, &text);
    if (times.known && !text.failed)
        page_paragraph(page, TONE_PLAIN, "%s (%s).", text_string(&text),
                       phase_times_source(summary));
}

static void ours_add(const struct summary *summary, size_t limit, struct page *page)
{
    static const struct table_column columns[] = {
        {"op", COLUMN_NAME},     {"category", COLUMN_TEXT}, {"phase", COLUMN_TEXT},
        {"self", COLUMN_NUMBER}, {"share", COLUMN_NUMBER},  {"count", COLUMN_NUMBER},
        {"path", COLUMN_PATH}};
    double total = all_self_us(summary);
    const struct told_ops ops = told_ops_of(summary);
    if (ops.count == 0 || !(total > 0))
        return;
    bool steps = summary->steps.steady_spans > 0;
    page_heading(page, false,
                 steps ? "Where a step goes (self time per step and device)"
                       : "Where the time goes (self time in the whole profile)");
    categories_add(summary, total, page);
    phases_add(summary, page);
    struct table *table = page_table(page, columns, sizeof columns / sizeof *columns);
    struct duration_scale scale = duration_scale_for(op_self_us(summary, &ops.items[0]), OP_DIGITS);
    for (size_t i = 0; i < ops.count && i < limit; i++) {
        const struct op_row *op = &ops.items[i];
        double self_us = op_self_us(summary, op);
        char buffer[FORMAT_BYTES];
        table_add(table, TONE_PLAIN, op->name);
        table_add(table, TONE_PLAIN, op->category);
        table_add(table, TONE_PLAIN, op->phase);
        table_add(table, TONE_PLAIN, format_scaled(scale, some_f64(self_us), false, buffer));
        table_add(table, TONE_PLAIN,
                  op->asynchronous ? "async" : format_share(self_us / total, buffer));
        table_add(table, TONE_PLAIN, format_count(steps ? op->steady_count : op->count, buffer));
        table_add_path(table, op->op_path);
    }
    if (ops.count > limit)
        page_paragraph(page, TONE_DIM, "%zu more are in the JSON form.", ops.count - limit);
}

/* Version 1: the hot ops, over the whole profile. */
static void hot_ops_add(const struct summary *summary, size_t limit, struct page *page)
{
    static const struct table_column columns[] = {{"op", COLUMN_NAME},
                                                  {"category", COLUMN_TEXT},
                                                  {"exclusive", COLUMN_NUMBER},
                                                  {"share", COLUMN_NUMBER},
                                                  {"count", COLUMN_NUMBER}};
    if (summary->hot_op_count == 0)
        return;
    double total = summary->time_breakdown.total_duration;
    page_heading(page, false, "Top ops (in the whole profile)");
    struct table *table = page_table(page, columns, sizeof columns / sizeof *columns);
    struct duration_scale scale =
        duration_scale_for(summary->hot_ops[0].exclusive_duration, OP_DIGITS);
    for (size_t i = 0; i < summary->hot_op_count && i < limit; i++) {
        const struct hot_op *op = &summary->hot_ops[i];
        char buffer[FORMAT_BYTES];
        table_add(table, TONE_PLAIN, op->name);
        table_add(table, TONE_PLAIN, op->category);
        table_add(table, TONE_PLAIN,
                  format_scaled(scale, some_f64(op->exclusive_duration), false, buffer));
        table_add(table, TONE_PLAIN,
                  total > 0 ? format_share(op->exclusive_duration / total, buffer) : "");
        table_add(table, TONE_PLAIN, format_count(op->count, buffer));
    }
}

void summary_ops_add(const struct summary *summary, size_t limit, struct page *page)
{
    if (summary->has_ours)
        ours_add(summary, limit, page);
    else
        hot_ops_add(summary, limit, page);
}
