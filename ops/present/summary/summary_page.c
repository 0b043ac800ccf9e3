/* A summary's page: one line that says it all, then what was not recognised, loudly, then steps,
 * devices, ops, and the facts that say what the figures are worth.
 *
 * Documents of other writers hold profile_summary.v1 only: then its figures stand where ours would.
 */
#include "ops/present/summary/summary_page.h"

#include "ops/present/words/words.h"
#include "schema/documents/summary_view.h"

#include <string.h>

enum { HASH_SHOWN = 12 };

/* ---- the headline -------------------------------------------------------------------------------
 */

static void headline_add(const struct summary *summary, struct page *page)
{
    struct summary_view view;
    summary_view_make(summary, page->arena, &view);
    page_headline(page, TONE_STRONG, "PROFILE", "%s", view.headline);
}

/* ---- warnings -----------------------------------------------------------------------------------
 */

static void list_add(const struct string_list *list, enum tone tone, struct page *page)
{
    for (size_t i = 0; i < list->count; i++)
        page_item(page, tone, NULL, "%s", list->items[i]);
}

static void warnings_add(const struct summary *summary, struct page *page)
{
    const struct string_list *quality = &summary->trace_overview.quality_warnings;
    const struct string_list *coverage = &summary->coverage.warnings;
    if (quality->count + coverage->count == 0)
        return;
    page_heading(page, false, "WARNINGS: read the figures with these in mind");
    list_add(coverage, TONE_BAD, page);
    list_add(quality, TONE_WARN, page);
}

/* ---- figures ------------------------------------------------------------------------------------
 */

/* What is known of them, with what it is of; and why the others are not. */
static void figures_page_add(const struct summary *summary, struct page *page)
{
    struct summary_figure figures[FIGURE_COUNT];
    char number[FORMAT_BYTES];
    if (!summary->has_ours || summary_is_memory(summary))
        return;
    figures_of(summary, figures);
    page_heading(page, false, summary->steps.count > 0 ? "Figures of a step" : "Figures");
    for (int i = 0; i < FIGURE_COUNT; i++) {
        const struct summary_figure *figure = &figures[i];
        if (figure->value.set)
            page_item(page, TONE_PLAIN, figure_names[i], "%s (%s)",
                      measure_text(figure->unit, figure->value.value, false, number), figure->of);
        else
            page_item(page, TONE_DIM, figure_names[i], "not known: %s", figure->absent);
    }
}

/* ---- where the time goes, in the members of version 1 -------------------------------------------
 */

/* Shares of other wholes than ours: it says so, and of which. */
static void breakdown_add(const struct summary *summary, struct page *page)
{
    const struct time_breakdown *breakdown = &summary->time_breakdown;
    struct bar bars[PART_COUNT];
    for (int i = 0; i < PART_COUNT; i++)
        bars[i] = (struct bar){breakdown_part_names[i], breakdown->part[i].share_of_total,
                               i == PART_STALL ? TONE_WARN : TONE_PLAIN};
    if (!(breakdown->total_duration > 0))
        return;
    page_heading(page, true, "Time breakdown of profile_summary.v1 (shares of its own total)");
    page_chart(page, &(struct chart){.title = "Time breakdown of profile_summary.v1",
                                     .bars = bars,
                                     .bar_count = PART_COUNT,
                                     .share = true});
    page_paragraph(page, TONE_DIM,
                   "By the reference tool's definitions: %s over the whole capture, warm-up "
                   "included, all tracks added up.",
                   breakdown->duration_basis);
}

static void candidates_add(const struct summary *summary, struct page *page)
{
    struct summary_view view;
    summary_view_make(summary, page->arena, &view);
    if (summary->optimization_candidate_count == 0 && view.dominant == NULL)
        return;
    page_heading(page, true, "What to look at");
    if (view.dominant != NULL)
        page_item(page, TONE_PLAIN, NULL, "Most of the time: %s.", view.dominant);
    for (size_t i = 0; i < summary->optimization_candidate_count; i++) {
        const struct optimization_candidate *candidate = &summary->optimization_candidates[i];
        if (!summary_view_refutes(&view, candidate))
            page_item(page, TONE_PLAIN, NULL, "%s: %s", candidate->title, candidate->rationale);
    }
}

/* ---- facts --------------------------------------------------------------------------------------
 */

static void environment_add(const struct environment *environment, struct page *page)
{
    static const struct table_column columns[] = {
        {"fact", COLUMN_TEXT}, {"value", COLUMN_NAME}, {"from", COLUMN_TEXT}};
    if (environment->fact_count == 0)
        return;
    page_heading(page, true, "Environment");
    struct table *table = page_table(page, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < environment->fact_count; i++) {
        table_add(table, TONE_PLAIN, environment->facts[i].name);
        table_add(table, TONE_PLAIN, environment->facts[i].value);
        table_add(table, TONE_DIM, environment->facts[i].source);
    }
}

static void text_fact(struct page *page, const char *label, const char *value)
{
    if (value != NULL && value[0] != '\0')
        page_item(page, TONE_PLAIN, label, "%s", value);
}

static void source_add(const struct summary *summary, struct page *page)
{
    char buffer[FORMAT_BYTES];
    page_heading(page, true, "Source");
    text_fact(page, "path", summary->source_path);
    text_fact(page, "format", summary->source_format);
    for (size_t i = 0; i < summary->source_count; i++) {
        const struct source_file *file = &summary->sources[i];
        page_item(page, TONE_PLAIN, file->host == NULL ? "file" : file->host, "%s, %s, sha256 %.*s",
                  file->path, format_size(file->size_bytes, buffer), HASH_SHOWN, file->sha256);
    }
    page_item(page, TONE_PLAIN, "events", "%s",
              format_count(summary->trace_overview.num_events_total, buffer));
    text_fact(page, "run", summary->run_metadata.run_path);
    text_fact(page, "commit", summary->run_metadata.git_sha);
    if (summary->has_ours)
        page_item(page, TONE_DIM, "made by", "stepledger %s, measures version %lld, %s",
                  summary->producer.version, (long long)summary->producer.definition_version,
                  summary->producer.breakdown_mode);
    text_fact(page, "made at", summary->generated_at_utc);
}

void summary_page_fill(const struct summary *summary, size_t limit, struct page *page)
{
    headline_add(summary, page);
    warnings_add(summary, page);
    figures_page_add(summary, page);
    summary_steps_add(summary, limit, page);
    summary_hosts_add(summary, page);
    summary_devices_add(summary, page);
    summary_ops_add(summary, limit, page);
    summary_memory_add(summary, limit, page);
    breakdown_add(summary, page);
    candidates_add(summary, page);
    environment_add(&summary->environment, page);
    source_add(summary, page);
}
