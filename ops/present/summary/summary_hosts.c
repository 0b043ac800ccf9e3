/* The hosts of a profile, slowest first, and how far they are apart. */
#include "ops/present/summary/host_times.h"
#include "ops/present/summary/summary_page.h"

#include "ops/present/words/words.h"
#include "schema/documents/summary_view.h"

enum { HOSTS_SHOWN = 16, STEP_DIGITS = 5 };

static void host_add(struct table *table, const struct host_time *host, double above_pct,
                     struct duration_scale scale)
{
    char buffer[FORMAT_BYTES];
    table_add(table, TONE_PLAIN, host->name);
    table_add(table, TONE_PLAIN, format_count(host->device_count, buffer));
    table_add(table, TONE_PLAIN, format_scaled(scale, host->step_median_us, false, buffer));
    table_add(table, TONE_PLAIN, above_pct == 0 ? "" : format_percent_delta(above_pct, buffer));
    table_add(table, TONE_PLAIN, format_scaled(scale, host->period_us, false, buffer));
    table_add(table, TONE_PLAIN, format_scaled(scale, host->work_us, false, buffer));
    table_add(table, TONE_PLAIN, format_scaled(scale, host->collectives_us, false, buffer));
    table_add(table, TONE_DIM, host->clock_offset_us);
}

/* Who of the job is there, and who is not: a slow host may be among those that are missing. */
static void capture_add(const struct summary *summary, struct page *page)
{
    struct summary_view view;
    summary_view_make(summary, page->arena, &view);
    if (view.hosts == NULL && summary->capture.notes.count == 0)
        return;
    page_heading(page, false, "Capture");
    if (view.hosts != NULL)
        page_item(page, summary->capture.missing.count > 0 ? TONE_BAD : TONE_PLAIN, NULL,
                  "It holds %s.", view.hosts);
    for (size_t i = 0; i < summary->capture.notes.count; i++)
        page_item(page, TONE_PLAIN, NULL, "%s", summary->capture.notes.items[i]);
}

void summary_hosts_add(const struct summary *summary, struct page *page)
{
    static const struct table_column columns[] = {{"host", COLUMN_NAME},
                                                  {"devices", COLUMN_NUMBER},
                                                  {"step median", COLUMN_NUMBER},
                                                  {"vs fastest", COLUMN_NUMBER},
                                                  {"step to step", COLUMN_NUMBER},
                                                  {"work", COLUMN_NUMBER},
                                                  {"in collectives", COLUMN_NUMBER},
                                                  {"clock ahead, µs", COLUMN_NUMBER}};
    struct host_times times;
    const struct host_time *fastest = NULL;
    host_times_make(summary, page->arena, &times);
    capture_add(summary, page);
    struct opt_f64 skew = host_times_skew(&times, &fastest);
    if (!skew.set)
        return;
    page_heading(page, false,
                 "Hosts (a step lasts until its slowest device is done), slowest first");
    struct table *table = page_table(page, columns, sizeof columns / sizeof *columns);
    struct duration_scale scale =
        duration_scale_for(times.rows[0].step_median_us.value, STEP_DIGITS);
    for (size_t i = 0; i < times.count && i < HOSTS_SHOWN; i++)
        host_add(table, &times.rows[i],
                 change_percent(fastest->told_us, times.rows[i].told_us).value, scale);
    page_paragraph(page, TONE_PLAIN, "%s", host_times_sentence(&times, skew.value, page->arena));
}
