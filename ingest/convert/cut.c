/* See cut.h. An op belongs to the step that `summarize` counts it to. What is of no step by itself
 * is in when it starts in one: on a device in a step's time there, on a host in its annotation, or
 * where nobody annotated steps, while any device was in it. */
#include "ingest/convert/cut.h"

#include "ops/runtime/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct window_list *cut_windows_keep(struct profile *profile)
{
    struct window_list *windows =
        arena_array(profile->arena, struct window_list, profile->plane_count);
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct window_list *own = &profile->planes[p].windows;
        windows[p] = *own;
        windows[p].items = arena_array(profile->arena, struct step_window, own->count);
        if (own->count > 0)
            memcpy(windows[p].items, own->items, own->count * sizeof *own->items);
    }
    return windows;
}

/* ---- devices --------------------------------------------------------------------------------- */

const char *cut_host(const struct profile *profile, const struct xspace *space)
{
    if (profile->space_count == 1)
        return NULL;
    return space->host != NULL ? space->host : path_base(space->input.path);
}

static bool device_find(const struct profile *profile, const char *name, struct cut *cut,
                        struct err *err)
{
    const size_t count = cut->summary->device_count;
    for (size_t d = 0; d < count; d++) {
        if (strcmp(cut->devices[d], name) == 0) {
            cut->device = (uint32_t)d;
            return true;
        }
    }
    if (count == 0)
        return err_set(err, ERR_MISSING, "--device: '%s' has ops of no device, and so none '%s'",
                       profile->files->path, name);
    return err_set(err, ERR_MISSING, "--device: '%s' has no device '%s'%s", profile->files->path,
                   name, text_choices(name, cut->devices, count).words);
}

bool cut_leaves_out(const struct cut *cut, const struct plane_state *state)
{
    return cut->device != UINT32_MAX && state->device != cut->device;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static bool step_exists(const struct step_table *steps, struct opt_i64 number)
{
    for (size_t i = 0; number.set && i < steps->count; i++) {
        if (steps->rows[i].number == number.value)
            return true;
    }
    return !number.set;
}

static bool steps_find_asked(const struct profile *profile, const struct convert_request *request,
                             struct cut *cut, struct err *err)
{
    const struct step_table *steps = &cut->summary->steps;
    const char *path = profile->files->path;
    cut->by_steps = true;
    if (steps->count == 0)
        return err_set(err, ERR_INPUT,
                       "--steps: no steps were found in '%s'; convert it without, or name what its "
                       "steps are (`stepledger summarize` says what was looked for)",
                       path);
    const int64_t least = steps->rows[0].number, most = steps->rows[steps->count - 1].number;
    cut->first = request->first_step.set ? request->first_step.value : least;
    cut->last = request->last_step.set ? request->last_step.value : most;
    if (step_exists(steps, request->first_step) && step_exists(steps, request->last_step))
        return true;
    return err_set(err, ERR_MISSING,
                   "--steps: '%s' has no step %" PRId64 "; it has %zu steps from %" PRId64
                   " to %" PRId64,
                   path, step_exists(steps, request->first_step) ? cut->last : cut->first,
                   steps->count, least, most);
}

static int compare_cut_spans(const void *a, const void *b)
{
    const struct cut_span *left = a, *right = b;
    return (left->begin_ps > right->begin_ps) - (left->begin_ps < right->begin_ps);
}

static void spans_unite(struct cut_spans *spans)
{
    size_t kept = 0;
    if (spans->count > 1)
        qsort(spans->items, spans->count, sizeof *spans->items, compare_cut_spans);
    for (size_t i = 0; i < spans->count; i++) {
        struct cut_span *last = kept == 0 ? NULL : &spans->items[kept - 1];
        if (last == NULL || spans->items[i].begin_ps > last->end_ps)
            spans->items[kept++] = spans->items[i];
        else if (spans->items[i].end_ps > last->end_ps)
            last->end_ps = spans->items[i].end_ps;
    }
    spans->count = kept;
}

/* The times of the steps that are in: on one device, or anywhere (UINT32_MAX). */
static struct cut_spans spans_of_steps(struct profile *profile, const struct cut *cut,
                                       uint32_t device)
{
    const struct step_table *steps = &cut->summary->steps;
    size_t capacity = 0;
    struct cut_spans spans = {0};
    for (size_t i = 0; i < steps->count; i++) {
        const struct step_row *row = &steps->rows[i];
        for (size_t s = 0; cut_has_step(cut, row->number) && s < row->span_count; s++) {
            const struct step_span *span = &row->spans[s];
            if (device != UINT32_MAX && span->device != device)
                continue;
            spans.items = arena_grow(profile->arena, spans.items, spans.count, &capacity,
                                     sizeof *spans.items);
            spans.items[spans.count] = (struct cut_span){span->start_ps, span->start_ps};
            ps_add(&spans.items[spans.count++].end_ps, span->duration_ps);
        }
    }
    spans_unite(&spans);
    return spans;
}

/* The annotations of the steps that are in. */
static struct cut_spans spans_of_host(struct profile *profile, const struct cut *cut,
                                      const struct xspace *space)
{
    const struct host_step_list *list = steps_of_host(profile, space);
    struct cut_spans spans = {arena_array(profile->arena, struct cut_span, list->count), 0};
    for (size_t i = 0; i < list->count; i++) {
        const struct host_step *step = &list->items[i];
        if (cut_has_step(cut, step->number))
            spans.items[spans.count++] = (struct cut_span){step->start_ps, step->end_ps};
    }
    spans_unite(&spans);
    return spans;
}

static bool spans_make(struct profile *profile, struct cut *cut, struct err *err)
{
    const bool annotated = cut->summary->steps.method == STEPS_ANNOTATION;
    const struct cut_spans all = spans_of_steps(profile, cut, UINT32_MAX);
    cut->spans = arena_array(profile->arena, struct cut_spans, profile->plane_count);
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        cut->spans[p] =
            state->device == UINT32_MAX ? all : spans_of_steps(profile, cut, state->device);
        if (annotated && state->plane->is_host)
            cut->spans[p] = spans_of_host(profile, cut, state->plane->space);
    }
    return arena_ok(profile->arena, "the steps of a profile", err);
}

bool cut_make(struct profile *profile, const struct convert_request *request,
              const struct summary *summary, const struct window_list *windows, struct cut *ret_cut,
              struct err *err)
{
    const bool by_steps = request->first_step.set || request->last_step.set;
    *ret_cut = (struct cut){.summary = summary, .device = UINT32_MAX, .windows = windows};
    ret_cut->devices = arena_array(profile->arena, const char *, summary->device_count);
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        const char *host = cut_host(profile, state->plane->space);
        if (state->device != UINT32_MAX)
            ret_cut->devices[state->device] =
                host == NULL ? summary->devices[state->device].name
                             : arena_printf(profile->arena, "%s%s", host, state->plane->name);
    }
    if (request->device != NULL && !device_find(profile, request->device, ret_cut, err))
        return false;
    return !by_steps ||
           (steps_find_asked(profile, request, ret_cut, err) && spans_make(profile, ret_cut, err));
}

bool cut_spans_hold(const struct cut_spans *spans, int64_t time_ps)
{
    size_t low = 0, high = spans->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (spans->items[middle].begin_ps <= time_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && time_ps < spans->items[low - 1].end_ps;
}
