/* Prints a report in each format that there is. */
#include "ops/present/trend_report/trend_report.h"

#include "ops/present/trend_report/report_page.h"

static bool page_make(const struct trend_report *report, struct arena *arena, struct page *page,
                      struct err *err)
{
    arena_init(arena, PAGE_BUDGET_BYTES);
    page_init(page, arena, report->name != NULL ? report->name : "report");
    report_page_fill(report, page);
    return page_ok(page, "the report", err);
}

bool trend_report_text(const struct trend_report *report, const struct text_style *style,
                       struct text *out, struct err *err)
{
    scoped_arena arena;
    struct page page;
    if (!page_make(report, &arena, &page, err))
        return false;
    page_print_text(&page, style, out);
    return text_ok(out, "the report", err);
}

bool trend_report_markdown(const struct trend_report *report, struct text *out, struct err *err)
{
    scoped_arena arena;
    struct page page;
    if (!page_make(report, &arena, &page, err))
        return false;
    page_print_markdown(&page, out);
    return text_ok(out, "the report", err);
}

bool trend_report_html(const struct trend_report *report, struct text *out, struct err *err)
{
    scoped_arena arena;
    struct page page;
    if (!page_make(report, &arena, &page, err))
        return false;
    page_print_html(&page, out);
    return text_ok(out, "the report", err);
}
