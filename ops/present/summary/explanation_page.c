#include "ops/present/summary/explanation_page.h"

#include "ops/present/words/words.h"
#include "schema/documents/summary.h"

#include <math.h>
#include <string.h>

enum { WORTH_DOING = 3, DIGITS = 4 };
static const double RESIDUAL_SHOWN_US = 1e-6; /* below it is what doubles round */
static const double BETWEEN_SHOWN = .01;      /* of the step */
static const double MEDIAN_SHOWN = .05;       /* from where the average says little of any step */

static void headline_add(const struct explanation *explanation, struct page *page)
{
    char duration[FORMAT_BYTES], steps[FORMAT_COUNTED_BYTES], devices[FORMAT_COUNTED_BYTES],
        hosts[FORMAT_COUNTED_BYTES], left[FORMAT_COUNTED_BYTES];
    char middle[FORMAT_BYTES];
    const struct opt_f64 median_us = explanation->step_median_us;
    const bool has_steps = explanation->step_count > 0;
    const bool apart = median_us.set && fabs(explanation->step_us - median_us.value) >=
                                            MEDIAN_SHOWN * median_us.value;
    const bool has_steady = explanation->steady_step_count > 0;
    const char *const kind = explanation->host_kind == NULL ? "host" : explanation->host_kind;
    const struct opt_i64 left_count = explanation->left_host_count;
    const bool has_devices = explanation->device_count.set, has_hosts = explanation->host_count.set;
    page_headline(
        page, TONE_PLAIN, has_steps ? "STEP" : "CAPTURE", "%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s",
        format_duration(explanation->step_us, DIGITS, duration),
        has_steps ? " on average" : " of the slowest device", apart ? ", median " : "",
        apart ? format_duration(median_us.value, DIGITS, middle) : "",
        !has_steps ? ""
        : apart    ? ", of "
                   : " of ",
        has_steady  ? format_counted(explanation->steady_step_count, "steady step", steps)
        : has_steps ? format_counted(explanation->step_count, "warm-up step", steps)
                    : "",
        has_devices ? ", " : "",
        has_devices ? format_counted(explanation->device_count.value, "device", devices) : "",
        !has_hosts    ? ""
        : has_devices ? " of "
                      : ", ",
        has_hosts ? format_counted(explanation->host_count.value, kind, hosts) : "",
        left_count.set ? ", without the steps of " : "",
        left_count.set ? format_counted(left_count.value, kind, left) : "",
        explanation->device_type == NULL ? "" : " (",
        explanation->device_type == NULL ? "" : explanation->device_type,
        explanation->device_type == NULL ? "" : ")");
}

/* Parts with what they consist of below them, further in. */
static void parts_add(const struct explanation *explanation, struct page *page)
{
    enum { COLUMNS = 3 };
    static const struct table_column heads[][COLUMNS] = {
        {{"where the time went", COLUMN_TEXT}, {"", COLUMN_NUMBER}, {"of the step", COLUMN_NUMBER}},
        {{"where the time went", COLUMN_TEXT},
         {"", COLUMN_NUMBER},
         {"of the capture", COLUMN_NUMBER}}};
    char number[FORMAT_BYTES];
    struct table *table = page_table(page, heads[explanation->step_count == 0], COLUMNS);
    for (size_t i = 0; i < explanation->part_count; i++) {
        const struct explained_part *part = &explanation->parts[i];
        const bool inner = strcmp(part->parent, "step") != 0;
        const enum tone tone = inner ? TONE_DIM : TONE_PLAIN;
        table_addf(table, tone, "%s%s", inner ? "- " : "", part->name);
        table_add(table, tone, format_duration(part->average_us, DIGITS, number));
        table_add(table, tone, part->share.set ? format_share(part->share.value, number) : NULL);
    }
    table_add(table, TONE_PLAIN, "residual");
    table_add(table, TONE_PLAIN,
              format_duration(
                  fabs(explanation->residual_us) < RESIDUAL_SHOWN_US ? 0 : explanation->residual_us,
                  DIGITS, number));
    table_add(table, TONE_PLAIN, NULL);
}

/* What lies between steps is no part of them. */
static void wait_add(const char *what, struct opt_f64 whole_us, double between_us,
                     const struct explanation *explanation, struct page *page)
{
    char whole[FORMAT_BYTES], share[FORMAT_BYTES], between[FORMAT_BYTES], within[FORMAT_BYTES];
    page_paragraph(page, TONE_PLAIN, "%s in %s of them (%s): %s between steps, %s within.", what,
                   format_duration(whole_us.value, DIGITS, whole),
                   format_share(whole_us.value / explanation->period_us.value, share),
                   format_duration(between_us, DIGITS, between),
                   format_duration(whole_us.value - between_us, DIGITS, within));
}

static void waits_add(const struct explanation *explanation, struct page *page)
{
    char period[FORMAT_BYTES], between[FORMAT_BYTES];
    const double between_us = explanation->between_us.value;
    const double least_us = BETWEEN_SHOWN * explanation->step_us;
    const bool of_hosts =
        explanation->host_count.value > 1; /* one may wait beside the slowest device */
    if (!explanation->between_us.set ||
        (between_us < least_us && !(of_hosts && explanation->input_wait_us.value >= least_us)))
        return;
    page_paragraph(page, TONE_PLAIN,
                   "From step to step %s pass on average, of which %s lie between steps.",
                   format_duration(explanation->period_us.value, DIGITS, period),
                   format_duration(between_us, DIGITS, between));
    if (explanation->input_wait_us.set)
        wait_add(of_hosts ? "On the host that waits longest the device waits for input"
                          : "The device waits for input",
                 explanation->input_wait_us, explanation->input_wait_between_us.value, explanation,
                 page);
    if (explanation->compile_wait_between_us.value > 0)
        wait_add("The device waits until its host has compiled", explanation->compile_wait_us,
                 explanation->compile_wait_between_us.value, explanation, page);
}

static void finding_add(const struct explained_finding *finding, struct page *page)
{
    page_item(page, TONE_PLAIN, finding->finding, "%s%s%s%s%s. %s.", finding->evidence,
              finding->op_name == NULL ? "" : "; most of it ",
              finding->op_name == NULL ? "" : finding->op_name,
              finding->host == NULL ? "" : ", on ", finding->host == NULL ? "" : finding->host,
              finding->remedy);
}

void explanation_page_add(const struct explanation *explanation, struct page *page)
{
    headline_add(explanation, page);
    if (explanation->step_count == 0)
        page_paragraph(page, TONE_WARN, "The profile has no steps: " STEP_MARKS_ADVICE ".");
    parts_add(explanation, page);
    waits_add(explanation, page);
    page_heading(page, false, "Most worth doing");
    if (explanation->finding_count == 0)
        page_paragraph(page, TONE_GOOD, "No rule of `stepledger table findings` holds.");
    for (size_t i = 0; i < explanation->finding_count && i < WORTH_DOING; i++)
        finding_add(&explanation->findings[i], page);
    if (explanation->finding_count > WORTH_DOING)
        page_heading(page, true, "Also found");
    for (size_t i = WORTH_DOING; i < explanation->finding_count; i++)
        finding_add(&explanation->findings[i], page);
    page_heading(page, false, "Could not be seen");
    if (explanation->unseen.count == 0)
        page_paragraph(page, TONE_DIM, "Nothing is known to be missing.");
    for (size_t i = 0; i < explanation->unseen.count; i++)
        page_item(page, TONE_DIM, NULL, "%s", explanation->unseen.items[i]);
}
