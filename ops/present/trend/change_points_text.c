/* Prints the changes of a series as one sentence and a table. */
#include "ops/present/trend/change_points_text.h"

#include "ops/present/words/words.h"

/* Beyond it a level near zero makes a number of a change that tells nothing. */
static const double times_most = 100;

static void row_add(struct table *table, const struct change_point *point)
{
    bool sure = point->tier == CHANGE_CONFIRMED;
    table_addf(table, TONE_PLAIN, "%lld", (long long)point->index);
    table_addf(table, TONE_DIM, "%lld..%lld", (long long)point->first, (long long)point->last);
    table_add(table, sure ? TONE_WARN : TONE_DIM, sure ? "confirmed" : "suspected");
    table_addf(table, TONE_PLAIN, "%.6g", point->before);
    table_addf(table, TONE_PLAIN, "%.6g", point->after);
    if (point->before > 0 && point->after < times_most * point->before)
        table_addf(table, TONE_PLAIN, "%+.1f %%", 100 * (point->after / point->before - 1));
    else
        table_addf(table, TONE_PLAIN, "%+.4g", point->after - point->before);
}

bool change_points_text(const struct change_report *report, const struct text_style *style,
                        struct text *out, struct err *err)
{
    static const struct table_column columns[] = {
        {"from value", COLUMN_NUMBER}, {"95 % range", COLUMN_TEXT}, {"tier", COLUMN_TEXT},
        {"before", COLUMN_NUMBER},     {"after", COLUMN_NUMBER},    {"change", COLUMN_NUMBER}};
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    struct page page;
    long long sure = 0, all = (long long)report->change_point_count;
    for (size_t i = 0; i < report->change_point_count; i++)
        sure += report->change_points[i].tier == CHANGE_CONFIRMED;
    page_init(&page, &arena, "changepoints");
    page_headline(&page, sure > 0 ? TONE_WARN : TONE_GOOD, "CHANGES",
                  "%s: %lld confirmed and %lld suspected in %lld value%s",
                  report->source != NULL ? report->source : "-", sure, all - sure,
                  (long long)report->value_count, report->value_count == 1 ? "" : "s");
    if (all > 0) {
        struct table *table = page_table(&page, columns, sizeof columns / sizeof *columns);
        for (size_t i = 0; i < report->change_point_count; i++)
            row_add(table, &report->change_points[i]);
    }
    if (report->drift != 0)
        page_paragraph(&page, TONE_WARN,
                       "The values drift by %+.4g from the first to the last; changes are those "
                       "beside the drift.",
                       report->drift);
    page_paragraph(
        &page, TONE_DIM,
        "Values count from 0. Noise: sd %.4g, neighbours correlated by %.2f. Whether there is a "
        "confirmed change is asked of levels of %lld values or more; then each goes where it "
        "explains the values best, which may leave a level shorter. A suspected change would "
        "stand out if neighbours were independent.",
        report->noise_sd, report->noise_correlation, (long long)report->level_min_count);
    page_print_text(&page, style, out);
    return page_ok(&page, "the changes", err) && text_ok(out, "the changes", err);
}
