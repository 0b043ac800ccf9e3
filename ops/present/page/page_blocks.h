/* A page: what a document says to people, before it is decided whether that is a terminal, a pull
 * request or a browser.
 *
 * A builder (verdict_page.c, summary_page.c) adds blocks; page_text.c, page_markdown.c and
 * page_html.c print them: add freely, ask once at the end (page_ok). Every text is made harmless
 * when it is added, so printers need only escape for their format.
 */
#ifndef OPS_PRESENT_PAGE_PAGE_BLOCKS_H
#define OPS_PRESENT_PAGE_PAGE_BLOCKS_H

#include "ops/present/picture/picture.h"
#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "ops/runtime/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Far above any page; names are as long as the producer of a profile made them. */
enum { PAGE_BUDGET_BYTES = 256 << 20 };

enum column_kind {
    COLUMN_TEXT,  /* left-aligned words */
    COLUMN_NAME,  /* left-aligned name from a profile: code in markup, cut when there is no room */
    COLUMN_PATH,  /* the same, cut at its start */
    COLUMN_WORDS, /* a left-aligned sentence, in several lines where there is no room */
    COLUMN_NUMBER /* right-aligned */
};

struct table_column {
    const char *title;
    enum column_kind kind;
};

struct cell {
    const char *text;
    enum tone tone;
};

struct table {
    struct page *page;
    const struct table_column *columns; /* lives as long as the page */
    size_t column_count;
    struct cell *cells; /* row after row */
    size_t cell_count, cell_capacity;
};

enum block_kind {
    BLOCK_HEADLINE, /* label ("FAIL") and one sentence */
    BLOCK_HEADING,  /* starts a section */
    BLOCK_PARAGRAPH,
    BLOCK_ITEM, /* one line of a list; label may be NULL */
    BLOCK_TABLE,
    BLOCK_CHART,
    BLOCK_PICTURE /* drawn in HTML, its text elsewhere */
};

struct block {
    struct block *next;
    enum block_kind kind;
    enum tone tone;
    bool folded;       /* HEADING: details that a page with little room hides behind a click */
    const char *label; /* HEADLINE, ITEM */
    const char *text;
    struct table *table;
    struct chart *chart;
    struct drawing drawing; /* PICTURE */
};

struct page {
    struct arena *arena;
    const char *title; /* of the window */
    struct block *first, *last;
    bool failed; /* a sentence of it was cut */
};

/* An empty page in the arena. */
void page_init(struct page *page, struct arena *arena, const char *title);

/* The first line of a page: a label ("FAIL") in its tone, then one sentence. */
void page_headline(struct page *page, enum tone tone, const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Starts a section; folded: where room is scarce it is hidden until asked for. */
void page_heading(struct page *page, bool folded, const char *title);
/* A paragraph of its own. */
void page_paragraph(struct page *page, enum tone tone, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* One line of a list; label (NULL = none) names it. Items that follow each other are one list. */
void page_item(struct page *page, enum tone tone, const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A table without rows yet. */
struct table *page_table(struct page *page, const struct table_column *columns, size_t count);
/* The next cell, row after row; NULL or "" is shown as "-". */
void table_add(struct table *table, enum tone tone, const char *text);
/* The same for the source path of an op, shortened to what people wrote; NULL = none. */
void table_add_path(struct table *table, const char *path);
/* The same, printed. */
void table_addf(struct table *table, enum tone tone, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
size_t table_rows(const struct table *table);

/* A chart of bars[bar_count], copied; labels are copied too. */
void page_chart(struct page *page, const struct chart *chart);

/* A picture; what it is of lives as long as the page. instead: what stands for it where nothing is
 * drawn (NULL = nothing). */
void page_picture(struct page *page, struct drawing drawing, const char *instead);

/* false with ERR_LIMIT when it is more than the arena's budget, or a sentence was cut. */
bool page_ok(const struct page *page, const char *what, struct err *err);

/* The printers take pages that are page_ok. They write no line break at the end: who emits a
 * document ends it. Failures of the text stay with it (text_ok). */

/* How a page looks on a terminal. */
struct text_style {
    bool color;  /* ANSI colours: only when asked */
    int columns; /* of the terminal; long names are cut to fit. 0 = no limit */
};

/* Aligned columns below each other, sections indented. */
void page_print_text(const struct page *page, const struct text_style *style, struct text *out);
/* GitHub's markdown: escaped, without mentions and links that names could make. */
void page_print_markdown(const struct page *page, struct text *out);
/* One self-contained HTML file: no script, nothing fetched; charts are SVG. */
void page_print_html(const struct page *page, struct text *out);

/* By the name of a format: "md", "html", else text. */
void page_print_as(const struct page *page, const char *format, const struct text_style *style,
                   struct text *out);

#endif
