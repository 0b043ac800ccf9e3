/* Prints a trend as HTML: its picture, then its page. */
#include "ops/present/trend/trend_page.h"

bool trend_html(const struct trend *trend, struct text *out, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    scoped_text picture;
    text_init(&picture, PAGE_BUDGET_BYTES);
    struct page page;
    page_init(&page, &arena, "trend");
    if (trend->point_count > 0) {
        if (!trend_svg(trend, &picture, err))
            return false;
        page_picture(&page, text_string(&picture));
    }
    trend_page_fill(trend, &page);
    if (!page_ok(&page, "the trend", err))
        return false;
    page_print_html(&page, out);
    return text_ok(out, "the trend", err);
}
