/* Implements the reading of made step times. */
#include "tests/support/read_warmup.h"

#include "compare/statistics/statistics.h"
#include "ingest/step_table/warmup.h"

void warmup_read(struct arena *arena, struct step_table *steps)
{
    struct arena_mark mark = arena_mark(arena);
    struct warmup_step *evidence = arena_array(arena, struct warmup_step, steps->count);
    const char **reasons = arena_array(arena, const char *, steps->count);
    double *us = arena_array(arena, double, steps->count);
    for (size_t i = 0; i < steps->count; i++)
        evidence[i] = (struct warmup_step){steps->rows[i].max_ps, 0, -1};
    warmup_find(evidence, steps->count, WARMUP_STEPS_MOST, arena, reasons);
    steps->steady_count = 0;
    for (size_t i = 0; i < steps->count; i++) {
        struct step_row *row = &steps->rows[i];
        row->spans[0].duration_ps = row->mean_ps = row->max_ps;
        row->warmup = reasons[i] != NULL;
        row->warmup_reason = reasons[i];
        if (!row->warmup)
            us[steps->steady_count++] = (double)row->max_ps / 1e6;
    }
    size_t count = (size_t)steps->steady_count;
    steps->steady_spans = steps->steady_count;
    stats_sort(us, count);
    steps->steady_median_us = some_f64(stats_quantile(us, count, 0.5));
    steps->steady_p90_us = some_f64(stats_quantile(us, count, 0.9));
    arena_rewind(arena, mark);
}
