/* Prints a canary's report as a table of changes and verdicts. */
#include "ops/present/trend/canary_text.h"

#include "ops/present/words/words.h"

static void row_add(struct table *table, const struct canary_row *row)
{
    char number[FORMAT_BYTES];
    table_addf(table, TONE_PLAIN, "%+.0f %%", row->effect_pct);
    table_add(table, row->effect_pct > 0 ? TONE_GOOD : TONE_BAD, format_share(row->fail, number));
    table_addf(table, TONE_DIM, "%.1f..%.1f %%", 100 * row->fail_low, 100 * row->fail_high);
    table_add(table, TONE_PLAIN, format_share(row->warn, number));
    table_add(table, TONE_PLAIN, format_share(row->pass, number));
    table_add(table, TONE_PLAIN, format_share(row->inconclusive, number));
    table_add(table, TONE_PLAIN, format_share(row->incomparable, number));
}

bool canary_text(const struct canary_report *report, const struct text_style *style,
                 struct text *out, struct err *err)
{
    static const struct table_column columns[] = {
        {"step time", COLUMN_TEXT},     {"fail", COLUMN_NUMBER}, {"", COLUMN_NUMBER},
        {"warn", COLUMN_NUMBER},        {"pass", COLUMN_NUMBER}, {"inconclusive", COLUMN_NUMBER},
        {"incomparable", COLUMN_NUMBER}};
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    struct page page;
    char rate[FORMAT_BYTES], windows[FORMAT_COUNTED_BYTES], runs[FORMAT_COUNTED_BYTES];
    char all[FORMAT_COUNTED_BYTES], apart[FORMAT_COUNTED_BYTES];
    page_init(&page, &arena, "canary");
    page_headline(&page, report->rows[0].fail > 0.01 ? TONE_WARN : TONE_GOOD, "CANARY",
                  "%s/%s, series %s: unchanged runs fail in %s of %s of %s", report->project,
                  report->workload, report->series != NULL ? report->series : "-",
                  format_share(report->rows[0].fail, rate),
                  format_counted(report->window_count, "window", windows),
                  format_counted(report->runs_a_side, "run", runs));
    struct table *table = page_table(&page, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < report->row_count; i++)
        row_add(table, &report->rows[i]);
    page_paragraph(&page, TONE_DIM,
                   "%s, each window against all runs before it; the intervals (95 %%) count only "
                   "what shares no run: %s.",
                   format_counted(report->run_count, "run", all),
                   format_counted(report->disjoint_count, "window", apart));
    if (report->apart_count > 0)
        page_paragraph(&page, TONE_WARN,
                       "%s of other facts or other work than the newest one %s no part: a gate "
                       "compares none of them with it.",
                       format_counted(report->apart_count, "run", runs),
                       report->apart_count == 1 ? "has" : "have");
    if (report->crossing_count > 0)
        page_paragraph(&page, TONE_WARN,
                       "The past has %s of level: %s across %s no part in these rates, because "
                       "there something did change. `stepledger trend` says where.",
                       format_counted(report->level_count, "sure change", runs),
                       format_counted(report->crossing_count, "window", windows),
                       report->crossing_count == 1 ? "has" : "have");
    if (report->drift_pct.set)
        page_paragraph(&page, TONE_WARN,
                       "The past drifts: the step time moved by %+.1f %% from the first run to the "
                       "last. These rates are those of a past that drifts.",
                       report->drift_pct.value);
    page_print_text(&page, style, out);
    return page_ok(&page, "the canary", err) && text_ok(out, "the canary", err);
}
