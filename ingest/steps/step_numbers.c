#include "ingest/steps/step_numbers.h"
#include "ingest/intervals/intervals.h"

#include <stdbool.h>
#include <stdlib.h>

/* ---- numbers that come back --------------------------------------------------------------------
 */

static int compare_annotations(const void *a, const void *b)
{
    const struct line_annotation *left = a, *right = b;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    if (left->step.start_ps != right->step.start_ps)
        return left->step.start_ps < right->step.start_ps ? -1 : 1;
    return (left->step.end_ps < right->step.end_ps) - (left->step.end_ps > right->step.end_ps);
}

/* Whether the step begins when the one before it has ended, but for what clocks round. */
static bool is_behind(const struct host_step *step, const struct host_step *before)
{
    enum { ROUNDING = 16 };
    const int64_t own = ps_between(step->start_ps, step->end_ps);
    const int64_t other = ps_between(before->start_ps, before->end_ps);
    return ps_between(step->start_ps, before->end_ps) <= (own < other ? own : other) / ROUNDING;
}

/* The annotations items[count] of one line, by start. */
static size_t line_count_on(struct line_annotation *items, size_t count)
{
    static const int64_t most = INT64_MAX / 4; /* nobody counts so far */
    const int64_t only = items[0].step.number;
    bool alike = true;
    size_t changed = 0;
    for (size_t i = 0; i < count; i++) {
        if (items[i].step.number > most || items[i].step.number < -most)
            return 0;
        alike = alike && items[i].step.number == only;
    }
    int64_t shift = 0, last = only;
    const struct host_step *latest = &items[0].step; /* to end */
    for (size_t i = 1; i < count; i++) {
        struct host_step *step = &items[i].step;
        const int64_t number = step->number + shift;
        if (is_behind(step, latest) && (alike ? number <= last : number < last))
            shift += last + 1 - number;
        changed += shift != 0;
        step->number += shift;
        last = step->number > last ? step->number : last;
        latest = step->end_ps > latest->end_ps ? step : latest;
    }
    return changed;
}

size_t step_numbers_count_on(struct line_annotation *items, size_t count)
{
    size_t changed = 0;
    if (count > 1)
        qsort(items, count, sizeof *items, compare_annotations);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && items[next].line == items[i].line;)
            next++;
        changed += line_count_on(items + i, next - i);
    }
    return changed;
}

/* ---- numbers that are missing ------------------------------------------------------------------
 */

/* By how much the numbers of steps[count] are apart at least, all of them by multiples of it; 0
 * where they do not ascend in time. */
static int64_t number_stride(const struct host_step *steps, size_t count)
{
    int64_t stride = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        int64_t apart;
        if (steps[i + 1].start_ps <= steps[i].start_ps ||
            __builtin_sub_overflow(steps[i + 1].number, steps[i].number, &apart))
            return 0;
        while (apart != 0) {
            const int64_t rest = stride % apart;
            stride = apart;
            apart = rest;
        }
    }
    return stride;
}

/* From the start of a step to that of the next that has a mark, over the numbers in between. */
static int64_t length_of_number(const struct host_step *step)
{
    return ps_between(step[0].start_ps, step[1].start_ps) / (step[1].number - step[0].number);
}

/* Whether most annotations last about as long as a step would if each number were one. */
static bool annotations_fit_numbers(const struct host_step *steps, size_t count)
{
    size_t fit = 0;
    for (size_t i = 0; i + 1 < count; i++) {
        const int64_t length = length_of_number(&steps[i]);
        const int64_t own = ps_between(steps[i].start_ps, steps[i].end_ps);
        fit += own >= length - length / 4 && own <= length + length / 8;
    }
    return fit >= count - 1 - (count - 1) / 4;
}

int64_t unmarked_steps_find(struct host_step *steps, size_t count, int64_t *lengths)
{
    enum { EARLIER = 16 }; /* by that part the next step may begin earlier than usual */
    int64_t stride = count < 2 ? 0 : number_stride(steps, count), total = 0;
    if (stride > 1 && annotations_fit_numbers(steps, count))
        stride = 1;
    for (size_t i = 0; i < count; i++) {
        steps[i].unmarked = 0;
        steps[i].own_end_ps = INT64_MAX;
    }
    for (size_t i = 0; stride > 0 && i + 1 < count; i++) {
        const int64_t numbers = steps[i + 1].number - steps[i].number;
        const int64_t annotated = ps_between(steps[i].start_ps, steps[i].end_ps);
        if (length_of_number(&steps[i]) * stride >= annotated / 2)
            steps[i].unmarked = numbers / stride - 1;
        lengths[i] = ps_between(steps[i].start_ps, steps[i + 1].start_ps) / (steps[i].unmarked + 1);
        total += steps[i].unmarked;
    }
    if (total == 0)
        return 0;
    const struct usual_steps usual = steps_usual(lengths, count - 1);
    for (size_t i = 0; i < count; i++) {
        /* What is of the step may begin until its annotation ends, or the next step would. */
        int64_t end = steps[i].start_ps;
        if (steps[i].unmarked == 0 && i + 1 < count)
            continue;
        ps_add(&end, usual.middle_ps - usual.middle_ps / EARLIER);
        steps[i].own_end_ps = end > steps[i].end_ps ? end : steps[i].end_ps;
    }
    return total;
}

int64_t unmarked_by_launches(struct host_step *steps, size_t count,
                             const struct launch_counts *launches)
{
    enum { ROUNDING = 16 };
    const int64_t stride = count < 2 ? 0 : number_stride(steps, count);
    size_t fit = 0;
    int64_t total = 0;
    for (size_t i = 0; stride > 1 && i + 1 < count; i++) {
        if (steps[i].own_end_ps < INT64_MAX)
            return 0;
        /* As many launches lie behind the annotation as so many more steps make. */
        int64_t wanted;
        if (launches[i].inside == 0 ||
            __builtin_mul_overflow(launches[i].inside, steps[i + 1].number - steps[i].number - 1,
                                   &wanted))
            continue;
        fit += llabs(launches[i].behind - wanted) <= wanted / ROUNDING;
    }
    if (stride < 2 || fit < count - 1 - (count - 1) / 4)
        return 0;
    for (size_t i = 0; i < count; i++) {
        steps[i].unmarked = i + 1 < count ? steps[i + 1].number - steps[i].number - 1 : 0;
        steps[i].own_end_ps = steps[i].end_ps;
        total += steps[i].unmarked;
    }
    return total;
}
