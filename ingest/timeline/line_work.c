#include "ingest/timeline/line_work.h"

#include "ingest/timeline/profile.h"

/* A cover may be partial; more intervals than this do not pay. */
enum { COVER_MOST = 8000 };

size_t line_work_open(struct plane_state *state, struct line_work_need need)
{
    const size_t first = state->work_count;
    for (unsigned i = 0; i < GLOBAL_CLASSES + BUSY_CLASSES; i++) {
        bool global = i < GLOBAL_CLASSES;
        if (!(global ? need.global : need.own))
            continue;
        state->work = arena_grow(&state->arena, state->work, state->work_count,
                                 &state->work_capacity, sizeof *state->work);
        struct line_work *list = &state->work[state->work_count++];
        *list = (struct line_work){global, global ? i : i - GLOBAL_CLASSES, {0}};
        interval_list_init(&list->list, &state->spill, &state->arena);
    }
    return first;
}

void line_work_close(struct plane_state *state, size_t first)
{
    while (state->work_count > first)
        interval_list_done(&state->work[--state->work_count].list);
}

/* ---- cover ----------------------------------------------------------------------------------- */

struct cover {
    struct interval_list *list;
    struct err *err;
    bool failed;
};

static void segment_add(void *context, int64_t start, int64_t end, unsigned classes)
{
    struct cover *cover = context;
    if (classes != 0 && cover->list->count < COVER_MOST && !cover->failed)
        cover->failed = !interval_list_add(cover->list, start, end, cover->err);
}

bool line_work_cover(struct profile *profile, struct err *err)
{
    static const struct interval always = {INT64_MIN, INT64_MAX};
    size_t most = 0, count = 0;
    for (size_t p = 0; p < profile->plane_count; p++)
        most += profile->planes[p].work_count;
    struct sweep_input *inputs = arena_array(profile->arena, struct sweep_input, most);
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct plane_state *state = &profile->planes[p];
        for (size_t i = 0; i < state->work_count; i++) {
            struct line_work *work = &state->work[i];
            if (work->global && work->class == GLOBAL_COMPUTE && work->list.any)
                inputs[count++] = (struct sweep_input){&work->list, 0};
        }
    }
    struct cover cover = {&profile->cover, err, false};
    struct sweep sweep = {.segment = segment_add, .context = &cover};
    return sweep_begin(&sweep, inputs, count, always, err) && sweep_end(&sweep, err) &&
           !cover.failed;
}
