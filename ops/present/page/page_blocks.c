/* Builds pages. */
#include "ops/present/page/page_blocks.h"

#include "ops/runtime/text_harmless.h"
#include "schema/documents/op_path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void page_init(struct page *page, struct arena *arena, const char *title)
{
    *page = (struct page){.arena = arena, .title = harmless_copy(arena, title)};
}

static const char *page_clean(struct page *page, const char *text)
{
    return text == NULL ? "" : harmless_copy(page->arena, text);
}

__attribute__((format(printf, 2, 0))) static const char *page_vprintf(struct page *page,
                                                                      const char *format,
                                                                      va_list arguments)
{
    return page_clean(page, arena_vprintf(page->arena, format, arguments));
}

static struct block *page_add(struct page *page, enum block_kind kind, enum tone tone)
{
    struct block *block = arena_new(page->arena, struct block);
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
    va_list arguments;
    va_start(arguments, format);
    block->label = page_clean(page, label);
    block->text = page_vprintf(page, format, arguments);
    va_end(arguments);
}

void page_heading(struct page *page, bool folded, const char *title)
{
    struct block *block = page_add(page, BLOCK_HEADING, TONE_STRONG);
    block->folded = folded;
    block->text = page_clean(page, title);
}

void page_paragraph(struct page *page, enum tone tone, const char *format, ...)
{
    struct block *block = page_add(page, BLOCK_PARAGRAPH, tone);
    va_list arguments;
    va_start(arguments, format);
    block->text = page_vprintf(page, format, arguments);
    va_end(arguments);
}

void page_item(struct page *page, enum tone tone, const char *label, const char *format, ...)
{
    struct block *block = page_add(page, BLOCK_ITEM, tone);
    va_list arguments;
    va_start(arguments, format);
    block->label = label == NULL ? NULL : page_clean(page, label);
    block->text = page_vprintf(page, format, arguments);
    va_end(arguments);
}

struct table *page_table(struct page *page, const struct table_column *columns, size_t count)
{
    struct table *table = arena_new(page->arena, struct table);
    *table = (struct table){.page = page, .columns = columns, .column_count = count};
    page_add(page, BLOCK_TABLE, TONE_PLAIN)->table = table;
    return table;
}

static void table_put(struct table *table, enum tone tone, const char *text)
{
    table->cells = arena_grow(table->page->arena, table->cells, table->cell_count,
                              &table->cell_capacity, sizeof *table->cells);
    table->cells[table->cell_count++] = (struct cell){text[0] == '\0' ? "-" : text, tone};
}

void table_add(struct table *table, enum tone tone, const char *text)
{
    table_put(table, tone, page_clean(table->page, text));
}

void table_add_path(struct table *table, const char *path)
{
    table_add(table, TONE_PLAIN, path == NULL ? NULL : op_path_written(table->page->arena, path));
}

void table_addf(struct table *table, enum tone tone, const char *format, ...)
{
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
    block->drawing = drawing;
    block->text = instead == NULL ? NULL : page_clean(page, instead);
}

bool page_ok(const struct page *page, const char *what, struct err *err)
{
    return arena_ok(page->arena, what, err) &&
           (!page->failed || err_set(err, ERR_LIMIT, "a sentence of %s is too long", what));
}
