/* A trace while it is read: what came of its items so far. */
#ifndef INGEST_TRACE_TRACE_READING_H
#define INGEST_TRACE_TRACE_READING_H

#include "ingest/data_tables/data_tables.h"
#include "ingest/source/source.h"
#include "ingest/trace/trace_tracks.h"
#include "ingest/wire/wire.h"

/* Items by what became of them. */
#define TRACE_FATES(X) \
    X(FLOW, "mark flows between events") \
    X(INSTANT, "mark a moment without a duration") \
    X(COUNTER, "are samples of counters") \
    X(HALF, "are begins without an end or ends without a begin (B and E)") \
    X(ASYNC, "are asynchronous or of objects (b, n, e, N, O, D and the like)") \
    X(ZERO, "last no time") \
    X(NAMELESS, "have no name") \
    X(NOWHERE, "have no process or thread") \
    X(UNTIMED, "have no time (ts)") \
    X(FAR, "lie too far from the others in time") \
    X(SPAN, "are the profiler's own span over all") \
    X(ODD, "hold members of another type than the format has") \
    X(HUGE, "are larger than can be read at once")

enum trace_fate {
#define TRACE_FATE(name, text) FATE_##name,
    TRACE_FATES(TRACE_FATE)
#undef TRACE_FATE
        FATE_COUNT
};

/* What the members beside the events say. */
struct trace_root {
    const char *time_unit;
    const char *host, *cuda_runtime, *cuda_driver; /* NULL: nothing */
    struct opt_i64 base_ns;                        /* what its times count from, since 1970 */
    struct opt_i64 rank, world_size;
    const char **devices; /* names of GPUs, by their number */
    size_t device_count;
};

enum { TRACE_GROUPS_MOST = 64 };

/* What collectives say of the processes that take part. */
struct trace_groups {
    const char *texts[TRACE_GROUPS_MOST]; /* each group once: ranks of the job, "0,1,2,3" */
    size_t count;
    struct opt_i64 rank; /* that the process has in one of all ranks from 0 on … */
    bool is_torn;        /* … and they do not say the same */
};

struct trace_launches;

struct trace_reading {
    struct grouped_rows *rows;       /* the table that is read; NULL: the timeline is */
    struct trace_launches *launches; /* of such a table … */
    bool finds_launches;             /* … found now, by a reading that adds no row yet */
    struct xspace *space;
    struct arena *arena;
    struct catalog *catalog;
    const struct ingest_limits *limits;
    struct event_store store;
    struct id_map *step_by_group; /* NULL: no event tells one */
    struct trace_tracks tracks;
    struct trace_root root;
    struct trace_groups groups;
    struct text key;
    struct arena scratch;
    int64_t item_count, complete_count, text_ids;
    int64_t fates[FATE_COUNT];
    bool has_base; /* of the store: known from the first event on */
    int64_t base_us;
    double first_us, last_us;
    bool is_torch;            /* PyTorch wrote it */
    int64_t kernel_count;     /* of PyTorch's: kernels and copies of devices */
    bool is_array;            /* the root is the array of events */
    bool has_events;          /* there was such an array */
    bool is_cut, is_broken;   /* the text ends early, or makes no sense from some byte on */
    bool has_odd_events;      /* the member traceEvents is no array */
    int64_t whole_text;       /* where the last whole item ended */
    int64_t broken_count;     /* places that were stepped over … */
    int64_t broken_at;        /* … and the first of them, in the text */
    int64_t lost_bytes;       /* of the text, that were stepped over there */
    int64_t stopped_at;       /* how far the document was read */
    int64_t text_bytes;       /* of the whole text */
    bool is_packed;           /* with gzip … */
    enum text_end packed_end; /* … which ended so … */
    int64_t packed_behind;    /* … and is followed by so many bytes of the file */
    int64_t behind_at;        /* where other text follows a document that is whole; 0: nowhere */
    bool is_followed_by_json; /* it begins as a document does */
};

/* A time as it is written: as the reference takes it, and as we do. */
struct trace_time {
    double us;
    __int128 ps;
};

/* An event on its way into the store. */
struct kept_event {
    struct event event;
    struct event_note note; /* counts when event.has_note */
    enum trace_side side;
    enum trace_layer layer;
};

/* A member that is a time, 0 where there is none. false when it is no number. */
bool trace_time_of(const struct trace_event *event, enum trace_member member,
                   struct trace_time *ret_time);

/* Gives an event its place; false when it has none in picoseconds. */
bool trace_event_place(struct trace_reading *reading, const struct trace_time *start,
                       const struct trace_time *duration, struct event *event);

/* The number in labels like "GPU 3", whose kind is *ret_kind bytes long; -1 for others. */
int trace_device_number(const char *labels, size_t *ret_kind);

/* Gives an event of process ids[0] its side of it, its op and what it says of itself. */
bool trace_event_make(struct trace_reading *reading, const struct trace_event *item,
                      const int64_t ids[2], struct kept_event *ret_event, struct err *err);

/* Puts an event that has all this into the line of thread ids[1]. */
bool trace_event_keep(struct trace_reading *reading, const int64_t ids[2],
                      const struct kept_event *kept, struct err *err);

/* Takes the begin or the end of an event (trace_half.c): *ret_fate is FATE_COUNT, or what became of
 * the item. */
bool trace_half_add(struct trace_reading *reading, const struct trace_event *item,
                    const int64_t ids[2], enum trace_fate *ret_fate, struct err *err);

/* Counts the begins that are open at the end. */
void trace_halves_end(struct trace_reading *reading);

/* Takes one item. */
bool trace_item_add(struct trace_reading *reading, const struct trace_event *event,
                    struct err *err);

/* Judges how the text ended, once all of it was read. ERR_INPUT where nothing came of it, and where
 * the options are strict or a table would be wrong. */
bool trace_end_judge(const struct trace_reading *reading, const struct ingest_options *options,
                     struct err *err);

/* Says what is odd about it, for people. */
void trace_end_note(const struct trace_reading *reading, struct notes *said);

/* Counts it. */
void trace_end_fill(const struct trace_reading *reading, struct xspace *space);

/* Takes what an item says of a group of processes. */
void trace_group_take(struct trace_reading *reading, const struct trace_event *item);

/* The rank of the process in its job, by the groups that it is in; absent where they leave several.
 */
struct opt_i64 trace_groups_rank(const struct trace_groups *groups);

/* All groups as one text, "0,1,2,3;0,4"; NULL: none is told. */
const char *trace_groups_text(const struct trace_groups *groups, struct arena *arena);

/* Takes a member beside the events. */
void trace_root_take(struct trace_reading *reading, const struct token *name,
                     const struct token *value);

/* Makes planes and lines of what was read. */
void trace_space_fill(struct trace_reading *reading);

#endif
