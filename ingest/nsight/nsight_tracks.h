/* Devices with their streams, and threads of hosts: who there is, and where their events lie.
 */
#ifndef INGEST_NSIGHT_NSIGHT_TRACKS_H
#define INGEST_NSIGHT_NSIGHT_TRACKS_H

#include "ingest/lookup/lookup.h"
#include "ingest/order/order.h"
#include "ops/runtime/arena.h"

/* What a thread's events are of; each has a line of its own, as ranges need not lie within calls.
 */
#define THREAD_LAYERS(X) \
    X(RANGES, "NVTX") \
    X(SPANS, "NVTX start and end") \
    X(API, "CUDA API") \
    X(LIBRARIES, "libraries") \
    X(SYSTEM, "OS runtime")

enum thread_layer {
#define THREAD_LAYER(name, text) THREAD_##name,
    THREAD_LAYERS(THREAD_LAYER)
#undef THREAD_LAYER
        THREAD_LAYER_COUNT
};

/* The ops of a plane: a name, and on devices what launched it; numbers of the catalog's texts and
 * of launch contexts. */
struct nsight_ops {
    struct nsight_op {
        uint32_t name, context;
    } * items;
    size_t count, capacity;
    struct id_map by_key;
};

struct nsight_stream {
    int64_t process, context, id;
    int32_t line; /* in the store */
};

/* A program of XLA while it ran on a device: from its first event to the end of its last. */
struct nsight_run {
    uint32_t context;
    int64_t start_ns, end_ns;
};

struct nsight_device {
    int64_t process; /* of CUDA's number; -1: the number is the GPU's */
    int64_t id;
    int64_t number; /* of its plane's name */
    struct nsight_stream *streams;
    size_t stream_count, stream_capacity, last;
    struct nsight_run *runs;
    size_t run_count, run_capacity;
    struct id_map run_by_number;
    int32_t run_line; /* in the store; -1 = no runs */
    struct nsight_ops ops;
};

struct nsight_thread {
    int64_t id;
    const char *name; /* NULL: nobody says */
    int32_t lines[THREAD_LAYER_COUNT];
};

struct nsight_tracks {
    struct arena *arena;
    struct event_store *store;
    struct nsight_device *devices;
    size_t device_count, device_capacity, last;
    struct id_map process_by_pid; /* in the order of their coming */
    struct id_map gpu_by_number;  /* of a process's device */
    struct nsight_thread *threads;
    size_t thread_count, thread_capacity;
    struct id_map thread_by_id;
    struct nsight_ops host_ops;
    int64_t line_count;
};

/* Nobody yet. */
void nsight_tracks_init(struct nsight_tracks *tracks, struct event_store *store,
                        struct arena *arena);

/* The number of a process, by the id that Nsight Systems gives to it or to one of its threads. An
 * id holds the system's number of the thread in its lowest 24 bits, that of the process in the
 * next, and which machine it is above. */
int32_t nsight_process_of(struct nsight_tracks *tracks, int64_t global_id);

/* Says which GPU a process's device is; pid is the system's number. */
void nsight_gpu_set(struct nsight_tracks *tracks, int64_t pid, int64_t device, int64_t gpu);

/* The device of a process, made when it is new; global_id is that of the process, 0 where it is not
 * said. Pointers last until the next new one. */
struct nsight_device *nsight_device_of(struct nsight_tracks *tracks, int64_t global_id, int64_t id);

/* The line in the store of a stream of the device, made when it is new. */
int32_t nsight_stream_line(struct nsight_tracks *tracks, struct nsight_device *device,
                           const struct nsight_stream *stream);

/* The thread of an id. */
struct nsight_thread *nsight_thread_of(struct nsight_tracks *tracks, int64_t id);

/* The line in the store of a thread's layer, made when it is new. */
int32_t nsight_thread_line(struct nsight_tracks *tracks, struct nsight_thread *thread,
                           enum thread_layer layer);

/* The number of an op, a new one where it has to be. */
int32_t nsight_op_find(struct nsight_ops *ops, uint32_t name, uint32_t context,
                       struct arena *arena);

/* Orders the devices, and gives each a number of its own: its GPU's where the file says which that
 * is. *ret_guessed tells that several processes have a device of one number, and that they were
 * taken for different ones. */
void nsight_devices_number(struct nsight_tracks *tracks, bool *ret_guessed);

#endif
