/* What both kinds of tracks share. */
#include "ingest/timeline/track.h"
#include "ingest/timeline/line_work.h"

void track_init(struct track *track, struct profile *profile, const struct xspace *space)
{
    *track = (struct track){.profile = profile};
    line_reader_init(&track->reader, space, &profile->options->limits);
}

void track_done(struct track *track)
{
    line_reader_done(&track->reader);
    free(track->us.frames);
    free(track->ps.frames);
    free(track->waiting);
}

static void track_begin(struct track *track, struct plane_state *state, struct xline *line)
{
    track->state = state;
    track->line = line;
    track->us.depth = track->ps.depth = 0;
    track->waiting_count = 0;
    track->steps = (struct step_places){.windows = &state->windows};
    track->cover = 0;
    track->has_ps = line_base_ps(state->plane->space, line, &track->base_ps);
    track->told = line->begin;
}

void track_open(struct track *track, struct plane_state *state, struct xline *line)
{
    track_begin(track, state, line);
    line_reader_open(&track->reader, state->plane, line, line->order);
}

void track_open_device(struct track *track, struct plane_state *state, struct xline *line)
{
    track_begin(track, state, line);
    line_reader_open_device(&track->reader, state->plane, line);
}

bool track_add_listed(struct track *track, const struct event *event, enum breakdown_part part,
                      struct err *err)
{
    if (part != PART_COMPUTE && part != PART_COMMUNICATION)
        return true;
    int64_t start = tick_of_us(event->start_us);
    int64_t end = tick_of_us(event->start_us + event->duration_us);
    if (part == PART_COMMUNICATION)
        return interval_list_add(&track->global[GLOBAL_COMMUNICATION].list, start, end, err);
    return line_work_is_covered(&track->profile->cover, &track->cover, start, end) ||
           interval_list_add(&track->global[GLOBAL_COMPUTE].list, start, end, err);
}

void track_count_run(struct track *track, const struct event_note *note, uint64_t place)
{
    const struct run_id *id = &note->run_id;
    const enum stage stage = track->line->role == LINE_OPS ? STAGE_OPS : STAGE_SUMS;
    if (id->set && id->text == STRING_NONE)
        counter_add(&track->state->run_numbers[stage], id->number, 1, place);
    else if (id->set)
        counter_add(&track->state->run_texts[stage], id->text, 1, place);
}

bool track_next(struct track *track, struct err *err)
{
    if (!line_reader_next(&track->reader, err))
        return false;
    int64_t at = line_reader_offset(&track->reader);
    progress_add(&track->profile->progress, at - track->told);
    track->told_bytes += at - track->told;
    track->told = at;
    size_t depth = track->us.depth > track->ps.depth ? track->us.depth : track->ps.depth;
    return arena_ok(track->profile->arena, "the events of a profile", err) &&
           limit_check(&track->profile->options->limits, max_depth, (int64_t)depth,
                       track->reader.cursor.input->path, err);
}

void track_close(struct track *track)
{
    struct xline *line = track->line;
    line_reader_note_order(&track->reader, line);
    if (!line->skipped)
        return;
    line->event_count = track->reader.total;
    line->late_head = line->late_head || track->reader.late_head;
}
