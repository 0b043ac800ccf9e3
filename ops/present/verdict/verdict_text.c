/* Prints a verdict for a terminal. */
#include "ops/present/verdict/verdict_text.h"

#include "ops/present/verdict/verdict_page.h"

enum { OPS_SHOWN = 12 };

bool verdict_text(const struct verdict *verdict, const struct text_style *style, struct text *out,
                  struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    struct page page;
    page_init(&page, &arena, "verdict");
    verdict_page_fill(verdict, OPS_SHOWN, &page);
    if (!page_ok(&page, "the verdict", err))
        return false;
    page_print_text(&page, style, out);
    return text_ok(out, "the verdict", err);
}
