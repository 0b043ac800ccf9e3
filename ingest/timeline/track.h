/* One line from first event to last: what its events add to the sums of its plane.
 *
 * Two kinds of tracks (profile_summary.v1 §3): those that are only added up (hosts, modules, steps)
 * and those of device ops. A track in disorder stops with *ret_disorder and leaves the plane's sums
 * unusable; the caller begins again with lines that are sorted (stream.c).
 */
#ifndef INGEST_TIMELINE_TRACK_H
#define INGEST_TIMELINE_TRACK_H

#include "ingest/intervals/intervals.h"
#include "ingest/lines/lines.h"
#include "ingest/timeline/profile.h"
#include "ingest/timeline/step_places.h"

/* An event that waits for its exclusive time, in order of start. */
struct settled {
    int32_t op;
    double duration_us, exclusive_us;
};

/* Working memory of one thread, used for one line after the other. */
struct track {
    struct profile *profile;
    struct plane_state *state;
    struct xline *line;
    struct line_reader reader;
    bool reads_ahead; /* long lines of ops, by a thread beside this one */
    struct stack_us us;
    struct stack_ps ps;
    struct settled *waiting;
    size_t waiting_count, waiting_capacity;
    struct gap_tracker gaps;
    double *parts;   /* running totals by category */
    int64_t base_ps; /* of the line */
    bool has_ps;     /* it has a place in picoseconds */
    struct step_places steps;
    struct line_work *global, *own; /* the line's lists; NULL when it leaves none */
    bool is_live;                   /* the line's work is swept as it comes … */
    struct device_sums *live;       /* … by this, instead of into its own lists */
    size_t cover;                   /* place in the profile's cover */
    int64_t told;                   /* place in the file up to which progress was told */
    int64_t told_bytes;             /* of all lines */
};

/* Prepares a track for the lines of a file. track_done accepts a zeroed struct. */
void track_init(struct track *track, struct profile *profile, const struct xspace *space);
void track_done(struct track *track);

/* Streams a line that is only added up. */
bool track_sum(struct track *track, struct plane_state *state, struct xline *line,
               bool *ret_disorder, struct err *err);

/* Streams a line that was added up once more, for its exclusive times alone: event by event onto
 * the running totals, as the reference adds the lines of a trace. */
bool track_parts(struct track *track, struct plane_state *state, struct xline *line, double *parts,
                 struct err *err);

/* Streams a line of device ops; parts are the running totals that it adds to. */
bool track_ops(struct track *track, struct plane_state *state, struct xline *line, double *parts,
               bool *ret_disorder, struct err *err);

/* Adds an event to the global breakdown's lists, if the line has any (§6). */
bool track_add_listed(struct track *track, const struct event *event, enum breakdown_part part,
                      struct err *err);
static inline bool track_add_global(struct track *track, const struct event *event,
                                    enum breakdown_part part, struct err *err)
{
    return track->global == NULL || track_add_listed(track, event, part, err);
}

/* Begins a line: opens the reader and clears what the line before left. Shared by the two. */
void track_open(struct track *track, struct plane_state *state, struct xline *line);
/* The same by the clock of the line's device (line_reader_open_device). */
void track_open_device(struct track *track, struct plane_state *state, struct xline *line);

/* Place of event number `index` of a line in the order of all events. */
static inline uint64_t event_place(const struct xline *line, int64_t index)
{
    enum { INDEX_BITS = 40 };
    return (uint64_t)line->ordinal << INDEX_BITS | (uint64_t)index;
}

/* Counts the run id of an event's note. */
void track_count_run(struct track *track, const struct event_note *note, uint64_t place);

/* Ends a line that was read to its end: its events are counted, its order is noted. */
void track_close(struct track *track);

/* Reads the next batch of the line and tells progress. ERR_LIMIT when events are nested too deeply,
 * or what was made of those before is too much. */
bool track_next(struct track *track, struct err *err);

#define scoped_track __attribute__((cleanup(track_done))) struct track

#endif
