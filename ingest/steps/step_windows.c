#include "ingest/steps/step_windows.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- marks ----------------------------------------------------------------------------------- */

bool profile_has_marks(const struct profile *profile, enum mark_kind kind)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct mark_list *marks = &profile->planes[p].marks;
        for (size_t i = 0; i < marks->count; i++) {
            if (marks->items[i].kind == kind)
                return true;
        }
    }
    return false;
}

bool plane_has_op_line(const struct xplane *plane)
{
    for (size_t i = 0; plane->is_device && i < plane->line_count; i++) {
        if (line_is_of_ops(&plane->lines[i]))
            return true;
    }
    return false;
}

bool plane_has_copies_alone(const struct plane_ops *ops)
{
    for (size_t i = 0; i < ops->count; i++) {
        const struct op *op = &ops->ops[i];
        if (op->name == OP_NONE)
            continue;
        /* One from a GPU to another counts as communication. */
        const char *name = catalog_text(ops->catalog, ops->catalog->names[op->name].name);
        if (op->device_class != DEVICE_COPY && strncasecmp(name, "memcpy", strlen("memcpy")) != 0)
            return false;
    }
    return ops->count > 0;
}

/* ---- windows --------------------------------------------------------------------------------- */

int compare_windows(const void *a, const void *b)
{
    const struct step_window *left = a, *right = b;
    if (left->start_ps != right->start_ps)
        return left->start_ps < right->start_ps ? -1 : 1;
    return (left->number > right->number) - (left->number < right->number);
}

struct step_window window_of(int64_t number, int64_t start, int64_t end)
{
    return (struct step_window){
        .number = number,
        .start_ps = start,
        .end_ps = end,
        .span_ps = {start, end},
        .busy_ps = -1,
        .steady = true,
    };
}

bool warmup_is_fixed(const struct profile *profile, enum step_method method)
{
    const struct ingest_options *options = profile->options;
    return options->warmup_fixed && (step_method_has_numbers(method) || options->warmup_steps < 1);
}

struct step_window window_by_ops(const struct profile *profile, int64_t number, int64_t start_ps,
                                 int64_t end_ps, size_t place)
{
    struct step_window window = window_of(number, start_ps, end_ps);
    const struct ingest_options *options = profile->options;
    if (warmup_is_fixed(profile, profile->step_method)) {
        window.steady = number >= options->warmup_steps;
    } else if (place < HEAD_WINDOWS) {
        window.steady = false;
        window.head = (uint8_t)(place + 1);
    }
    return window;
}

int64_t mark_end(const struct step_mark *mark)
{
    int64_t end = mark->start_ps;
    ps_add(&end, mark->duration_ps);
    return end;
}

size_t windows_settle(struct step_window *items, size_t count)
{
    size_t kept = 0;
    if (count > 1)
        qsort(items, count, sizeof *items, compare_windows);
    for (size_t i = 0; i < count; i++) {
        struct step_window *last = kept > 0 ? &items[kept - 1] : NULL;
        if (last != NULL && last->number == items[i].number) {
            if (items[i].end_ps > last->end_ps)
                last->end_ps = last->span_ps[1] = items[i].end_ps;
            continue;
        }
        if (last != NULL && last->end_ps > items[i].start_ps)
            last->end_ps = items[i].start_ps;
        items[kept++] = items[i];
    }
    return kept;
}

/* ---- usual steps ----------------------------------------------------------------------------- */

struct usual_steps steps_usual(int64_t *lengths, size_t count)
{
    struct usual_steps usual = {0, 0};
    if (count == 0)
        return usual;
    qsort(lengths, count, sizeof *lengths, i64_order);
    usual.middle_ps = lengths[(count - 1) / 2];
    for (size_t i = 0; i < count; i++) {
        if (lengths[i] / 2 <= usual.middle_ps)
            usual.longest_ps = lengths[i];
    }
    return usual;
}
