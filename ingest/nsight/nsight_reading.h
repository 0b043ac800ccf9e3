/* An export while it is read: what came of its rows so far. */
#ifndef INGEST_NSIGHT_NSIGHT_READING_H
#define INGEST_NSIGHT_NSIGHT_READING_H

#include "ingest/nsight/export_db.h"
#include "ingest/nsight/launch_ranges.h"
#include "ingest/nsight/nsight_tracks.h"
#include "ingest/xplane/xplane.h"

/* Rows that are in no figure, by why. */
#define NSIGHT_FATES(X) \
    X(MARK, "mark a moment without a duration") \
    X(OPEN, "are ranges that had not ended when the capture did") \
    X(ZERO, "last no time") \
    X(REVERSED, "end before they begin") \
    X(FAR, "lie too far from the others in time") \
    X(ODD, "hold values of another type than the format has")

enum nsight_fate {
#define NSIGHT_FATE(name, text) FATE_##name,
    NSIGHT_FATES(NSIGHT_FATE)
#undef NSIGHT_FATE
        FATE_COUNT
};

/* What was traced, by the words of `nsys profile --trace`; whole graphs beside. */
#define NSIGHT_TRACED(X) \
    X(CUDA, "cuda") \
    X(GRAPHS, "graphs as a whole") \
    X(COPIES, "copies without kernels") \
    X(NVTX, "nvtx") \
    X(LIBRARIES, "cudnn or cublas") \
    X(SYSTEM, "osrt")

enum nsight_traced {
#define NSIGHT_TRACED_MEMBER(name, text) TRACED_##name,
    NSIGHT_TRACED(NSIGHT_TRACED_MEMBER)
#undef NSIGHT_TRACED_MEMBER
        TRACED_COUNT
};

enum { NSIGHT_LAUNCHERS = 4 };

/* What the export says of the machine. */
struct nsight_facts {
    const char *host;
    struct opt_i64 epoch_ns; /* what its times count from, since 1970 */
    struct opt_i64 cuda_driver;
    struct opt_i64 ranks[NSIGHT_LAUNCHERS];  /* in the job that started the program, as one … */
    struct opt_i64 counts[NSIGHT_LAUNCHERS]; /* … launcher each tells it, and how many there are */
    struct nsight_gpu {
        int64_t id;
        const char *name;
        struct opt_i64 clock_khz, cores, memory_bytes, bandwidth, major, minor;
    } * gpus;
    size_t gpu_count, gpu_capacity;
};

struct nsight_steps;

struct nsight_reading {
    struct xspace *space;
    struct arena *arena;
    struct catalog *catalog;
    const struct ingest_limits *limits;
    struct export_db db;
    struct event_store store;
    struct nsight_tracks tracks;
    struct nsight_facts facts;
    struct launch_ranges ranges;
    struct notes said;
    struct arena scratch;
    struct id_map text_by_id;  /* numbers of the catalog's texts, by the ids of StringIds */
    struct id_map domains;     /* of NVTX, the same */
    regex_t expression;        /* of steps */
    const regex_t *step_range; /* NULL: the common names */
    uint32_t unnamed;          /* the text that stands for one that StringIds lacks */
    int64_t row_count, event_count, unnamed_count, graph_count;
    int64_t fates[FATE_COUNT];
    struct nsight_steps *steps;
    size_t step_count, step_capacity;
    struct id_map steps_by_key; /* of a thread and a name */
    int64_t shifted_count;      /* steps whose numbers had begun again */
    bool has_base;              /* of the store: known from the first event on */
    int64_t base_ns;
    int64_t first_ns, last_ns;
    bool has_kernels; /* there is a table of them, or of graphs */
    bool has_copies;  /* there is one of copies */
    unsigned traced;  /* what there are tables of events of: bits of enum nsight_traced */
    bool has_steps;   /* some range is one, or says which program ran */
};

/* Begins to read the space's input, which is open. nsight_reading_close ends it, also where this
 * failed; what the reading holds in the arena and the store stays. */
bool nsight_reading_open(struct nsight_reading *reading, struct xspace *space,
                         const struct index_options *index, struct arena *arena, struct err *err);
void nsight_reading_close(struct nsight_reading *reading);

/* Reads the rows of a table, and notes what there being one tells of what was traced. */
typedef bool nsight_row_fn(struct nsight_reading *reading, const struct export_rows *rows,
                           void *context, struct err *err);
bool nsight_rows_read(struct nsight_reading *reading, const struct export_table *table,
                      nsight_row_fn *take, void *context, struct err *err);

/* Keeps a text, repaired and cut; its number in the catalog. */
uint32_t nsight_text_keep(struct nsight_reading *reading, const char *text, size_t length);

/* The number of the text that a cell names by its id: reading->unnamed where StringIds lacks it. */
bool nsight_text_of_id(struct nsight_reading *reading, int64_t id, uint32_t *ret_text,
                       struct err *err);

/* Reads what the export says of GPUs, processes, threads, the host and the clock. */
bool nsight_facts_read(struct nsight_reading *reading, struct err *err);

/* Reads the tables of what happened on threads: ranges, calls. */
bool nsight_threads_read(struct nsight_reading *reading, struct err *err);

/* Reads the tables of what happened on devices: kernels, copies, graphs. */
bool nsight_devices_read(struct nsight_reading *reading, struct err *err);

/* When a row began and ended, and where in the store's clock that is: false where it has no place
 * there. nsight_span_read counts the row, and why it is no event. */
struct nsight_span {
    int64_t start_ns, end_ns;
    int64_t offset_ps, duration_ps;
};
bool nsight_span_place(const struct nsight_reading *reading, struct nsight_span *span);
bool nsight_span_read(struct nsight_reading *reading, const struct export_rows *rows, int start,
                      int end, struct nsight_span *ret_span);

/* What a call and its launches are known by: the process and the id that it gave to the call. An
 * unset id where the row has none. */
struct opt_i64 nsight_correlation(struct nsight_reading *reading, const struct export_rows *rows,
                                  int column, int64_t global_id);

/* A name of a kernel, from the first of the columns that StringIds knows. */
bool nsight_kernel_name(struct nsight_reading *reading, const struct export_rows *rows,
                        const int columns[2], uint32_t *ret_name, struct err *err);

/* The name of a range: a text of its own in the first column, else the id in the second. */
bool nsight_range_text(struct nsight_reading *reading, const struct export_rows *rows,
                       const int columns[2], uint32_t *ret_text, struct err *err);

/* What a copy is called, by CUpti_ActivityMemcpyKind. */
const char *nsight_copy_name(int64_t kind);

/* Adds the event of a span to a line of the store. */
bool nsight_event_add(struct nsight_reading *reading, int32_t line, const struct nsight_span *span,
                      int32_t op, const struct event_note *note, struct err *err);

/* Makes planes and lines of what was read. */
void nsight_space_fill(struct nsight_reading *reading);

#endif
