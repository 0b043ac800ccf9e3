/* Builds the table of groups; the JSON form has all of them. */
#include "ops/present/verdict_groups.h"

#include "ops/present/format.h"

#include <math.h>
#include <string.h>

enum { OF_A_KIND = 4, DIGITS = 4 };

static bool kinds_differ(const struct verdict_group *a, const struct verdict_group *b)
{
    return strcmp(a->kind, b->kind) != 0;
}

/* What moved by a smaller part of itself, or of the step, is noise in the eye. */
static const double SMALL_PART = 0.005, SMALL_PART_OF_STEP = 1e-4;

/* Hosts and devices stand beside each other, moved or not: which of them are slow? */
static bool group_is_shown(const struct verdict *verdict, const struct verdict_group *group)
{
    double least = SMALL_PART_OF_STEP * verdict->baseline.step_median_us.value;
    if (strcmp(group->kind, "host") == 0 || strcmp(group->kind, "device") == 0)
        return true;
    return fabs(group->delta_us) >
           fmax(least, SMALL_PART * fmax(group->before_us, group->after_us));
}

static void row_add(const struct verdict_group *group, struct table *table)
{
    char number[FORMAT_BYTES];
    double largest = fmax(fabs(group->before_us), fabs(group->after_us));
    struct duration_scale scale = duration_scale_for(largest, DIGITS);
    struct opt_f64 percent = change_percent(some_f64(group->before_us), some_f64(group->after_us));
    table_add(table, TONE_DIM, group->kind);
    table_add(table, TONE_PLAIN, group->name);
    table_add(table, TONE_PLAIN, format_scaled(scale, some_f64(group->before_us), false, number));
    table_add(table, TONE_PLAIN, format_scaled(scale, some_f64(group->after_us), false, number));
    table_add(table, TONE_PLAIN, format_scaled(scale, some_f64(group->delta_us), true, number));
    table_add(table, TONE_PLAIN, percent.set ? format_percent_delta(percent.value, number) : "");
}

void verdict_groups_add(const struct verdict *verdict, struct page *page)
{
    static const struct table_column columns[] = {
        {"kind", COLUMN_TEXT},    {"name", COLUMN_NAME},    {"before", COLUMN_NUMBER},
        {"after", COLUMN_NUMBER}, {"delta", COLUMN_NUMBER}, {"", COLUMN_NUMBER}};
    struct table *table = NULL;
    int shown = 0;
    for (size_t i = 0; i < verdict->group_count; i++) {
        const struct verdict_group *group = &verdict->groups[i];
        shown = i > 0 && kinds_differ(group, &verdict->groups[i - 1]) ? 0 : shown;
        if (!group_is_shown(verdict, group) || shown++ >= OF_A_KIND)
            continue;
        if (table == NULL) {
            page_heading(page, true, "Where the time went (per step and device)");
            table = page_table(page, columns, sizeof columns / sizeof *columns);
        }
        row_add(group, table);
    }
}
