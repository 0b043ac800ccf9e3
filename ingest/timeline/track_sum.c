/* Tracks that are only added up: host threads, modules, steps, whatever else a plane has. */
#include "ingest/timeline/track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const enum mark_kind word_marks[] = {
    [HOST_WORD_COMPILE] = MARK_COMPILE,
    [HOST_WORD_CALL] = MARK_CALL,
    [HOST_WORD_EAGER_CALL] = MARK_CALL,
    [HOST_WORD_WAIT] = MARK_WAIT,
};

/* An event that may bound a step. */
static bool mark_of(const struct track *track, const struct op *op, const struct event_note *note,
                    struct step_mark *ret_mark)
{
    const struct xline *line = track->line;
    *ret_mark = (struct step_mark){.line = line->ordinal, .name = op->name};
    if (line->role == LINE_STEPS && (op->has_number || (note != NULL && note->step.set))) {
        ret_mark->kind = MARK_STEPS_LINE;
        ret_mark->ours_only = !op->has_number;
        ret_mark->number = op->has_number ? op->number : note->step.value;
        return true;
    }
    if (line->role == LINE_DEVICE && strcmp(line->name, "XLA Modules") == 0) {
        ret_mark->kind = MARK_MODULE;
        return true;
    }
    if (line->role == LINE_HOST && op->host_word != HOST_WORD_NONE) {
        ret_mark->kind = word_marks[op->host_word];
        ret_mark->is_root = op->host_word == HOST_WORD_EAGER_CALL;
        return true;
    }
    if (line->role != LINE_HOST || note == NULL || !note->step.set ||
        (!op->is_train && !note->is_root))
        return false;
    ret_mark->kind = MARK_ANNOTATION;
    ret_mark->number = note->step.value;
    ret_mark->is_train = op->is_train;
    ret_mark->is_root = note->is_root;
    return true;
}

static bool mark_add(struct track *track, const struct event *event, struct step_mark mark,
                     struct err *err)
{
    enum { FIRST_MARKS = 16 };
    struct plane_state *state = track->state;
    struct mark_list *marks = &state->marks;
    if (marks->count == marks->capacity) {
        const size_t more = marks->capacity == 0 ? FIRST_MARKS : marks->capacity / 2;
        if (!arena_reserve(&state->arena, more * sizeof *marks->items))
            return arena_failed(&state->arena, "the steps of a profile", err);
        marks->capacity += more;
        marks->items = memory_resize(marks->items, marks->capacity * sizeof *marks->items);
    }
    mark.duration_us = event->duration_us;
    mark.has_ps =
        track->has_ps && !__builtin_add_overflow(track->base_ps, event->offset_ps, &mark.start_ps);
    mark.duration_ps = event->duration_ps;
    if (mark.has_ps && state->plane->clock != NULL)
        device_clock_span(state->plane->clock, mark.start_ps, event->duration_ps, &mark.start_ps,
                          &mark.duration_ps);
    state->out_of_range[STAGE_SUMS] += !mark.has_ps;
    marks->items[marks->count++] = mark;
    return true;
}

static void settle(struct track *track, double *parts, double start, double end)
{
    uint32_t op;
    double exclusive;
    while (stack_us_pop(&track->us, start, end, &op, &exclusive))
        parts[track->reader.ops->traits[op].part] += exclusive;
}

static bool event_sum(struct track *track, size_t index, struct line_sums *sums, struct err *err)
{
    const struct event *event = &track->reader.batch->events[index];
    struct plane_ops *ops = track->reader.ops;
    const struct op *op = &ops->ops[event->op];
    double start = event->start_us, end = start + event->duration_us;
    uint64_t place = event_place(track->line, sums->count);
    struct op_seen *seen = &ops->seen[event->op];
    if (seen->count++ == 0)
        seen->first_seen = place;
    if (sums->count++ == 0)
        sums->start_us = start;
    if (start < sums->start_us)
        sums->start_us = start;
    if (sums->count == 1 || end > sums->end_us)
        sums->end_us = end;
    if (track->profile->options->mode == BREAKDOWN_GLOBAL) {
        if (!track_add_global(track, event, (enum breakdown_part)op->part, err))
            return false;
    } else if (!track->line->is_steps) {
        settle(track, sums->parts, start, end);
        stack_us_push(&track->us, end, event->duration_us, (uint32_t)event->op);
    }
    const struct event_note *note = line_reader_note(&track->reader, index);
    if (note != NULL)
        track_count_run(track, note, place);
    if (note != NULL && note->correlation.set)
        track->line->launches = true;
    struct step_mark mark;
    return !mark_of(track, op, note, &mark) || mark_add(track, event, mark, err);
}

bool track_sum(struct track *track, struct plane_state *state, struct xline *line,
               bool *ret_disorder, struct err *err)
{
    struct line_sums *sums = &track->profile->lines[line->ordinal];
    *sums = (struct line_sums){0};
    struct event_order order = event_order_begin();
    *ret_disorder = false;
    track_open(track, state, line);
    do {
        if (!track_next(track, err))
            return false;
        *ret_disorder = track->reader.is_late;
        for (size_t i = 0; i < track->reader.count; i++) {
            const struct event *event = &track->reader.batch->events[i];
            if (!event_follows_us(&order, event)) {
                *ret_disorder = true;
                return true;
            }
            if (!event_sum(track, i, sums, err))
                return false;
        }
    } while (track->reader.count > 0);
    if (*ret_disorder)
        return true;
    settle(track, sums->parts, INFINITY, INFINITY);
    sums->dropped = track->reader.dropped;
    track_close(track);
    return true;
}

bool track_parts(struct track *track, struct plane_state *state, struct xline *line, double *parts,
                 struct err *err)
{
    if (line->is_steps)
        return true;
    track_open(track, state, line);
    do {
        if (!track_next(track, err))
            return false;
        for (size_t i = 0; i < track->reader.count; i++) {
            const struct event *event = &track->reader.batch->events[i];
            double end = event->start_us + event->duration_us;
            settle(track, parts, event->start_us, end);
            stack_us_push(&track->us, end, event->duration_us, (uint32_t)event->op);
        }
    } while (track->reader.count > 0);
    settle(track, parts, INFINITY, INFINITY);
    return true;
}
