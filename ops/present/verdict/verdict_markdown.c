/* Prints a verdict as the comment on a pull request. */
#include "ops/present/verdict/verdict_markdown.h"

#include "ops/present/verdict/verdict_page.h"

enum { OPS_SHOWN = 8 };

bool verdict_markdown(const struct verdict *verdict, struct text *out, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    struct page page;
    page_init(&page, &arena, "verdict");
    verdict_page_fill(verdict, OPS_SHOWN, &page);
    if (!page_ok(&page, "the verdict", err))
        return false;
    page_print_markdown(&page, out);
    return text_ok(out, "the verdict", err);
}
