/* The ops of one plane: its event metadata, and what its events' own stats make of them.
 *
 * All work that depends on names and stats is done here, once per distinct op: categories, shapes,
 * region paths, signatures. Events then carry a number. A plane is worked on by one thread at a
 * time, or by two, of which one reads ahead and adds ops; what planes share is in the catalog.
 * Source of the rules: profile_summary.v1 §3.
 */
#ifndef INGEST_XPLANE_PLANE_OPS_H
#define INGEST_XPLANE_PLANE_OPS_H

#include "ingest/hlo/hlo.h"
#include "ingest/lookup/lookup.h"
#include "ingest/order/order.h"
#include "ingest/wire/wire.h"
#include "ingest/xplane/catalog.h"
#include "ingest/xplane/memory_traffic.h"
#include "ingest/xplane/stat.h"
#include "ops/runtime/text.h"
#include "schema/documents/optional.h"

#include <stdbool.h>
#include <stdint.h>

enum { OP_NONE = -1 };

struct op_stats;

/* What streaming looks at now and then. */
struct op {
    int32_t name; /* catalog->names; OP_NONE = no name, events are dropped */
    uint32_t source;
    uint32_t whole_name;  /* text: on hosts the name that another one is shown for; else none */
    int32_t async_twin;   /* the same op in flight beside others; OP_NONE until one is seen */
    uint8_t part;         /* enum breakdown_part of its events on this plane */
    uint8_t op_part;      /* the same for hot ops */
    int8_t collective;    /* COLLECTIVE_NONE or a kind */
    uint8_t device_class; /* enum device_class */
    uint8_t host_word;    /* enum host_word; none on device planes */
    bool is_marker, is_train, has_number;
    bool not_finite; /* a run id or step that is NaN or infinite: fails when used or named */
    int64_t number;  /* the name as a step number */
    const struct event_note *note; /* of its events that have none of their own; NULL: none */
    const struct op_stats *stats;  /* of its metadata entry, for its events to override */
    const struct op_stats *told;   /* all that its source says of it; NULL unless that is kept */
};

/* What streaming looks at for each event: so little that the traits of all ops of a plane stay in
 * the nearest cache. */
struct op_traits {
    uint8_t part;         /* enum breakdown_part */
    uint8_t device_class; /* enum device_class */
    bool is_named, is_marker, has_note;
};

/* What is needed once per op; device planes only. */
struct op_detail {
    uint32_t tf_op, shape;
    uint32_t own_path;   /* for our figures: tf_op, also where it is compressed */
    uint32_t name_shape; /* shape by the metadata name alone, should an event blank the long name */
    int32_t path;        /* catalog->paths */
    uint32_t category, opcode, shapes, module; /* texts */
    uint32_t launch, annotation, instruction;  /* of launches that were asked for */
    uint32_t kernel;  /* family of the kernel; STRING_NONE when the event is an instruction */
    uint16_t program; /* of plane_ops.programs; 0 = of none that is told apart */
    bool has_program : 1, asynchronous : 1, tells_flops : 1, tells_bytes : 1;
    uint8_t way; /* enum hlo_way */
    uint64_t program_id;
    double flops, model_flops, bytes_accessed; /* of one event, where they are told */
    const struct memory_traffic *traffic;      /* NULL: nothing was told of it */
};

/* What an event of the op does. */
static inline struct opt_f64 detail_flops(const struct op_detail *detail)
{
    return (struct opt_f64){detail->tells_flops, detail->flops};
}

static inline struct opt_f64 detail_model_flops(const struct op_detail *detail)
{
    return (struct opt_f64){detail->tells_flops, detail->model_flops};
}

static inline struct opt_f64 detail_bytes(const struct op_detail *detail)
{
    return (struct opt_f64){detail->tells_bytes, detail->bytes_accessed};
}

/* What ops say they are of. */
struct op_program {
    uint32_t module; /* text */
    bool has_id;
    uint64_t id;
};

static inline bool op_is_of(const struct op_detail *detail, const struct op_program *program)
{
    return detail->module == program->module && detail->has_program == program->has_id &&
           (!program->has_id || detail->program_id == program->id);
}

/* Sums over the events of an op on device-op lines. One cache line. */
struct op_tally {
    int64_t count;
    uint64_t first_seen; /* place in the order of events */
    double total_us, exclusive_us;
    int64_t total_ps, self_ps;
    int64_t steady_count, steady_self_ps;
};

/* Events on all other lines. */
struct op_seen {
    int64_t count;
    uint64_t first_seen;
};

/* A stat metadata entry. */
struct stat_name {
    const char *name;
    enum stat_kind kind;
    bool is_traffic;    /* of no kind, and read once for each op of a device */
    int8_t device_time; /* of no kind: enum device_time */
};

/* What is to be done with a stat whose id is one byte and whose value a number: nothing, keep it as
 * a time of the device (enum device_time), or look closer. */
enum { PLAIN_STAT_IDS = 128, PLAIN_STAT_ASKED = DEVICE_TIME_COUNT };
enum { PROGRAMS_TOLD = 64 }; /* programs of a plane that steps are told apart by */

struct plane_ops {
    struct catalog *catalog;
    const char *path; /* of the file, for messages */
    bool is_device, is_host;
    int64_t max_count;
    size_t expected;          /* ops that metadata will make, more or less */
    struct id_map stat_by_id; /* index in stats */
    struct stat_name *stats;
    size_t stat_count, stat_capacity;
    uint8_t plain_stats[PLAIN_STAT_IDS];
    bool tells_device_time;             /* a device plane that has both */
    const struct id_map *step_by_group; /* of a stored line's notes; NULL: they have no groups */
    bool asks_groups;                   /* notes of stored lines hold them */
    struct clock_check clocks;
    struct id_map op_by_id;
    struct op *ops;
    struct op_traits *traits;
    struct op_detail *details; /* NULL on other than device planes */
    struct op_tally *tallies;  /* the same */
    struct op_seen *seen;
    size_t count, capacity;
    struct relay *ahead; /* whose taker looks at ops while others are added, and never locks the
                            catalog: who adds may wait for it with that locked; NULL: nobody does */
    struct op_program
        programs[PROGRAMS_TOLD]; /* the first that ops name; [0] stands for the rest */
    size_t program_count;
    struct byte_keys variants; /* what stats on events say, and of which op; by number … */
    int32_t *variant_ops;      /* … the op that they make of it */
    size_t variant_capacity;
    /* Compressed texts: the reference knows none, our figures read those of metadata. */
    int64_t inflated_bytes;
    bool has_inflated, has_unread;
    int64_t texts_cut; /* in metadata, and in the events of the batch that is read */
};

struct xplane;
struct ingest_limits;

/* Empties the ops of a plane whose role is known. */
void plane_ops_init(struct xplane *plane, struct catalog *catalog,
                    const struct ingest_limits *limits);

/* Appends the op of a name and its stats, which is no variant of another; only one thread runs.
 * Errors as of plane_ops_append. */
struct op_source;
bool plane_ops_make(struct plane_ops *ops, const struct op_source *source, struct err *err);

/* Has ops told apart by their launches (STAT_LAUNCH_KINDS), of a plane that is loaded. */
void plane_ops_ask_launches(struct plane_ops *ops);

/* Has notes hold the group of an event (group_id, which a viewer gave to all events of a step) in
 * place of its step, of a plane that is loaded and has them. */
void plane_ops_ask_groups(struct plane_ops *ops);
bool plane_ops_has_groups(const struct plane_ops *ops);

/* Loads the metadata of a plane. ERR_INPUT: malformed, or a run id that is not finite. */
bool plane_ops_load(struct xplane *plane, struct catalog *catalog,
                    const struct ingest_limits *limits, struct err *err);

/* Appends an op. OP_NONE with *err filled beyond a bound. detail counts on device planes only. */
int32_t plane_ops_append(struct plane_ops *ops, const struct op *op, const struct op_detail *detail,
                         struct err *err);

/* The op that stats of STAT_OP_KINDS make of `base`: `key` holds the XStat messages, each after its
 * length, and is changed. OP_NONE with *err filled on failure. Locks the catalog for a new one. */
int32_t plane_ops_variant(struct plane_ops *ops, int32_t base, struct text *key, struct err *err);

/* The same op as seen on an asynchronous line. OP_NONE with *err filled beyond the budget. */
int32_t plane_ops_async(struct plane_ops *ops, int32_t op, struct err *err);

/* The note of an event of `op` whose own values of STAT_EVENT_KINDS are given, by kind; those of
 * other kinds are not looked at. false with ERR_INPUT when a run id or step is not finite. */
bool plane_ops_note(struct plane_ops *ops, int32_t op,
                    const struct stat_value values[STAT_KIND_COUNT], struct event_note *ret_note,
                    struct err *err);

#endif
