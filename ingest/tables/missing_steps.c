/* Steps that some devices do not have. */
#include "ingest/source/source.h"
#include "ingest/tables/tables.h"

#include "ops/runtime/text.h"

/* How many devices are of hosts with steps, whose marks are set: of[device_count]. Those of a host
 * that has none are told otherwise. */
static size_t devices_of_steps(const struct summary *summary, bool *has_steps, bool *of)
{
    size_t count = 0;
    for (size_t i = 0; i < summary->steps.count; i++)
        for (size_t k = 0; k < summary->steps.rows[i].span_count; k++)
            if (summary->steps.rows[i].spans[k].device < summary->device_count)
                has_steps[summary->steps.rows[i].spans[k].device] = true;
    for (size_t d = 0; d < summary->device_count; d++) {
        of[d] = has_steps[d] || summary->capture.host_count <= 1;
        for (size_t i = 0; i < summary->device_count && !of[d]; i++)
            of[d] =
                has_steps[i] && text_same_told(summary->devices[i].host, summary->devices[d].host);
        count += of[d];
    }
    return count;
}

/* The first such device that has no part in the step. */
static size_t missing_device(const struct step_row *row, const bool *of)
{
    size_t device = 0;
    for (size_t k = 0; k < row->span_count || !of[device]; device++) {
        if (k < row->span_count && row->spans[k].device == device)
            k++;
        else if (of[device])
            break;
    }
    return device;
}

/* A step that the slow device does not have looks faster than it was. */
void missing_steps_note(const struct summary *summary, struct notes *notes)
{
    const struct step_table *steps = &summary->steps;
    const struct step_row *first = NULL;
    bool *marks = arena_array(notes->arena, bool, 2 * summary->device_count);
    size_t count = 0;
    bool *const of = marks + summary->device_count;
    const size_t devices = devices_of_steps(summary, marks, of);
    for (size_t i = 0; i < steps->count; i++) {
        const struct step_row *row = &steps->rows[i];
        if (row->warmup || row->span_count >= devices || row->slowest == UINT32_MAX)
            continue;
        if (count++ == 0)
            first = row;
    }
    if (count > 0)
        NOTE(notes,
             "%zu of %lld steady steps are missing on some of %zu devices (the first: step %lld on "
             "'%s'): they last as long as on the others.",
             count, (long long)steps->steady_count, devices, (long long)first->number,
             summary->devices[missing_device(first, of)].name);
}
