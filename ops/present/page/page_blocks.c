/* Builds pages. */
#include "ops/present/page/page_blocks.h"

#include "ops/runtime/text_harmless.h"
#include "schema/documents/op_path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void page_init(struct page *page, struct arena *arena, const char *title)
{
    *page = (struct page){.arena = arena};
    page->title = harmless_copy(arena, title);
    page->failed = page->title == NULL;
}

static const char *page_clean(struct page *page, const char *text)
{
    const char *clean = text == NULL ? NULL : harmless_copy(page->arena, text);
    page->failed |= clean == NULL && text != NULL;
    return clean == NULL ? "" : clean;
}

__attribute__((format(printf, 2, 0))) static const char *page_vprintf(struct page *page,
                                                                      const char *format,
                                                                      va_list arguments)
{
    const char *text = arena_vprintf(page->arena, format, arguments);
    page->failed |= text == NULL;
    return page_clean(page, text);
}

static struct block *page_add(struct page *page, enum block_kind kind, enum tone tone)
{
    struct block *block = arena_new(page->arena, struct block);
    if (block == NULL) {
        page->failed = true;
        return NULL;
    }
    block->kind = kind;
    block->tone = tone;
    if (page->last == NULL)
        page->first = block;
    else
        page->last->next = block;
    page->last = block;
    return block;
}

void page_headline(struct page *page, enum tone tone, const char *label, const char *format, ...)
{
    struct block *block = page_add(page, BLOCK_HEADLINE, tone);
    if (block == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    block->label = page_clean(page, label);
    block->text = page_vprintf(page, format, arguments);
    va_end(arguments);
}

void page_heading(struct page *page, bool folded, const char *title)
{
    struct block *block = page_add(page, BLOCK_HEADING, TONE_STRONG);
    if (block == NULL)
        return;
    block->folded = folded;
    block->text = page_clean(page, title);
}

void page_paragraph(struct page *page, enum tone tone, const char *format, ...)
{
    struct block *block = page_add(page, BLOCK_PARAGRAPH, tone);
    if (block == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    block->text = page_vprintf(page, format, arguments);
    va_end(arguments);
}

void page_item(struct page *page, enum tone tone, const char *label, const char *format, ...)
{
    struct block *block = page_add(page, BLOCK_ITEM, tone);
    if (block == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    block->label = label == NULL ? NULL : page_clean(page, label);
    block->text = page_vprintf(page, format, arguments);
    va_end(arguments);
}

struct table *page_table(struct page *page, const struct table_column *columns, size_t count)
{
    struct block *block = page_add(page, BLOCK_TABLE, TONE_PLAIN);
    struct table *table = block == NULL ? NULL : arena_new(page->arena, struct table);
    if (table == NULL) {
        /* Takes the cells of a page that has failed: what they hold is never printed. */
        static struct table swallow;
        page->failed = true;
        return &swallow;
    }
    *table = (struct table){.page = page, .columns = columns, .column_count = count};
    block->table = table;
    return table;
}

static void table_put(struct table *table, enum tone tone, const char *text)
{
    struct page *page = table->page;
    struct cell *cells = arena_grow(page->arena, table->cells, table->cell_count,
                                    &table->cell_capacity, sizeof *cells);
    if (cells == NULL) {
        page->failed = true;
        return;
    }
    table->cells = cells;
    cells[table->cell_count++] = (struct cell){text[0] == '\0' ? "-" : text, tone};
}

void table_add(struct table *table, enum tone tone, const char *text)
{
    if (table->page != NULL)
        table_put(table, tone, page_clean(table->page, text));
}

void table_add_path(struct table *table, const char *path)
{
    if (table->page == NULL)
        return;
    const char *shown = path == NULL ? "" : op_path_written(table->page->arena, path);
    table->page->failed |= shown == NULL;
    table_add(table, TONE_PLAIN, shown);
}

void table_addf(struct table *table, enum tone tone, const char *format, ...)
{
    if (table->page == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    table_put(table, tone, page_vprintf(table->page, format, arguments));
    va_end(arguments);
}

size_t table_rows(const struct table *table)
{
    return table->column_count == 0 ? 0 : table->cell_count / table->column_count;
}

void page_chart(struct page *page, const struct chart *chart)
{
    struct block *block = page_add(page, BLOCK_CHART, TONE_PLAIN);
    struct chart *copy = arena_new(page->arena, struct chart);
    struct bar *bars = arena_array(page->arena, struct bar, chart->bar_count);
    if (block == NULL || copy == NULL || bars == NULL) {
        page->failed = true;
        return;
    }
    *copy = *chart;
    copy->title = page_clean(page, chart->title);
    copy->bars = bars;
    for (size_t i = 0; i < chart->bar_count; i++) {
        bars[i] = chart->bars[i];
        bars[i].label = page_clean(page, chart->bars[i].label);
    }
    block->chart = copy;
}

void page_picture(struct page *page, struct drawing drawing, const char *instead)
{
    struct block *block = page_add(page, BLOCK_PICTURE, TONE_PLAIN);
    if (block == NULL)
        return;
    block->drawing = drawing;
    block->text = instead == NULL ? NULL : page_clean(page, instead);
}

bool page_ok(const struct page *page, const char *what, struct err *err)
{
    return !page->failed || arena_failed(page->arena, what, err);
}
