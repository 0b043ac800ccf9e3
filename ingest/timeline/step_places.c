#include "ingest/timeline/step_places.h"
#include "ingest/timeline/launch_list.h"

/* Where the device is behind its host, what begins in a later window than the op before was
 * launched with that op, or behind it: how far is not known. Work that waits for nothing steps over
 * no step, so an op that would is such a one. */
static int32_t place_without_launch(struct step_places *places, int64_t start_ps)
{
    const int32_t by_start = place_by_start(places, start_ps);
    if (!places->knows_launch)
        return by_start;
    if (!places->is_behind && (places->last < 0 || by_start <= places->last + 1))
        places->last = by_start;
    return places->last;
}

static int32_t place_of_launch(struct step_places *places, int64_t number, int64_t start_ps)
{
    const int32_t by_start = place_by_start(places, start_ps);
    const int32_t launched =
        number == LAUNCH_OF_NO_STEP ? -1 : id_map_find(places->windows->by_number, number);
    places->is_behind = place_is_behind(launched, by_start, places->is_behind);
    places->knows_launch = true;
    places->last = launched;
    return launched;
}

/* A launch from before the capture is of a step that began there. */
static struct opt_i64 step_of_launch(struct step_places *places, const struct line_reader *reader,
                                     size_t index)
{
    const struct event_note *note = line_batch_note(reader, line_reader_in_ps(reader), index);
    if (note == NULL || !correlation_is_known(note->correlation))
        return (struct opt_i64){0};
    const struct launch_list *launches = places->windows->launches;
    const struct opt_i64 step = launch_step(launches, note->correlation.value, &places->launch);
    return !step.set && launch_is_earlier(launches, note->correlation.value)
               ? some_i64(LAUNCH_OF_NO_STEP)
               : step;
}

/* What is before the first op of a line whose launch is known stands with it, as far as the batch
 * shows that one. */
static void line_begin(struct step_places *places, const struct line_reader *reader, size_t index,
                       int64_t start_ps)
{
    const struct event *events = line_reader_in_ps(reader)->events;
    struct step_places ahead = *places;
    places->begun = true;
    for (size_t i = index; i < reader->count; i++) {
        const struct opt_i64 number = step_of_launch(&ahead, reader, i);
        int64_t start = start_ps;
        if (!number.set)
            continue;
        ps_add(&start, ps_between(events[index].offset_ps, events[i].offset_ps));
        (void)place_of_launch(&ahead, number.value, start);
        places->knows_launch = true;
        places->last = ahead.last;
        places->is_behind = ahead.is_behind;
        return;
    }
}

int32_t step_place_told(struct step_places *places, const struct line_reader *reader, size_t index,
                        int64_t start_ps)
{
    const struct window_list *windows = places->windows;
    const struct event *event = &line_reader_in_ps(reader)->events[index];
    const struct op_detail *detail = &reader->ops->details[event->op];
    if (windows->program != NULL && detail->module != STRING_NONE &&
        !op_is_of(detail, windows->program))
        return -1;
    if (windows->launches == NULL)
        return place_by_start(places, start_ps);
    if (!places->begun)
        line_begin(places, reader, index, start_ps);
    const struct opt_i64 number = step_of_launch(places, reader, index);
    return number.set ? place_of_launch(places, number.value, start_ps)
                      : place_without_launch(places, start_ps);
}
