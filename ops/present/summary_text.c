/* Prints a profile's summary for a terminal. */
#include "ops/present/summary_text.h"

#include "ops/present/summary_page.h"

enum { ROWS_SHOWN = 10 };

bool summary_text(const struct summary *summary, const struct text_style *style, struct text *out,
                  struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    struct page page;
    page_init(&page, &arena, "profile");
    summary_page_fill(summary, ROWS_SHOWN, &page);
    if (!page_ok(&page, "the summary", err))
        return false;
    page_print_text(&page, style, out);
    return text_ok(out, "the summary", err);
}
