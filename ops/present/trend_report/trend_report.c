/* Prints a report in each format that there is. */
#include "ops/present/trend_report/trend_report.h"

#include "ops/present/trend_report/report_page.h"

static bool printed(const struct trend_report *report, const char *format,
                    const struct text_style *style, struct text *out, struct err *err)
{
    scoped_arena arena;
    struct page page;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    page_init(&page, &arena, report->name != NULL ? report->name : "report");
    report_page_fill(report, &page);
    page_print_as(&page, format, style, out);
    return page_ok(&page, "the report", err) && text_ok(out, "the report", err);
}

bool trend_report_text(const struct trend_report *report, const struct text_style *style,
                       struct text *out, struct err *err)
{
    return printed(report, "text", style, out, err);
}

bool trend_report_markdown(const struct trend_report *report, struct text *out, struct err *err)
{
    return printed(report, "md", NULL, out, err);
}

bool trend_report_html(const struct trend_report *report, struct text *out, struct err *err)
{
    return printed(report, "html", NULL, out, err);
}
