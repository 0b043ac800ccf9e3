/* Prints a page for a terminal: aligned columns, colour only when asked, long names cut to the
 * width. */
#include "ops/present/page/page_blocks.h"

#include "ops/present/words/words.h"

#include <string.h>

enum {
    INDENT = 2, /* below a heading */
    GAP = 2,    /* between columns */
    NAME_MIN = 16,
    WORDS_MIN = 8,
    SHARE_BAR_COLUMNS = 32,
    SERIES_COLUMNS = 60
};

struct terminal {
    const struct text_style *style;
    struct text *out;
    struct arena *arena;
    size_t indent;
};

static const char *const tone_codes[TONE_COUNT] = {
    [TONE_PLAIN] = NULL,      [TONE_STRONG] = "\033[1m", [TONE_DIM] = "\033[2m",
    [TONE_GOOD] = "\033[32m", [TONE_WARN] = "\033[33m",  [TONE_BAD] = "\033[31m",
};

static void tone_start(const struct terminal *terminal, enum tone tone)
{
    if (terminal->style->color && tone_codes[tone] != NULL)
        text_add(terminal->out, tone_codes[tone]);
}

static void tone_end(const struct terminal *terminal, enum tone tone)
{
    if (terminal->style->color && tone_codes[tone] != NULL)
        text_add(terminal->out, "\033[0m");
}

static void print_toned(const struct terminal *terminal, enum tone tone, const char *text)
{
    tone_start(terminal, tone);
    text_add(terminal->out, text);
    tone_end(terminal, tone);
}

static void print_blanks(const struct terminal *terminal, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_addc(terminal->out, ' ');
}

/* Bytes of the word at the start of text; a number keeps the unit that follows it ("97.1 %"). */
static size_t word_length(const char *text)
{
    enum { UNIT_MAX_BYTES = 3 };
    size_t length = strcspn(text, " ");
    bool number = length > 0 && text[length - 1] >= '0' && text[length - 1] <= '9';
    if (!number || text[length] == '\0')
        return length;
    size_t next = strcspn(text + length + 1, " ,;:.)");
    return next > 0 && next <= UNIT_MAX_BYTES ? length + 1 + strcspn(text + length + 1, " ")
                                              : length;
}

/* Words from column `at` on, broken before the terminal's edge, following lines at `hang`. */
static void print_words(const struct terminal *terminal, enum tone tone, const char *text,
                        size_t at, size_t hang)
{
    size_t edge = terminal->style->columns > 0 ? (size_t)terminal->style->columns : SIZE_MAX;
    tone_start(terminal, tone);
    for (bool first = true; *text != '\0'; first = false) {
        size_t bytes = word_length(text);
        size_t columns = shown_columns(arena_strndup(terminal->arena, text, bytes));
        bool breaks = !first && at + 1 + columns > edge;
        if (breaks) {
            tone_end(terminal, tone);
            text_addc(terminal->out, '\n');
            print_blanks(terminal, hang);
            tone_start(terminal, tone);
        } else if (!first) {
            text_addc(terminal->out, ' ');
        }
        text_addn(terminal->out, text, bytes);
        at = (breaks ? hang : first ? at : at + 1) + columns;
        text += bytes + strspn(text + bytes, " ");
    }
    tone_end(terminal, tone);
    text_addc(terminal->out, '\n');
}

/* ---- tables -------------------------------------------------------------------------------------
 */

static const struct cell *table_cell(const struct table *table, size_t row, size_t column)
{
    return &table->cells[row * table->column_count + column];
}

static void measure(const struct table *table, size_t *widths)
{
    size_t rows = table_rows(table);
    for (size_t c = 0; c < table->column_count; c++) {
        widths[c] = shown_columns(table->columns[c].title);
        for (size_t r = 0; r < rows; r++) {
            size_t columns = shown_columns(table_cell(table, r, c)->text);
            if (columns > widths[c])
                widths[c] = columns;
        }
    }
}

static bool is_name(enum column_kind kind)
{
    return kind == COLUMN_NAME || kind == COLUMN_PATH;
}

static bool is_text(enum column_kind kind)
{
    return kind == COLUMN_TEXT;
}

/* Takes from the widest column of a kind until the table fits or all of them are at their
 * minimum. */
static size_t shrink(const struct table *table, size_t *widths, size_t excess,
                     bool (*is_kind)(enum column_kind kind), size_t minimum)
{
    while (excess > 0) {
        size_t widest = table->column_count;
        for (size_t c = 0; c < table->column_count; c++) {
            bool candidate = is_kind(table->columns[c].kind) && widths[c] > minimum;
            if (candidate && (widest == table->column_count || widths[c] > widths[widest]))
                widest = c;
        }
        if (widest == table->column_count)
            break;
        widths[widest]--;
        excess--;
    }
    return excess;
}

static void fit(const struct terminal *terminal, const struct table *table, size_t *widths)
{
    if (terminal->style->columns <= 0)
        return;
    size_t room = (size_t)terminal->style->columns;
    size_t total = terminal->indent + GAP * (table->column_count - 1);
    for (size_t c = 0; c < table->column_count; c++)
        total += widths[c];
    size_t excess = total > room ? total - room : 0;
    excess = shrink(table, widths, excess, is_name, NAME_MIN);
    (void)shrink(table, widths, excess, is_text, WORDS_MIN);
}

static void print_cell(const struct terminal *terminal, const struct cell *cell, size_t width,
                       enum column_kind kind, bool last)
{
    const char *text = kind == COLUMN_PATH ? shown_cut_start(terminal->arena, cell->text, width)
                                           : shown_cut(terminal->arena, cell->text, width);
    size_t blanks = width - shown_columns(text);
    if (kind == COLUMN_NUMBER)
        print_blanks(terminal, blanks);
    print_toned(terminal, cell->tone, text);
    if (kind != COLUMN_NUMBER && !last)
        print_blanks(terminal, blanks);
}

static void print_row(const struct terminal *terminal, const struct table *table,
                      const struct cell *cells, const size_t *widths)
{
    print_blanks(terminal, terminal->indent);
    for (size_t c = 0; c < table->column_count; c++) {
        bool last = c + 1 == table->column_count;
        print_cell(terminal, &cells[c], widths[c], table->columns[c].kind, last);
        if (!last)
            print_blanks(terminal, GAP);
    }
    shown_trim_end(terminal->out, " ");
    text_addc(terminal->out, '\n');
}

static void print_table(const struct terminal *terminal, const struct table *table)
{
    size_t *widths = arena_array(terminal->arena, size_t, table->column_count);
    struct cell *titles = arena_array(terminal->arena, struct cell, table->column_count);
    measure(table, widths);
    fit(terminal, table, widths);
    for (size_t c = 0; c < table->column_count; c++)
        titles[c] = (struct cell){table->columns[c].title, TONE_DIM};
    print_row(terminal, table, titles, widths);
    for (size_t r = 0; r < table_rows(table); r++)
        print_row(terminal, table, table_cell(table, r, 0), widths);
}

/* ---- charts -------------------------------------------------------------------------------------
 */

static void print_chart(const struct terminal *terminal, const struct chart *chart)
{
    if (chart->bar_count == 0)
        return;
    if (chart->share) {
        size_t label_columns = 0;
        for (size_t i = 0; i < chart->bar_count; i++) {
            size_t columns = shown_columns(chart->bars[i].label);
            label_columns = columns > label_columns ? columns : label_columns;
        }
        for (size_t i = 0; i < chart->bar_count; i++) {
            const struct bar *bar = &chart->bars[i];
            char share[FORMAT_BYTES];
            print_blanks(terminal, terminal->indent);
            text_add(terminal->out, bar->label);
            print_blanks(terminal, label_columns - shown_columns(bar->label));
            text_addf(terminal->out, "  %7s  ", format_share(bar->value, share));
            chart_bar(bar->value, SHARE_BAR_COLUMNS, terminal->out);
            shown_trim_end(terminal->out, " ");
            text_addc(terminal->out, '\n');
        }
        return;
    }
    print_blanks(terminal, terminal->indent);
    chart_sparkline(chart, SERIES_COLUMNS, terminal->out);
    text_addc(terminal->out, '\n');
}

/* ---- the page -----------------------------------------------------------------------------------
 */

/* Columns of the widest label in a run of items, so that their texts line up. */
static size_t label_columns_from(const struct block *block)
{
    size_t widest = 0;
    for (; block != NULL && block->kind == BLOCK_ITEM; block = block->next) {
        size_t columns = block->label == NULL ? 0 : shown_columns(block->label);
        widest = columns > widest ? columns : widest;
    }
    return widest;
}

static void print_item(const struct terminal *terminal, const struct block *block, size_t labels)
{
    print_blanks(terminal, terminal->indent);
    size_t at = terminal->indent;
    if (block->label != NULL) {
        text_add(terminal->out, block->label);
        print_blanks(terminal, labels - shown_columns(block->label) + GAP);
        at += labels + GAP;
    } else {
        text_add(terminal->out, "- ");
        at += 2;
    }
    print_words(terminal, block->tone, block->text, at, at);
}

static void print_block(struct terminal *terminal, const struct block *block, size_t labels)
{
    switch (block->kind) {
    case BLOCK_HEADLINE:
        print_toned(terminal, block->tone, block->label);
        text_add(terminal->out, "  ");
        print_words(terminal, TONE_PLAIN, block->text, shown_columns(block->label) + GAP,
                    shown_columns(block->label) + GAP);
        break;
    case BLOCK_HEADING:
        text_addc(terminal->out, '\n');
        print_toned(terminal, TONE_STRONG, block->text);
        text_addc(terminal->out, '\n');
        terminal->indent = INDENT;
        break;
    case BLOCK_PARAGRAPH:
        print_blanks(terminal, terminal->indent);
        print_words(terminal, block->tone, block->text, terminal->indent, terminal->indent);
        break;
    case BLOCK_ITEM:
        print_item(terminal, block, labels);
        break;
    case BLOCK_TABLE:
        print_table(terminal, block->table);
        break;
    case BLOCK_CHART:
        print_chart(terminal, block->chart);
        break;
    case BLOCK_PICTURE:
        if (block->text == NULL)
            break;
        print_blanks(terminal, terminal->indent);
        print_words(terminal, block->tone, block->text, terminal->indent, terminal->indent);
        break;
    }
}

void page_print_text(const struct page *page, const struct text_style *style, struct text *out)
{
    struct terminal terminal = {style, out, page->arena, 0};
    size_t labels = 0;
    enum block_kind before = BLOCK_HEADLINE;
    for (const struct block *block = page->first; block != NULL; block = block->next) {
        if (block->kind == BLOCK_ITEM && before != BLOCK_ITEM)
            labels = label_columns_from(block);
        print_block(&terminal, block, labels);
        before = block->kind;
    }
    shown_trim_end(out, "\n");
}

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
