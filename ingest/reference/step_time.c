/* Step times as the reference has them (profile_summary.v1 §7): from device step lines, else from
 * the host's `train` annotations; the value of a step is the mean over its events.
 */
#include "ingest/reference/reference.h"
#include "ingest/step_table/step_table.h"

#include <stdlib.h>

/* An event of a step, with its place for a stable order. */
struct sample {
    int64_t number;
    uint32_t line;
    size_t place;
    double duration_us;
};

static int compare(const void *a, const void *b)
{
    const struct sample *left = a, *right = b;
    if (left->number != right->number)
        return left->number < right->number ? -1 : 1;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    return (left->place > right->place) - (left->place < right->place);
}

static size_t samples_collect(const struct profile *profile, enum mark_kind kind,
                              struct sample *samples)
{
    size_t count = 0;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct mark_list *marks = &profile->planes[p].marks;
        for (size_t i = 0; i < marks->count; i++) {
            const struct step_mark *mark = &marks->items[i];
            if (mark->kind == kind && !mark->ours_only &&
                (kind != MARK_ANNOTATION || mark->is_train))
                samples[count++] = (struct sample){mark->number, mark->line, i, mark->duration_us};
        }
    }
    return count;
}

void step_time_build(struct profile *profile, struct summary *summary)
{
    struct step_time *time = &summary->step_time;
    size_t most = 0;
    for (size_t p = 0; p < profile->plane_count; p++)
        most += profile->planes[p].marks.count;
    struct sample *samples = arena_array(profile->arena, struct sample, most);
    struct step_value *steps = arena_array(profile->arena, struct step_value, most);
    double *scratch = arena_array(profile->arena, double, most);
    size_t count = samples_collect(profile, MARK_STEPS_LINE, samples);
    if (count == 0)
        count = samples_collect(profile, MARK_ANNOTATION, samples);
    qsort(samples, count, sizeof *samples, compare);
    size_t step_count = 0, first_steady = 0;
    for (size_t i = 0, next; i < count; i = next) {
        double sum = 0;
        for (next = i; next < count && samples[next].number == samples[i].number; next++)
            sum += samples[next].duration_us;
        steps[step_count++] = (struct step_value){samples[i].number, sum / (double)(next - i)};
    }
    while (first_steady < step_count && steps[first_steady].number < profile->options->warmup_steps)
        first_steady++;
    time->warmup_steps_ignored = profile->options->warmup_steps;
    time->all_steps = duration_stats_of(steps, step_count, scratch);
    time->steady_state_steps =
        duration_stats_of(steps + first_steady, step_count - first_steady, scratch);
    step_classes_build(steps + first_steady, step_count - first_steady, profile->arena,
                       &time->classes, &time->class_count);
}
