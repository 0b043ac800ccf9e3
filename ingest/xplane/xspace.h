/* One file as an index: where its planes, lines and metadata lie, and their heads.
 *
 * Of an XPlane file it is built by one walk that follows lengths and looks into no event. The
 * events are streamed later, line by line (lines/). Rules for names and numbers:
 * profile_summary.v1 §3. Other formats fill the same structs, and keep the events aside that they
 * came across.
 */
#ifndef INGEST_XPLANE_XSPACE_H
#define INGEST_XPLANE_XSPACE_H

#include "ingest/ingest.h"
#include "ingest/order/order.h"
#include "ingest/wire/wire.h"
#include "ingest/xplane/plane_ops.h"
#include "ops/runtime/arena.h"
#include "xplane.pb-c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What the events of a line stand for, by the names of plane and line. */
enum line_role {
    LINE_OPS,     /* device plane: `XLA Ops`, `Async XLA Ops`, `Stream #…` */
    LINE_DEVICE,  /* other lines of a device plane: modules, name scopes, trace marks */
    LINE_STEPS,   /* device plane: `Steps` */
    LINE_HOST,    /* lines of a host plane */
    LINE_UNKNOWN, /* lines of any other plane */
};

/* How the events of a line are handed over. All but the first are late where the line is not what
 * they take it for. */
enum line_order {
    ORDER_AS_WRITTEN,
    ORDER_TIES, /* in order of picoseconds; what begins at the same µs is put in order */
    ORDER_NEAR, /* sorted; none lies further from its place than a window holds */
    ORDER_FAR,  /* sorted, wherever they lie */
};

struct xline {
    int64_t begin, end; /* the message in the file; of a line in a store, what it takes there */
    int32_t stored;     /* its number in the store */
    int64_t id;         /* tid: the line's id, its place in the plane when that is 0 */
    int64_t timestamp_ns;
    const char *name;     /* as shown: display_name, else name, else `xline:<index>` */
    int64_t event_count;  /* of lines that were stepped over: 0 until they were streamed */
    bool skipped;         /* the index has not looked at what follows the first event … */
    int64_t events_begin; /* … which lies here */
    bool late_head;       /* and something that matters did follow */
    enum line_role role;
    bool is_steps;         /* named `Steps`: left out of breakdowns, on whatever plane */
    bool asynchronous;     /* transfers in flight, which overlap the ops */
    bool launches;         /* host: events that launch work on a device, found while reading */
    int32_t process;       /* of the host, where a file is of several: as in ids of launches */
    bool derived;          /* made from other lines by a viewer; never added to sums */
    uint32_t ordinal;      /* over all planes of the profile: the order of sums */
    enum line_order order; /* in which it has to be read, as far as that is known … */
    enum line_order device_order;  /* … and by the device's clock, where that is another */
    bool device_late;              /* that has turned out to be too hasty */
    bool unsorted_us, unsorted_ps; /* out of (start, -end) order in doubles, and in picoseconds */
};

static inline bool line_has_events(const struct xline *line)
{
    return line->skipped || line->event_count > 0;
}

/* Neighbouring map entries of one kind. */
struct entry_run {
    uint32_t field; /* 4 = event metadata, 5 = stat metadata */
    int64_t begin, end;
};

struct xspace;

struct xplane {
    const struct xspace *space;
    uint32_t index;      /* in the file */
    uint32_t pid;        /* over all planes of the profile: index + 1 in a single file */
    const char *name;    /* "" when it has none */
    const char *process; /* name, else `xplane:<index>` */
    bool is_device, is_host;
    bool has_streams;   /* a GPU's: what is on them are kernels and copies */
    const XPlane *head; /* id, name, stats */
    struct xline *lines;
    size_t line_count, line_capacity;
    struct entry_run *runs;
    size_t run_count, run_capacity;
    int64_t entry_count;
    const void *format;         /* what the format keeps for ops_load; NULL: nothing */
    struct plane_ops ops;       /* filled by ops_load */
    struct device_clock *clock; /* NULL: the one that its lines are shown in */
};

/* Events that do not count, and why; and ends of texts of those that do. */
struct dropped_events {
    int64_t counter, zero, nameless;
    int64_t texts_cut;
};

/* What a file says of itself beside its planes. */
struct stated_counts {
    const char *time_unit;      /* NULL: nothing */
    int64_t processes, threads; /* with names */
};

struct catalog;
struct ingest_limits;
typedef bool ops_load_fn(struct xplane *plane, struct catalog *catalog,
                         const struct ingest_limits *limits, struct err *err);

struct xspace {
    struct input input;
    ops_load_fn *ops_load;      /* fills plane->ops, once the plane's role is known */
    struct event_store *store;  /* of the lines' events; NULL: they are read off the file */
    struct stated_counts *said; /* NULL: the counts are those of planes and lines */
    struct string_list notes;   /* sentences for coverage */
    int64_t exact_most; /* more events are too many for sums in the reference's order; 0: the
                           options' number alone counts */
    struct dropped_events dropped; /* that are of no line */
    bool may_skip;
    const char *host; /* NULL: the file does not say */
    int64_t base_ns;  /* the timestamp that its picoseconds count from */
    struct string_list errors, warnings, hostnames;
    struct xplane *planes;
    size_t plane_count, plane_capacity;
    int64_t line_count;
    int64_t event_count, skipped_count; /* events; lines whose events are not counted yet */
    int64_t whole_bytes;                /* where the last whole field of the file ends */
    int64_t unread_bytes;    /* hold nothing whole: above 0 exactly for a file that was cut off */
    const char *unread_note; /* the sentence of it; NULL: the common one */
    int64_t behind_bytes;    /* follow the profile in the file, or in its decompressed text */
    bool is_unproven;        /* its checksum is wrong or missing */
    bool is_torch;           /* PyTorch's profiler wrote it */
    int64_t texts_cut;       /* beyond TEXT_MAX_BYTES, in heads */
};

/* A SparseCore of a TPU, which works beside the core whose steps and ops are shown; its ops. */
static inline bool plane_is_sparse_core(const struct xplane *plane)
{
    return plane->is_device && strstr(plane->name, "SparseCore") != NULL;
}

static inline bool line_is_sparse_core_ops(const struct xline *line)
{
    return strcmp(line->name, "Sparse Core Ops") == 0;
}

struct progress;

struct index_options {
    const struct ingest_options *options;
    bool may_skip;             /* long lines of large files may be stepped over */
    struct progress *progress; /* NULL = nobody is told */
    struct catalog *texts;     /* for those of events */
};

/* Opens and indexes a file. In large files, and if may_skip, long lines are stepped over at once;
 * what they say of themselves behind their events (late_head) is then found while they are
 * streamed. A file that ends in the middle of a message yields what is whole before (unread_bytes
 * tells), unless strict. ERR_INPUT for anything malformed. xspace_close accepts a zeroed struct. */
typedef bool space_open_fn(const char *path, const struct index_options *index, struct arena *arena,
                           struct xspace *ret_space, struct err *err);
space_open_fn xspace_open;
/* Opens a file as one that has no plane: what it tells is read by others. */
bool xspace_open_empty(const char *path, const struct index_options *index,
                       struct xspace *ret_space, struct err *err);
void xspace_close(struct xspace *space);

/* That the file was cut off, as a sentence; NULL: it was read whole. */
const char *space_unread_told(const struct xspace *space, struct arena *arena);

/* The line's start since the base of its file in ps; false when it lies out of range. */
static inline bool line_base_ps(const struct xspace *space, const struct xline *line,
                                int64_t *ret_ps)
{
    int64_t ns;
    return !__builtin_sub_overflow(line->timestamp_ns, space->base_ns, &ns) &&
           !__builtin_mul_overflow(ns, (int64_t)1000, ret_ps);
}

#endif
