/* Prints a page in GitHub's markdown (GitHub Flavored Markdown Spec 0.29).
 *
 * Texts come from profiles and from people: whatever would be markup is escaped (text_harmless.h).
 * Names stand in code spans, where nothing is markup; what a sentence of ours puts between
 * backticks stays one.
 */
#include "ops/present/page/page_blocks.h"

#include "ops/present/words/words.h"
#include "ops/runtime/text_harmless.h"

#include <string.h>

enum { NAME_COLUMNS = 80, SHARE_BAR_COLUMNS = 20, SERIES_COLUMNS = 60 };

static const char *const tone_marks[TONE_COUNT] = {
    [TONE_PLAIN] = "",  [TONE_STRONG] = "",      [TONE_DIM] = "",
    [TONE_GOOD] = "✅ ", [TONE_WARN] = "⚠️ ", [TONE_BAD] = "❌ ",
};

static void print_escaped(const char *text, struct text *out)
{
    harmless_add(out, HARMLESS_MARKDOWN, text);
}

static void print_code(struct arena *arena, const char *name, enum column_kind kind,
                       struct text *out)
{
    const char *text = kind == COLUMN_PATH ? shown_cut_start(arena, name, NAME_COLUMNS)
                                           : shown_cut(arena, name, NAME_COLUMNS);
    text_addc(out, '`');
    harmless_add(out, HARMLESS_CODE, text);
    text_addc(out, '`');
}

static void print_table(const struct page *page, const struct table *table, struct text *out)
{
    text_addc(out, '|');
    for (size_t c = 0; c < table->column_count; c++) {
        text_addc(out, ' ');
        print_escaped(table->columns[c].title, out);
        text_add(out, " |");
    }
    text_add(out, "\n|");
    for (size_t c = 0; c < table->column_count; c++)
        text_add(out, table->columns[c].kind == COLUMN_NUMBER ? "---:|" : "---|");
    text_addc(out, '\n');
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t column = i % table->column_count;
        if (column == 0)
            text_addc(out, '|');
        const struct cell *cell = &table->cells[i];
        enum column_kind kind = table->columns[column].kind;
        bool name = (kind == COLUMN_NAME || kind == COLUMN_PATH) && strcmp(cell->text, "-") != 0;
        text_addc(out, ' ');
        if (name)
            print_code(page->arena, cell->text, kind, out);
        else
            harmless_add(out, HARMLESS_MARKDOWN_CELL, cell->text);
        text_add(out, " |");
        if (column + 1 == table->column_count)
            text_addc(out, '\n');
    }
}

static void print_chart(const struct chart *chart, struct text *out)
{
    if (chart->bar_count == 0)
        return;
    if (!chart->share) {
        print_escaped(chart->title, out);
        text_add(out, ": `");
        chart_sparkline(chart, SERIES_COLUMNS, out);
        text_add(out, "`\n");
        return;
    }
    text_add(out, "| | | |\n|---|---:|---|\n");
    for (size_t i = 0; i < chart->bar_count; i++) {
        char share[FORMAT_BYTES];
        text_add(out, "| ");
        print_escaped(chart->bars[i].label, out);
        text_addf(out, " | %s | ", format_share(chart->bars[i].value, share));
        chart_bar(chart->bars[i].value, SHARE_BAR_COLUMNS, out);
        text_add(out, " |\n");
    }
}

static void print_item(const struct block *block, struct text *out)
{
    text_add(out, "- ");
    if (block->label != NULL) {
        text_add(out, "**");
        print_escaped(block->label, out);
        text_add(out, "**: ");
    }
    print_escaped(block->text, out);
    text_addc(out, '\n');
}

static void print_block(const struct page *page, const struct block *block, struct text *out)
{
    switch (block->kind) {
    case BLOCK_HEADLINE:
        text_addf(out, "### %s%s: ", tone_marks[block->tone], block->label);
        print_escaped(block->text, out);
        text_addc(out, '\n');
        break;
    case BLOCK_HEADING:
        text_add(out, block->folded ? "<details><summary>" : "**");
        print_escaped(block->text, out);
        text_add(out, block->folded ? "</summary>\n" : "**\n");
        break;
    case BLOCK_PARAGRAPH:
    case BLOCK_PICTURE:
        print_escaped(block->text, out);
        text_addc(out, '\n');
        break;
    case BLOCK_ITEM:
        print_item(block, out);
        break;
    case BLOCK_TABLE:
        print_table(page, block->table, out);
        break;
    case BLOCK_CHART:
        print_chart(block->chart, out);
        break;
    }
}

void page_print_markdown(const struct page *page, struct text *out)
{
    bool folded = false;
    const struct block *before = NULL;
    for (const struct block *block = page->first; block != NULL; block = block->next) {
        if (block->kind == BLOCK_PICTURE && block->text == NULL)
            continue;
        bool same_list = before != NULL && before->kind == BLOCK_ITEM && block->kind == BLOCK_ITEM;
        if (before != NULL && !same_list)
            text_addc(out, '\n');
        if (folded && block->kind == BLOCK_HEADING) {
            text_add(out, "</details>\n\n");
            folded = false;
        }
        folded |= block->folded;
        print_block(page, block, out);
        before = block;
    }
    shown_trim_end(out, "\n");
    if (folded)
        text_add(out, "\n\n</details>");
}
