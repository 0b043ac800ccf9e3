/* A profile while it is read: its files, what all lines add up to, and the stages between.
 *
 * The stages are: index the files, load metadata, stream the lines that are only added up (hosts,
 * modules, steps), find the steps, stream the device-op lines, then make the document. Lines are
 * numbered over all planes; that order is the order of sums, whatever thread reads a line first.
 */
#ifndef INGEST_TIMELINE_PROFILE_H
#define INGEST_TIMELINE_PROFILE_H

#include "ingest/ingest.h"
#include "ingest/intervals/intervals.h"
#include "ingest/lookup/lookup.h"
#include "ingest/timeline/gaps.h"
#include "ingest/timeline/head_sums.h"
#include "ingest/timeline/line_work.h"
#include "ingest/timeline/step_extents.h"
#include "ingest/wire/wire.h"
#include "ingest/xplane/xplane.h"

/* Sums of one line. */
struct line_sums {
    int64_t count; /* events that count */
    double start_us, end_us;
    double parts[PART_COUNT]; /* exclusive time by category */
    struct dropped_events dropped;
};

enum mark_kind {
    MARK_STEPS_LINE,
    MARK_ANNOTATION,
    MARK_MODULE,
    MARK_COMPILE, /* the host compiled: no step, but why one is slow */
    MARK_CALL,    /* of a compiled function; is_root = it ends when the function has */
    MARK_WAIT     /* of a host for what it called */
};

/* An event that may bound a step. */
struct step_mark {
    enum mark_kind kind;
    uint32_t line; /* ordinal */
    int32_t name;  /* catalog->names */
    bool is_train; /* named `train`: the reference takes only those of the host */
    bool is_root;
    bool ours_only; /* the reference does not see it */
    bool has_ps;
    int64_t number;
    double duration_us;
    int64_t start_ps, duration_ps; /* since the profile's base */
};

/* There may be as many as a host has events: memory of its own that counts against the plane's
 * budget, for what it outgrows would stay in an arena. */
struct mark_list {
    struct step_mark *items;
    size_t count, capacity;
};

/* Lines are streamed in two stages: those that are only added up, then those of device ops. */
enum stage { STAGE_SUMS, STAGE_OPS, STAGE_COUNT };

/* What streaming a plane leaves behind. One thread at a time. */
struct plane_state {
    struct xplane *plane;
    uint32_t device; /* row of the device table; UINT32_MAX for none */
    struct arena arena;
    struct spill spill;
    /* Run ids, by stage: numbers and texts. */
    struct counter run_numbers[STAGE_COUNT], run_texts[STAGE_COUNT];
    struct mark_list marks;
    struct gap_list gaps;
    struct window_list windows;
    struct extent_list extents; /* of windows by_ops */
    struct head_sums heads;     /* of its first windows by_ops, until it is known what they are */
    struct line_work *work;     /* when its lines were busy with what */
    size_t work_count, work_capacity;
    struct device_sums *sums; /* what the device did, once it is known */
    /* By op: events that count for the reference, but have no place in our figures, because it is
       out of range or because they lie on a derived line. */
    struct counter unplaced;
    int64_t out_of_range[STAGE_COUNT];  /* events too far from the others to count in picoseconds */
    int64_t apart_count, apart_self_ps; /* ops that are of no step, and their own time */
    int64_t ops_end_ps;                 /* when the last of all ops ended */
};

/* Steps that are left out of steady figures. */
struct warmup_list {
    struct warmup_mark {
        int64_t number;
        const char *reason; /* WARMUP_… */
    } * items;              /* ascending */
    size_t count;
};

/* The last step, where the capture ended before it did. */
struct cut_step {
    bool found, left_out;
    int64_t number;
    int64_t op_count, other_count; /* of its ops, and at least of each other step's */
};

struct running_totals;
struct device_sums;
struct host_step_list;
struct op_list;

/* An op that has events on device-op lines: for the reference (tally->count), for our figures
 * (op_placed), or both. */
struct used_op {
    const struct plane_state *state;
    int32_t op;
};

struct profile {
    const struct profile_files *files;
    const struct ingest_options *options;
    struct arena *arena; /* the work's own; results go elsewhere */
    struct catalog catalog;
    struct xspace *spaces;
    size_t space_count;
    struct plane_state *planes;
    size_t plane_count;
    struct line_sums *lines; /* by ordinal */
    size_t line_count;
    const struct file_opener *opener;
    int64_t event_count, skipped_count; /* events; lines that were stepped over */
    struct progress progress;
    struct interval_list cover; /* time that compute of non-op lines covers, global mode */
    bool exact;                 /* sums are made in the reference's order, event by event */
    struct running_totals *running;
    struct used_op *used; /* in order of their first events */
    size_t used_count;
    enum step_method step_method;
    bool run_ahead;              /* annotations bound nothing: steps/run_ahead.h */
    struct span_index compiling; /* when a host compiled */
    struct warmup_list warmup;   /* steps of step_method that are warm-up */
    struct cut_step cut;
    bool checks_clocks;      /* where those of a device differ, what is read is worth nothing */
    int64_t name_collisions; /* devices that are named like one before */
    struct host_step_list *host_steps; /* by file; NULL until asked for */
    int32_t annotation;                /* catalog->names: what annotates steps; set with them */
    struct op_list *op_list; /* its ops with what programs tell of them; NULL until asked for … */
    struct arena op_arena;   /* … and where it lies */
    int64_t program_bytes_most;  /* of programs, that are read for that; 0: all */
    bool is_kept;                /* the summary is, for which files and programs are hashed */
    const char *programs_unsaid; /* what they do not tell of ops, and why; NULL: nothing to say */
};

/* How files of a format are opened. */
struct file_opener {
    space_open_fn *open;
    bool may_skip; /* the index may step over long lines */
    bool told;     /* ops keep all that their source says of them (op.told) */
};

/* Opens and indexes the files, loads their metadata, numbers planes and lines. files and options
 * must outlive the profile; profile_close accepts a zeroed one. */
bool profile_open(const struct profile_files *files, const struct file_opener *opener,
                  const struct ingest_options *options, struct arena *arena,
                  struct profile *ret_profile, struct err *err);
void profile_close(struct profile *profile);

/* true once the clocks of a device turn out to differ and that was looked for: all has to be read
 * again. */
static inline bool plane_is_vain(const struct profile *profile, const struct plane_state *state)
{
    return profile->checks_clocks && state->plane->ops.clocks.differ;
}

static inline const struct op_tally *used_tally(const struct used_op *used)
{
    return &used->state->plane->ops.tallies[used->op];
}

/* Events of an op that our figures count. */
static inline int64_t op_placed(const struct plane_state *state, int32_t op)
{
    return state->plane->ops.tallies[op].count - counter_count(&state->unplaced, op);
}

static inline const struct op *used_facts(const struct used_op *used)
{
    return &used->state->plane->ops.ops[used->op];
}

static inline const struct op_detail *used_detail(const struct used_op *used)
{
    return &used->state->plane->ops.details[used->op];
}

#define scoped_profile __attribute__((cleanup(profile_close))) struct profile

#endif
