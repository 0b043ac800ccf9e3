/* The page of a summary as a report of its own. */
#include "ops/present/report/report.h"

#include "ops/present/summary/summary.h"
#include "schema/documents/told_ops.h"

/* style NULL: HTML. */
static bool report_print(const struct summary *summary, int64_t top_k,
                         const struct text_style *style, struct text *out, struct err *err)
{
    struct page page;
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    page_init(&page, &arena, "Profile report");
    const size_t ops = told_ops_of(summary).count + summary->hot_op_count;
    summary_page_fill(summary, slice_count(ops, top_k), &page);
    page_print_as(&page, style != NULL ? "text" : "html", style, out);
    return page_ok(&page, "the report", err) && text_ok(out, "the report", err);
}

bool report_text(const struct summary *summary, int64_t top_k, const struct text_style *style,
                 struct text *out, struct err *err)
{
    return report_print(summary, top_k, style, out, err);
}

bool report_html(const struct summary *summary, int64_t top_k, struct text *out, struct err *err)
{
    return report_print(summary, top_k, NULL, out, err);
}
