/* The sections of a verdict: why, step time, the ops that moved, other measures, statistics,
 * provenance, what was compared. Numbers and sentences are the view's
 * (schema/documents/verdict_view.h); here is only their order and their tone. */
#include "ops/present/verdict/verdict_page.h"

#include "ops/present/verdict/verdict_picture.h"
#include "schema/documents/measures.h"
#include "schema/documents/verdict_view.h"
#include "schema/documents/verdict_words.h"

#include <string.h>

enum { TEXT_OPS = 12, MARKDOWN_OPS = 8 }; /* ops that are listed */

static const enum tone status_tones[VERDICT_STATUS_COUNT] = {
    [VERDICT_PASS] = TONE_GOOD,         [VERDICT_WARN] = TONE_WARN,
    [VERDICT_FAIL] = TONE_BAD,          [VERDICT_INCONCLUSIVE] = TONE_WARN,
    [VERDICT_INCOMPARABLE] = TONE_WARN,
};

/* The tone of a word in a document: changes of ops, states of measures, actions of mismatches. */
static enum tone tone_of(const char *word)
{
    static const struct {
        const char *word;
        enum tone tone;
    } tones[] = {
        {"slower", TONE_BAD}, {"added", TONE_BAD}, {"faster", TONE_GOOD}, {"removed", TONE_GOOD},
        {"fail", TONE_BAD},   {"warn", TONE_WARN}, {"strict", TONE_BAD},  {"ok", TONE_GOOD},
    };
    for (size_t i = 0; i < sizeof tones / sizeof *tones; i++) {
        if (strcmp(tones[i].word, word) == 0)
            return tones[i].tone;
    }
    return TONE_PLAIN;
}

static void pair_add(struct table *table, enum tone tone, const struct view_pair *pair)
{
    table_add(table, tone, pair->before);
    table_add(table, tone, pair->after);
}

static void steps_add(const struct verdict *verdict, const struct verdict_view *view,
                      struct page *page)
{
    static const struct table_column columns[] = {{"", COLUMN_TEXT},
                                                  {"baseline", COLUMN_NUMBER},
                                                  {"candidate", COLUMN_NUMBER},
                                                  {"change", COLUMN_NUMBER},
                                                  {"", COLUMN_NUMBER}};
    if (view->steps.count == 0)
        return;
    page_heading(page, false, "Step time (over steady steps; medians of runs)");
    struct table *table = page_table(page, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < view->steps.count; i++) {
        const struct view_pair *row = &view->steps.items[i];
        table_add(table, TONE_PLAIN, row->name);
        pair_add(table, TONE_PLAIN, row);
        table_add(table, TONE_PLAIN, row->delta);
        table_add(table, TONE_PLAIN, row->percent);
    }
    for (size_t i = 0; i < view->counts.count; i++) {
        const struct view_pair *row = &view->counts.items[i];
        table_add(table, TONE_DIM, row->name);
        pair_add(table, TONE_DIM, row);
        table_add(table, TONE_DIM, " ");
        table_add(table, TONE_DIM, " ");
    }
    verdict_spread_add(verdict, page);
    if (verdict->slow_devices != NULL)
        page_paragraph(page, TONE_PLAIN, "%s", verdict->slow_devices);
}

static void op_rows(const struct verdict_view *view, size_t shown, struct page *page)
{
    static const struct table_column columns[] = {
        {"change", COLUMN_TEXT},    {"op", COLUMN_NAME},      {"before", COLUMN_NUMBER},
        {"after", COLUMN_NUMBER},   {"delta", COLUMN_NUMBER}, {"", COLUMN_NUMBER},
        {"of step", COLUMN_NUMBER}, {"path", COLUMN_PATH}};
    struct table *table = page_table(page, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < shown; i++) {
        const struct view_pair *op = &view->ops.items[i];
        enum tone tone = tone_of(op->kind);
        table_add(table, tone, op->kind);
        table_add(table, TONE_PLAIN, op->name);
        pair_add(table, TONE_PLAIN, op);
        table_add(table, tone, op->delta);
        table_add(table, TONE_PLAIN, op->percent);
        table_add(table, TONE_PLAIN, op->of_step);
        table_add(table, TONE_PLAIN, op->path);
    }
}

/* Ops that move a little each are a region that moved. */
static bool has_whole(const struct verdict_view *view)
{
    for (size_t i = 0; i < view->groups.count; i++) {
        const char *kind = view->groups.items[i].kind;
        if (strcmp(kind, "phase") == 0 || strcmp(kind, "region") == 0)
            return true;
    }
    return false;
}

static void ops_add(const struct verdict *verdict, const struct verdict_view *view, size_t op_limit,
                    struct page *page)
{
    size_t shown = view->ops.count < op_limit ? view->ops.count : op_limit;
    if (verdict->op_count == 0 && !verdict->balance.known)
        return;
    page_heading(page, false,
                 verdict->ops_per == NULL
                     ? "Ops that moved (self time per step and device)"
                     : "Ops that moved (self time of one call: a side has no steps)");
    verdict_waterfall_add(verdict, page);
    if (shown == 0)
        page_paragraph(page, TONE_PLAIN, "No op moved%s%s.",
                       verdict->op_count > 0 ? " by what matters" : "",
                       verdict->op_count > 0 && has_whole(view)
                           ? " by itself; what ops of one phase or region moved together stands "
                             "below"
                           : "");
    else
        op_rows(view, shown, page);
    size_t rest = verdict->op_count - shown;
    if (rest > 0)
        page_paragraph(page, TONE_DIM, "%zu%s %s in the JSON form%s.", rest,
                       shown > 0 ? " more" : "", rest == 1 ? "is" : "are",
                       view->ops.count != shown || shown == 0 ? ""
                       : rest == 1                            ? ": it did not move by what matters"
                                   : ": they did not move by what matters");
    if (view->balance[0] != '\0')
        page_paragraph(page, TONE_PLAIN, "%s", view->balance);
}

/* What gaps of a stream are, beside what devices idled: a stream of collectives waits most of a
 * step, and that costs nothing where another one computes. */
static void gaps_explain(const struct verdict *verdict, struct page *page)
{
    const size_t at = MEASURE_device_idle_share - MEASURE_FIRST;
    const struct verdict_measure *idle =
        at < verdict->measure_count ? &verdict->measures[at] : NULL;
    char before[FORMAT_BYTES], after[FORMAT_BYTES];
    bool is_gap = false;
    for (size_t i = 0; i < verdict->group_count && !is_gap; i++)
        is_gap = strcmp(verdict->groups[i].kind, "gap") == 0;
    if (!is_gap)
        return;
    if (idle != NULL && strcmp(idle->name, "device_idle_share") == 0 && idle->before.set &&
        idle->after.set)
        page_paragraph(page, TONE_PLAIN,
                       "A gap is the time in which a stream runs nothing before the op, also while "
                       "others of its device compute: devices idled %s of their windows before, %s "
                       "after.",
                       format_share(idle->before.value, before),
                       format_share(idle->after.value, after));
    else
        page_paragraph(page, TONE_PLAIN,
                       "A gap is the time in which a stream runs nothing before the op, also while "
                       "others of its device compute.");
}

static void groups_add(const struct verdict *verdict, const struct verdict_view *view,
                       struct page *page)
{
    static const struct table_column columns[] = {
        {"kind", COLUMN_TEXT},    {"name", COLUMN_PATH},    {"before", COLUMN_NUMBER},
        {"after", COLUMN_NUMBER}, {"delta", COLUMN_NUMBER}, {"", COLUMN_NUMBER}};
    if (view->groups.count == 0)
        return;
    page_heading(page, true,
                 "Where the time went (per step and device; hosts, devices: median step, mean of "
                 "runs; collectives, gaps, regions: whole capture, between steps too)");
    verdict_stack_add(verdict, page);
    struct table *table = page_table(page, columns, sizeof columns / sizeof *columns);
    bool is_part = false;
    for (size_t i = 0; i < view->groups.count; i++) {
        const struct view_pair *group = &view->groups.items[i];
        table_add(table, TONE_DIM, group->kind);
        table_add(table, TONE_PLAIN, group->name);
        pair_add(table, TONE_PLAIN, group);
        table_add(table, TONE_PLAIN, group->delta);
        table_add(table, TONE_PLAIN, group->percent);
        is_part = is_part || group->is_part;
    }
    if (is_part)
        page_paragraph(page, TONE_PLAIN,
                       "(n of m): so many runs of a side have it, its time is their mean.");
    gaps_explain(verdict, page);
}

static void measures_add(const struct verdict_view *view, struct page *page)
{
    static const struct table_column columns[] = {
        {"measure", COLUMN_TEXT},  {"before", COLUMN_NUMBER},  {"after", COLUMN_NUMBER},
        {"change", COLUMN_NUMBER}, {"allowed", COLUMN_NUMBER}, {"status", COLUMN_TEXT}};
    if (view->measures.count == 0)
        return;
    page_heading(page, true, "Other measures (medians of runs)");
    struct table *table = page_table(page, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < view->measures.count; i++) {
        const struct view_pair *measure = &view->measures.items[i];
        table_add(table, TONE_PLAIN, measure->name);
        pair_add(table, TONE_PLAIN, measure);
        table_add(table, TONE_PLAIN, measure->delta);
        table_add(table, TONE_DIM, measure->allowed);
        table_add(table, tone_of(measure->status), measure->status);
    }
}

static void lines_add(const struct view_lines *lines, const char *title, struct page *page)
{
    if (lines->count > 0)
        page_heading(page, true, title);
    for (size_t i = 0; i < lines->count; i++)
        page_item(page, TONE_PLAIN, lines->items[i].label, "%s", lines->items[i].text);
}

static void provenance_add(const struct verdict *verdict, struct page *page)
{
    static const struct table_column columns[] = {{"fact", COLUMN_TEXT},
                                                  {"baseline", COLUMN_NAME},
                                                  {"candidate", COLUMN_NAME},
                                                  {"action", COLUMN_TEXT}};
    page_heading(page, verdict->status != VERDICT_INCOMPARABLE, "Provenance");
    if (verdict->mismatch_count == 0)
        page_paragraph(page, TONE_PLAIN, "All known facts of both sides agree%s.",
                       verdict_runs_differ(verdict)
                           ? ", but not all runs of a side run the same ops: no fact says why"
                           : "");
    else {
        struct table *table = page_table(page, columns, sizeof columns / sizeof *columns);
        for (size_t i = 0; i < verdict->mismatch_count; i++) {
            const struct verdict_mismatch *mismatch = &verdict->mismatches[i];
            table_add(table, TONE_PLAIN, mismatch->field);
            table_add(table, TONE_PLAIN,
                      mismatch->baseline == NULL ? "unknown" : mismatch->baseline);
            table_add(table, TONE_PLAIN,
                      mismatch->candidate == NULL ? "unknown" : mismatch->candidate);
            table_add(table, tone_of(mismatch->action), mismatch->action);
        }
    }
    for (size_t i = 0; i < verdict->provenance_messages.count; i++)
        page_item(page, TONE_WARN, NULL, "%s", verdict->provenance_messages.items[i]);
}

/* What a reader looks for first. */
static void top_fill(const struct verdict *verdict, const struct verdict_view *view,
                     struct page *page)
{
    page_headline(page, status_tones[verdict->status], view->status, "%s", view->sentence);
    if (view->efficiency[0] != '\0')
        page_paragraph(page, TONE_PLAIN, "%s", view->efficiency);
    if (view->next.why != NULL)
        page_paragraph(page, TONE_PLAIN, "%s: `%s`", view->next.why, view->next.command);
    if (verdict->reason_count > 0)
        page_heading(page, false, "Why");
    for (size_t i = 0; i < verdict->reason_count; i++)
        page_item(page, TONE_PLAIN, verdict->reasons[i].code, "%s", verdict->reasons[i].text);
    steps_add(verdict, view, page);
}

static void rest_fill(const struct verdict *verdict, const struct verdict_view *view,
                      size_t op_limit, struct page *page)
{
    ops_add(verdict, view, op_limit, page);
    groups_add(verdict, view, page);
    measures_add(view, page);
    lines_add(&view->statistics, "Statistics of the median step (runs are the samples)", page);
    provenance_add(verdict, page);
    lines_add(&view->compared, "What was compared", page);
}

void verdict_page_fill(const struct verdict *verdict, size_t op_limit, struct page *page)
{
    struct verdict_view view;
    verdict_view_make(verdict, page->arena, &view);
    top_fill(verdict, &view, page);
    rest_fill(verdict, &view, op_limit, page);
}

void verdict_html_fill(const struct verdict *verdict, const struct verdict_course *course,
                       struct page *page)
{
    enum { OPS_LISTED = 50 };
    struct verdict_view view;
    verdict_view_make(verdict, page->arena, &view);
    top_fill(verdict, &view, page);
    verdict_course_add(verdict, course, page);
    rest_fill(verdict, &view, OPS_LISTED, page);
}

static bool printed(const struct verdict *verdict, const struct text_style *style, struct text *out,
                    struct err *err)
{
    struct page page;
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    page_init(&page, &arena, "verdict");
    verdict_page_fill(verdict, style != NULL ? TEXT_OPS : MARKDOWN_OPS, &page);
    page_print_as(&page, style != NULL ? "text" : "md", style, out);
    return page_ok(&page, "the verdict", err) && text_ok(out, "the verdict", err);
}

bool verdict_text(const struct verdict *verdict, const struct text_style *style, struct text *out,
                  struct err *err)
{
    return printed(verdict, style, out, err);
}

bool verdict_markdown(const struct verdict *verdict, struct text *out, struct err *err)
{
    return printed(verdict, NULL, out, err);
}
