/* Which step an event of a device belongs to, while the events of a line come by their start.
 */
#ifndef INGEST_TIMELINE_STEP_PLACES_H
#define INGEST_TIMELINE_STEP_PLACES_H

#include "ingest/lines/lines.h"
#include "ingest/timeline/profile.h"

/* Where a line stands among the steps of its device. Zeroed but for `windows` it stands before the
 * first event. */
struct step_places {
    const struct window_list *windows;
    size_t window; /* step that the last event was in or before */
    size_t launch; /* hint for launch_step */
    bool begun;
    bool knows_launch; /* of an event of the line */
    bool is_behind;    /* the last of those shows the device behind its host */
    int32_t last;      /* step of the last event; -1 = none */
};

/* Whether an op shows its device behind its host: one that a window launched (-1: none did), and
 * that began in another one. What is of no step and began in none does not tell: it is as it was.
 */
static inline bool place_is_behind(int32_t launched, int32_t begun, bool was_behind)
{
    return launched < 0 && begun < 0 ? was_behind : launched != begun;
}

/* The window in which what begins then does. */
static inline int32_t place_by_start(struct step_places *places, int64_t start_ps)
{
    const struct window_list *windows = places->windows;
    while (places->window < windows->count && windows->items[places->window].end_ps <= start_ps)
        places->window++;
    bool inside =
        places->window < windows->count && windows->items[places->window].start_ps <= start_ps;
    return inside ? (int32_t)places->window : -1;
}

/* The index of the window that event `index` of the batch in order of picoseconds belongs to, which
 * starts at start_ps; -1: it is of none. The step that launched it, if that is known, else the one
 * in which it starts, or where the device is behind its host that of the op before it. Launches of
 * the main program are no place for ops of others. */
int32_t step_place_told(struct step_places *places, const struct line_reader *reader, size_t index,
                        int64_t start_ps);
static inline int32_t step_place(struct step_places *places, const struct line_reader *reader,
                                 size_t index, int64_t start_ps)
{
    return places->windows->program == NULL && places->windows->launches == NULL
               ? place_by_start(places, start_ps)
               : step_place_told(places, reader, index, start_ps);
}

#endif
