/* The page of a summary as a report of its own. */
#include "ops/present/report/report.h"

#include "ops/present/summary/summary.h"
#include "schema/documents/told_ops.h"

static bool page_make(const struct summary *summary, int64_t top_k, struct page *page,
                      struct err *err)
{
    const size_t ops = told_ops_of(summary).count + summary->hot_op_count;
    summary_page_fill(summary, slice_count(ops, top_k), page);
    return page_ok(page, "the report", err);
}

bool report_text(const struct summary *summary, int64_t top_k, const struct text_style *style,
                 struct text *out, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    struct page page;
    page_init(&page, &arena, "Profile report");
    if (!page_make(summary, top_k, &page, err))
        return false;
    page_print_text(&page, style, out);
    return text_ok(out, "the report", err);
}

bool report_html(const struct summary *summary, int64_t top_k, struct text *out, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    struct page page;
    page_init(&page, &arena, "Profile report");
    if (!page_make(summary, top_k, &page, err))
        return false;
    page_print_html(&page, out);
    return text_ok(out, "the report", err);
}
