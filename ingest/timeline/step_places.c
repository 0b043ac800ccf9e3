/* See step_places.h. */
#include "ingest/timeline/step_places.h"
#include "ingest/timeline/launch_list.h"

/* The window in which the event starts. */
static int32_t place_by_start(struct step_places *places, int64_t start_ps)
{
    const struct window_list *windows = places->windows;
    while (places->window < windows->count && windows->items[places->window].end_ps <= start_ps)
        places->window++;
    bool inside =
        places->window < windows->count && windows->items[places->window].start_ps <= start_ps;
    return inside ? (int32_t)places->window : -1;
}

int32_t step_place(struct step_places *places, const struct line_reader *reader, size_t index,
                   int64_t start_ps)
{
    const struct window_list *windows = places->windows;
    const struct op_detail *detail = &reader->ops->details[reader->events[index].op];
    if (windows->program != NULL && detail->module != STRING_NONE &&
        !op_is_of(detail, windows->program))
        return -1;
    const struct event_note *note =
        windows->launches == NULL ? NULL : line_reader_note(reader, index);
    if (note == NULL || !note->correlation.set)
        return place_by_start(places, start_ps);
    struct opt_i64 number =
        launch_step(windows->launches, note->correlation.value, &places->launch);
    if (!number.set) /* one from before the capture is of a step that began there */
        return note->correlation.value < windows->launches->runs[0].first
                   ? -1
                   : place_by_start(places, start_ps);
    return number.value == LAUNCH_OF_NO_STEP ? -1 : id_map_find(windows->by_number, number.value);
}
