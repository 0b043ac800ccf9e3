/* Prints a page as one HTML file: no script, no font, nothing fetched. Light and dark follow the
 * reader's system. */
#include "ops/present/page/page_blocks.h"

#include "ops/present/words/words.h"
#include "ops/runtime/text_harmless.h"

#include <string.h>

static const char HEAD[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>";

/* Behind the colours (ink.h). */
static const char STYLE[] =
    "body { margin: 2rem auto; padding: 0 1.25rem; max-width: 76rem; background: var(--paper);\n"
    "  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }\n"
    "h1 { font-size: 1.3rem; line-height: 1.35; margin: 0 0 1rem; }\n"
    "h1 b { margin-right: .6em; }\n"
    "h2, summary { font-size: 1.05rem; font-weight: 600; margin: 1.8rem 0 .5rem; }\n"
    "summary { cursor: pointer; }\n"
    /* where a table goes on beside its box an edge shows, which its own ends cover */
    ".scroll { overflow-x: auto; background-repeat: no-repeat;\n"
    "  background-image: linear-gradient(90deg, var(--paper) 40%, transparent),\n"
    "    linear-gradient(270deg, var(--paper) 40%, transparent),\n"
    "    linear-gradient(90deg, var(--soft), transparent),\n"
    "    linear-gradient(270deg, var(--soft), transparent);\n"
    "  background-position: 0 0, 100% 0, 0 0, 100% 0;\n"
    "  background-size: 2.5rem 100%, 2.5rem 100%, .6rem 100%, .6rem 100%;\n"
    "  background-attachment: local, local, scroll, scroll; }\n"
    "table { border-collapse: collapse; margin-top: .5rem; font-variant-numeric: tabular-nums; }\n"
    "th, td { padding: .22rem .8rem .22rem 0; text-align: left; white-space: nowrap;\n"
    "  border-bottom: 1px solid var(--line); }\n"
    "th { color: var(--soft); font-weight: 500; }\n"
    ".n { text-align: right; }\n"
    "td.c, td.p { max-width: 24rem; overflow: hidden; text-overflow: ellipsis; }\n"
    "td.p { direction: rtl; } td.p code { unicode-bidi: isolate; direction: ltr; }\n"
    "td.w { white-space: normal; min-width: 12rem; }\n"
    "@media (max-width: 40rem) { body { margin-top: 1rem; padding: 0 .75rem; }\n"
    "  td.c, td.p { max-width: 9rem; } th, td { padding-right: .35rem; }\n"
    "  table { font-size: .82rem; }\n"
    "  th { white-space: normal; overflow-wrap: normal; vertical-align: bottom; } }\n"
    "code { font: .88em ui-monospace, monospace; }\n"
    "ul { padding-left: 1.2rem; }\n"
    ".dim { color: var(--soft); } .strong { font-weight: 600; } .good { color: var(--good); }\n"
    ".warn { color: var(--warn); } .bad { color: var(--bad); }\n"
    ".picture { display: block; max-width: 100%; height: auto; margin: .8rem 0; }\n"
    ".narrow { display: none; }\n"
    "@media screen and (max-width: 48rem) { .wide { display: none; }\n"
    "  .narrow { display: block; } }\n"
    "@media print { body { margin: 0; max-width: none; font-size: 11px; }\n"
    "  svg, tr, h2, summary { break-inside: avoid; } h2, summary { break-after: avoid; } }\n"
    "</style>\n"
    "</head>\n"
    "<body>\n";

static void escape_part(const char *start, const char *end, struct text *out)
{
    scoped_text part;
    text_init(&part, (size_t)(end - start));
    text_addn(&part, start, (size_t)(end - start));
    harmless_add(out, HARMLESS_MARKUP, text_string(&part));
    text_fail_as(out, &part);
}

/* What a sentence puts between backticks is code. */
static void print_sentence(const char *text, struct text *out)
{
    for (const char *open = strchr(text, '`'); open != NULL; open = strchr(text, '`')) {
        const char *close = strchr(open + 1, '`');
        if (close == NULL)
            break;
        escape_part(text, open, out);
        text_add(out, "<code>");
        escape_part(open + 1, close, out);
        text_add(out, "</code>");
        text = close + 1;
    }
    harmless_add(out, HARMLESS_MARKUP, text);
}

static void print_element(const char *tag, enum tone tone, const char *text, struct text *out)
{
    text_addf(out, "<%s", tag);
    if (tone != TONE_PLAIN)
        text_addf(out, " class=\"%s\"", tone_class(tone));
    text_addc(out, '>');
    print_sentence(text, out);
    text_addf(out, "</%s>", tag);
}

static const char *const kind_classes[] = {[COLUMN_TEXT] = "",
                                           [COLUMN_NAME] = "c",
                                           [COLUMN_PATH] = "p",
                                           [COLUMN_WORDS] = "w",
                                           [COLUMN_NUMBER] = "n"};

static void print_cell(const struct cell *cell, enum column_kind kind, struct text *out)
{
    const char *tone = tone_class(cell->tone);
    const char *class = kind_classes[kind];
    text_add(out, "<td");
    if (tone[0] != '\0' || class[0] != '\0')
        text_addf(out, " class=\"%s%s%s\"", class, tone[0] != '\0' && class[0] != '\0' ? " " : "",
                  tone);
    if (kind == COLUMN_NAME || kind == COLUMN_PATH) { /* what does not fit is shown on hovering */
        text_add(out, " title=\"");
        harmless_add(out, HARMLESS_MARKUP, cell->text);
        text_add(out, "\"><code>");
        harmless_add(out, HARMLESS_MARKUP, cell->text);
        text_add(out, "</code></td>");
        return;
    }
    text_addc(out, '>');
    harmless_add(out, HARMLESS_MARKUP, cell->text);
    text_add(out, "</td>");
}

static void print_table(const struct table *table, struct text *out)
{
    text_add(out, "<div class=\"scroll\"><table>\n<tr>");
    for (size_t c = 0; c < table->column_count; c++) {
        const char *class = kind_classes[table->columns[c].kind];
        text_addf(out, class[0] == '\0' ? "<th>" : "<th class=\"%s\">", class);
        harmless_add(out, HARMLESS_MARKUP, table->columns[c].title);
        text_add(out, "</th>");
    }
    text_add(out, "</tr>\n");
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t column = i % table->column_count;
        if (column == 0)
            text_add(out, "<tr>");
        print_cell(&table->cells[i], table->columns[column].kind, out);
        if (column + 1 == table->column_count)
            text_add(out, "</tr>\n");
    }
    text_add(out, "</table></div>\n");
}

static void print_item(const struct block *block, struct text *out)
{
    text_add(out, "<li>");
    if (block->label != NULL) {
        print_element("b", TONE_PLAIN, block->label, out);
        text_add(out, ": ");
    }
    print_element("span", block->tone, block->text, out);
    text_add(out, "</li>\n");
}

/* Both are there; the style sheet shows the one for the window. */
static void print_picture(const struct page *page, const struct drawing *drawing, struct text *out)
{
    text_add(out, "<div class=\"wide\">");
    picture_svg(drawing, CANVAS_WIDE, false, page->arena, out);
    text_add(out, "</div>\n<div class=\"narrow\">");
    picture_svg(drawing, CANVAS_NARROW, false, page->arena, out);
    text_add(out, "</div>\n");
}

static void print_block(const struct page *page, const struct block *block, struct text *out)
{
    switch (block->kind) {
    case BLOCK_HEADLINE:
        text_add(out, "<h1>");
        print_element("b", block->tone, block->label, out);
        print_sentence(block->text, out);
        text_add(out, "</h1>\n");
        break;
    case BLOCK_HEADING:
        if (block->folded)
            text_add(out, "<details open>\n");
        print_element(block->folded ? "summary" : "h2", TONE_PLAIN, block->text, out);
        text_addc(out, '\n');
        break;
    case BLOCK_PARAGRAPH:
        print_element("p", block->tone, block->text, out);
        text_addc(out, '\n');
        break;
    case BLOCK_ITEM:
        print_item(block, out);
        break;
    case BLOCK_TABLE:
        print_table(block->table, out);
        break;
    case BLOCK_CHART:
        if (block->chart->bar_count > 0)
            print_picture(page, &(struct drawing){block->chart->title, chart_draw, block->chart},
                          out);
        break;
    case BLOCK_PICTURE:
        print_picture(page, &block->drawing, out);
        break;
    }
}

void page_print_html(const struct page *page, struct text *out)
{
    bool folded = false, list = false;
    text_add(out, HEAD);
    harmless_add(out, HARMLESS_MARKUP, page->title);
    text_add(out, "</title>\n<style>\n");
    ink_variables_add(out);
    ink_rules_add(true, out);
    text_add(out, STYLE);
    for (const struct block *block = page->first; block != NULL; block = block->next) {
        bool item = block->kind == BLOCK_ITEM;
        if (item != list)
            text_add(out, item ? "<ul>\n" : "</ul>\n");
        list = item;
        if (folded && block->kind == BLOCK_HEADING) {
            text_add(out, "</details>\n");
            folded = false;
        }
        folded |= block->folded;
        print_block(page, block, out);
    }
    text_add(out, list ? "</ul>\n" : "");
    text_add(out, folded ? "</details>\n" : "");
    text_add(out, "</body>\n</html>");
}
