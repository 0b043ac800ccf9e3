/* The devices of a profile, each by itself: the slow one never disappears in a mean. */
#include "ops/present/summary/host_times.h"
#include "ops/present/summary/summary_page.h"

#include "ops/present/words/words.h"
#include "ops/present/summary/steps_order.h"

#include <string.h>

enum { DEVICES_SHOWN = 16, STEP_DIGITS = 5 };
static const double PS_PER_US = 1e6;

static void share_add(struct table *table, int64_t part_ps, int64_t window_ps)
{
    char buffer[FORMAT_BYTES];
    bool known = window_ps > 0;
    table_add(table, TONE_PLAIN,
              known ? format_share((double)part_ps / (double)window_ps, buffer) : "");
}

static void device_add(struct table *table, const struct device_row *device,
                       struct duration_scale scale)
{
    char buffer[FORMAT_BYTES];
    struct opt_f64 step = {device->steady_step_median_ps >= 0,
                           (double)device->steady_step_median_ps / PS_PER_US};
    /* "worker-1/device:TPU:0" as "worker-1/TPU:0": the table is wide, and a name that is cut
     * in the middle tells no hosts apart. */
    const char *name = device->name;
    static const char word[] = "/device:";
    const char *at = strstr(name, word);
    if (at == NULL || at == name)
        table_add(table, TONE_PLAIN, name);
    else
        table_addf(table, TONE_PLAIN, "%.*s/%s", (int)(at - name), name, at + sizeof word - 1);
    table_add(table, TONE_PLAIN, format_scaled(scale, step, false, buffer));
    share_add(table, device->busy_ps, device->window_ps);
    share_add(table, device->idle_ps, device->window_ps);
    share_add(table, device->compute_ps, device->window_ps);
    share_add(table, device->exposed_comm_ps, device->window_ps);
    share_add(table, device->overlapped_comm_ps, device->window_ps);
    share_add(table, device->exposed_copy_ps, device->window_ps);
    table_add(table, TONE_PLAIN, format_count(device->op_count, buffer));
}

/* How far the slowest device is from the fastest, where both have steps. */
static void skew_add(const struct summary *summary, const struct device_row *const *order,
                     struct page *page)
{
    const struct device_row *slowest = order[0];
    const struct device_row *fastest = order[0];
    struct opt_f64 work = {0};
    for (size_t i = 0; i < summary->device_count; i++) {
        if (order[i]->steady_step_median_ps > 0)
            fastest = order[i];
    }
    if (slowest == fastest || fastest->steady_step_median_ps <= 0 ||
        host_stall_sentence(summary, page->arena) != NULL) /* said of hosts */
        return;
    struct opt_f64 skew = change_percent(some_f64((double)fastest->steady_step_median_ps),
                                         some_f64((double)slowest->steady_step_median_ps));
    const struct device_row *worker = device_of_most_work(summary, skew, page->arena, &work);
    char percent[FORMAT_BYTES];
    if (worker != NULL)
        page_paragraph(page, TONE_PLAIN,
                       "%s works longest, %s against the one that works least; steps are equally "
                       "long because the others wait in collectives.",
                       worker->name, format_percent_delta(work.value, percent));
    else if (!skew_tells(skew.value))
        page_paragraph(page, TONE_PLAIN, "%s", devices_alike);
    else
        page_paragraph(page, TONE_PLAIN, "Slowest: %s, %s against the fastest (%s).", slowest->name,
                       format_percent_delta(skew.value, percent), fastest->name);
}

void summary_devices_add(const struct summary *summary, struct page *page)
{
    static const struct table_column columns[] = {
        {"device", COLUMN_NAME},         {"step median", COLUMN_NUMBER},
        {"busy", COLUMN_NUMBER},         {"idle", COLUMN_NUMBER},
        {"compute", COLUMN_NUMBER},      {"exposed comm.", COLUMN_NUMBER},
        {"hidden comm.", COLUMN_NUMBER}, {"exposed copies", COLUMN_NUMBER},
        {"ops", COLUMN_NUMBER}};
    if (summary->device_count == 0)
        return;
    const struct device_row **order = devices_slowest_first(summary, page->arena);
    page_heading(page, false, "Devices (shares of each one's window), slowest first");
    struct table *table = page_table(page, columns, sizeof columns / sizeof *columns);
    struct duration_scale scale =
        duration_scale_for((double)order[0]->steady_step_median_ps / PS_PER_US, STEP_DIGITS);
    for (size_t i = 0; i < summary->device_count && i < DEVICES_SHOWN; i++)
        device_add(table, order[i], scale);
    if (summary->device_count > DEVICES_SHOWN)
        page_paragraph(page, TONE_DIM, "%zu faster devices are in the JSON form.",
                       summary->device_count - DEVICES_SHOWN);
    skew_add(summary, order, page);
}
