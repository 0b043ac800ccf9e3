/* Which printer a format is. */
#include "ops/present/page/page_blocks.h"

#include <string.h>

void page_print_as(const struct page *page, const char *format, const struct text_style *style,
                   struct text *out)
{
    if (strcmp(format, "md") == 0)
        page_print_markdown(page, out);
    else if (strcmp(format, "html") == 0)
        page_print_html(page, out);
    else
        page_print_text(page, style, out);
}
