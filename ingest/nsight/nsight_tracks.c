#include "ingest/nsight/nsight_tracks.h"

#include <stdlib.h>

enum { THREAD_BITS = 24, PID_MASK = (1 << 24) - 1 };

void nsight_tracks_init(struct nsight_tracks *tracks, struct event_store *store,
                        struct arena *arena)
{
    *tracks = (struct nsight_tracks){.arena = arena, .store = store};
    id_map_init(&tracks->process_by_pid, arena);
    id_map_init(&tracks->gpu_by_number, arena);
    id_map_init(&tracks->thread_by_id, arena);
    id_map_init(&tracks->host_ops.by_key, arena);
}

int32_t nsight_process_of(struct nsight_tracks *tracks, int64_t global_id)
{
    const int64_t pid = (int64_t)((uint64_t)global_id >> THREAD_BITS);
    int32_t known = id_map_find(&tracks->process_by_pid, pid);
    if (known != ID_MAP_ABSENT)
        return known;
    known = (int32_t)tracks->process_by_pid.count;
    id_map_set(&tracks->process_by_pid, pid, known);
    return known;
}

/* ---- devices --------------------------------------------------------------------------------- */

enum { DEVICE_ID_MOST = INT32_MAX };

static int64_t number_key(int64_t pid, int64_t device)
{
    return pid << 32 | (device & UINT32_MAX);
}

void nsight_gpu_set(struct nsight_tracks *tracks, int64_t pid, int64_t device, int64_t gpu)
{
    if (gpu >= 0 && gpu <= DEVICE_ID_MOST && pid >= 0 && pid <= PID_MASK)
        id_map_set(&tracks->gpu_by_number, number_key(pid, device), (int32_t)gpu);
}

struct nsight_device *nsight_device_of(struct nsight_tracks *tracks, int64_t global_id, int64_t id)
{
    const int64_t pid = (int64_t)((uint64_t)global_id >> THREAD_BITS) & PID_MASK;
    const int32_t gpu = id_map_find(&tracks->gpu_by_number, number_key(pid, id));
    const int32_t process = global_id == 0 ? 0 : nsight_process_of(tracks, global_id);
    const struct nsight_device wanted = {.process = gpu != ID_MAP_ABSENT ? -1 : process,
                                         .id = gpu != ID_MAP_ABSENT ? gpu : id};
    for (size_t i = 0; i < tracks->device_count; i++) {
        size_t at = (tracks->last + i) % tracks->device_count;
        struct nsight_device *device = &tracks->devices[at];
        if (device->process == wanted.process && device->id == wanted.id) {
            tracks->last = at;
            return device;
        }
    }
    tracks->devices = arena_grow(tracks->arena, tracks->devices, tracks->device_count,
                                 &tracks->device_capacity, sizeof *tracks->devices);
    struct nsight_device *device = &tracks->devices[tracks->device_count++];
    *device = wanted;
    device->run_line = -1;
    id_map_init(&device->ops.by_key, tracks->arena);
    id_map_init(&device->run_by_number, tracks->arena);
    return device;
}

int32_t nsight_stream_line(struct nsight_tracks *tracks, struct nsight_device *device,
                           const struct nsight_stream *wanted)
{
    for (size_t i = 0; i < device->stream_count; i++) {
        size_t at = (device->last + i) % device->stream_count;
        const struct nsight_stream *stream = &device->streams[at];
        if (stream->id == wanted->id && stream->context == wanted->context &&
            stream->process == wanted->process) {
            device->last = at;
            return stream->line;
        }
    }
    device->streams = arena_grow(tracks->arena, device->streams, device->stream_count,
                                 &device->stream_capacity, sizeof *device->streams);
    struct nsight_stream *stream = &device->streams[device->stream_count++];
    *stream = *wanted;
    stream->line = event_store_line(tracks->store);
    tracks->line_count++;
    return stream->line;
}

static int compare_devices(const void *a, const void *b)
{
    const struct nsight_device *left = a, *right = b;
    if (left->process != right->process)
        return left->process < right->process ? -1 : 1;
    return (left->id > right->id) - (left->id < right->id);
}

static bool number_is_taken(const struct nsight_tracks *tracks, size_t count, int64_t number)
{
    for (size_t i = 0; i < count; i++) {
        if (tracks->devices[i].number == number)
            return true;
    }
    return false;
}

void nsight_devices_number(struct nsight_tracks *tracks, bool *ret_guessed)
{
    *ret_guessed = false;
    if (tracks->device_count > 1)
        qsort(tracks->devices, tracks->device_count, sizeof *tracks->devices, compare_devices);
    for (size_t i = 0; i < tracks->device_count; i++) {
        struct nsight_device *device = &tracks->devices[i];
        int64_t number = device->id;
        while (number_is_taken(tracks, i, number))
            number++;
        *ret_guessed = *ret_guessed || number != device->id;
        device->number = number;
    }
}

/* ---- threads --------------------------------------------------------------------------------- */

struct nsight_thread *nsight_thread_of(struct nsight_tracks *tracks, int64_t id)
{
    int32_t known = id_map_find(&tracks->thread_by_id, id);
    if (known != ID_MAP_ABSENT)
        return &tracks->threads[known];
    id_map_set(&tracks->thread_by_id, id, (int32_t)tracks->thread_count);
    tracks->threads = arena_grow(tracks->arena, tracks->threads, tracks->thread_count,
                                 &tracks->thread_capacity, sizeof *tracks->threads);
    struct nsight_thread *thread = &tracks->threads[tracks->thread_count++];
    *thread = (struct nsight_thread){.id = id};
    for (int layer = 0; layer < THREAD_LAYER_COUNT; layer++)
        thread->lines[layer] = -1;
    return thread;
}

int32_t nsight_thread_line(struct nsight_tracks *tracks, struct nsight_thread *thread,
                           enum thread_layer layer)
{
    if (thread->lines[layer] < 0) {
        thread->lines[layer] = event_store_line(tracks->store);
        tracks->line_count++;
    }
    return thread->lines[layer];
}

/* ---- ops ------------------------------------------------------------------------------------- */

int32_t nsight_op_find(struct nsight_ops *ops, uint32_t name, uint32_t context, struct arena *arena)
{
    const int64_t key = (int64_t)context << 32 | name;
    int32_t known = id_map_find(&ops->by_key, key);
    if (known != ID_MAP_ABSENT)
        return known;
    id_map_set(&ops->by_key, key, (int32_t)ops->count);
    ops->items = arena_grow(arena, ops->items, ops->count, &ops->capacity, sizeof *ops->items);
    ops->items[ops->count] = (struct nsight_op){name, context};
    return (int32_t)ops->count++;
}
