#include "ingest/timeline/head_sums.h"

#include <string.h>

static void pages_grow(struct head_window *window, size_t page, struct arena *arena)
{
    size_t count = 2 * page + 8;
    struct op_sum **pages = arena_array(arena, struct op_sum *, count);
    if (window->page_count > 0)
        memcpy(pages, window->pages, window->page_count * sizeof(struct op_sum *));
    window->pages = pages;
    window->page_count = count;
}

struct op_sum *head_sum(struct head_sums *sums, uint8_t head, int32_t op, struct arena *arena)
{
    struct head_window *window = &sums->windows[head - 1];
    size_t page = (size_t)op >> HEAD_PAGE_BITS;
    if (page >= window->page_count)
        pages_grow(window, page, arena);
    if (window->pages[page] == NULL)
        window->pages[page] = arena_array(arena, struct op_sum, HEAD_PAGE_OPS);
    return &window->pages[page][op & (HEAD_PAGE_OPS - 1)];
}
