/* Implements lists of verdicts for people: a table of all, then each in full. */
#include "ops/present/verdict/verdict_list.h"

#include "ops/present/verdict/verdict_page.h"
#include "schema/documents/verdict_words.h"

static const struct {
    const char *accepted;
    enum tone tone;
} looks[VERDICT_STATUS_COUNT] = {
    [VERDICT_PASS] = {"PASS", TONE_GOOD},
    [VERDICT_WARN] = {"WARN (accepted)", TONE_WARN},
    [VERDICT_FAIL] = {"FAIL (accepted)", TONE_BAD},
    [VERDICT_INCONCLUSIVE] = {"INCONCLUSIVE (accepted)", TONE_WARN},
    [VERDICT_INCOMPARABLE] = {"INCOMPARABLE (accepted)", TONE_WARN},
};

const char *verdict_item_label(const struct verdict_item *item)
{
    if (item->verdict == NULL)
        return "ERROR";
    return item->accepted != NULL ? looks[item->verdict->status].accepted
                                  : verdict_status_words[item->verdict->status];
}

const char *verdict_item_sentence(const struct verdict_item *item, struct arena *arena)
{
    return item->verdict == NULL ? item->failure : verdict_sentence(item->verdict, arena);
}

const char *verdict_item_efficiency(const struct verdict_item *item, struct arena *arena)
{
    return item->verdict == NULL ? "" : verdict_efficiency(item->verdict, arena);
}

static void overview_fill(const struct verdict_list *list, struct page *page)
{
    static const struct table_column columns[] = {
        {"verdict", COLUMN_TEXT}, {"workload", COLUMN_NAME}, {"what", COLUMN_TEXT}};
    struct table *table = page_table(page, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < list->count; i++) {
        const struct verdict_item *item = &list->items[i];
        enum tone tone = item->verdict == NULL ? TONE_BAD : looks[item->verdict->status].tone;
        const char *sentence = verdict_item_sentence(item, page->arena);
        table_add(table, tone, verdict_item_label(item));
        table_add(table, TONE_PLAIN, item->name);
        table_add(table, TONE_PLAIN, sentence);
    }
}

/* What stands behind a verdict that its document does not hold. */
static void notes_fill(const struct verdict_item *item, struct page *page)
{
    if (item->failure != NULL)
        page_paragraph(page, TONE_BAD, "%s could not be judged: %s", item->name, item->failure);
    if (item->id != NULL)
        page_paragraph(page, TONE_DIM,
                       "Recorded as %s; `stepledger gate --replay %s` makes it again.", item->id,
                       item->id);
}

/* What a person took with its cost; a pass needs nobody. */
static bool is_accepted(const struct verdict_item *item)
{
    return item->accepted != NULL && item->verdict != NULL && item->verdict->status != VERDICT_PASS;
}

static bool has_note_above(const struct verdict_item *item)
{
    return is_accepted(item) || item->beyond != NULL || item->retracted != NULL;
}

void verdict_item_notes(const struct verdict_item *item, struct page *page)
{
    if (item->retracted != NULL)
        page_paragraph(page, TONE_STRONG, VERDICT_WORDS_RETRACTED "%s", item->retracted);
    if (is_accepted(item))
        page_paragraph(page, TONE_STRONG, VERDICT_WORDS_ACCEPTED "%s", item->accepted);
    if (item->beyond != NULL)
        page_paragraph(page, TONE_STRONG, VERDICT_WORDS_BEYOND "%s.", item->beyond);
}

/* The table of all, and below it each in full; style NULL: Markdown. */
static bool list_print(const struct verdict_list *list, bool details,
                       const struct text_style *style, struct text *out, struct err *err)
{
    const char *format = style != NULL ? "text" : "md";
    scoped_arena arena;
    struct page page;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    if (list->count > 1 || !details) {
        page_init(&page, &arena, "verdicts");
        overview_fill(list, &page);
        page_print_as(&page, format, style, out);
    }
    for (size_t i = 0; details && i < list->count; i++) {
        const struct verdict_item *item = &list->items[i];
        if (list->count > 1 && style != NULL)
            text_addf(out, "\n\n== %s\n", item->name);
        else if (list->count > 1)
            text_add(out, "\n\n---\n\n");
        if (has_note_above(item)) {
            page_init(&page, &arena, "verdict");
            verdict_item_notes(item, &page);
            page_print_as(&page, format, style, out);
            text_add(out, "\n\n");
        }
        if (item->verdict != NULL && !(style != NULL ? verdict_text(item->verdict, style, out, err)
                                                     : verdict_markdown(item->verdict, out, err)))
            return false;
        page_init(&page, &arena, "verdict");
        notes_fill(item, &page);
        text_add(out, item->verdict != NULL ? "\n\n" : "");
        page_print_as(&page, format, style, out);
    }
    return arena_ok(&arena, "the verdicts", err) && text_ok(out, "the verdicts", err);
}

bool verdict_list_text(const struct verdict_list *list, const struct text_style *style,
                       struct text *out, struct err *err)
{
    return list_print(list, true, style, out, err);
}

bool verdict_list_markdown(const struct verdict_list *list, bool details, struct text *out,
                           struct err *err)
{
    return list_print(list, details, NULL, out, err);
}

bool verdict_list_html(const struct verdict_list *list, struct text *out, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    struct page page;
    page_init(&page, &arena, list->count == 1 ? list->items[0].name : "verdicts");
    if (list->count > 1)
        overview_fill(list, &page);
    for (size_t i = 0; i < list->count; i++) {
        const struct verdict_item *item = &list->items[i];
        if (list->count > 1)
            page_heading(&page, false, item->name);
        verdict_item_notes(item, &page);
        if (item->verdict == NULL)
            page_headline(&page, TONE_BAD, verdict_item_label(item), "%s", item->failure);
        else
            verdict_html_fill(item->verdict, item->course, &page);
        if (item->verdict != NULL && item->id != NULL) {
            page_heading(&page, true, "Where it stands in the ledger");
            notes_fill(item, &page);
        }
    }
    page_print_html(&page, out);
    return page_ok(&page, "the verdicts", err) && text_ok(out, "the verdicts", err);
}
