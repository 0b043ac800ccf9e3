/* Prints a trend as HTML: its picture, then its page. */
#include "ops/present/trend/trend_page.h"

bool trend_html(const struct trend *trend, struct text *out, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    struct page page;
    page_init(&page, &arena, "trend");
    trend_page_fill(trend, &page);
    if (!page_ok(&page, "the trend", err))
        return false;
    page_print_html(&page, out);
    return text_ok(out, "the trend", err);
}
