#include "ingest/trace/trace_tracks.h"

void trace_tracks_init(struct trace_tracks *tracks, struct catalog *catalog, struct arena *arena)
{
    *tracks = (struct trace_tracks){.arena = arena, .catalog = catalog};
    for (int side = 0; side < SIDE_COUNT; side++)
        id_map_init(&tracks->process_by_pid[side], arena);
}

bool trace_id(struct trace_tracks *tracks, const struct token *value, int64_t *ret_id,
              bool *ret_text)
{
    struct strings *strings = &tracks->catalog->strings;
    *ret_text = value->kind == TOKEN_STRING;
    if (!*ret_text)
        return token_integer(value, ret_id) && *ret_id >= 0;
    struct token plain = *value;
    plain.kind = TOKEN_NUMBER; /* a number in quotes is the number */
    if (token_integer(&plain, ret_id) && *ret_id >= 0)
        return true;
    *ret_id = -(int64_t)strings_add(strings, value->start, value->length);
    return true;
}

struct trace_process *trace_process_of(struct trace_tracks *tracks, int64_t pid,
                                       enum trace_side side)
{
    int32_t known = id_map_find(&tracks->process_by_pid[side], pid);
    if (known != ID_MAP_ABSENT)
        return &tracks->processes[known];
    id_map_set(&tracks->process_by_pid[side], pid, (int32_t)tracks->process_count);
    tracks->processes = arena_grow(tracks->arena, tracks->processes, tracks->process_count,
                                   &tracks->process_capacity, sizeof *tracks->processes);
    struct trace_process *process = &tracks->processes[tracks->process_count++];
    *process = (struct trace_process){.pid = pid, .side = side};
    id_map_init(&process->thread_by_tid, tracks->arena);
    return process;
}

void trace_tracks_name(struct trace_tracks *tracks)
{
    for (size_t i = 0; i < tracks->process_count; i++) {
        struct trace_process *process = &tracks->processes[i];
        const enum trace_side side = process->side == SIDE_HOST ? SIDE_DEVICE : SIDE_HOST;
        const int32_t at = id_map_find(&tracks->process_by_pid[side], process->pid);
        if (process->line_count == 0 || at == ID_MAP_ABSENT)
            continue;
        const struct trace_process *other = &tracks->processes[at];
        process->name = process->name != NULL ? process->name : other->name;
        if (process->labels == NULL && other->line_count == 0)
            process->labels = other->labels;
        for (size_t t = 0; t < process->thread_count; t++) {
            struct trace_thread *thread = &process->threads[t];
            const int32_t place = id_map_find(&other->thread_by_tid, thread->tid);
            if (thread->name == NULL && place != ID_MAP_ABSENT)
                thread->name = other->threads[place].name;
        }
    }
}

struct trace_thread *trace_thread_of(struct trace_tracks *tracks, struct trace_process *process,
                                     int64_t tid)
{
    int32_t known = id_map_find(&process->thread_by_tid, tid);
    if (known != ID_MAP_ABSENT)
        return &process->threads[known];
    id_map_set(&process->thread_by_tid, tid, (int32_t)process->thread_count);
    process->threads = arena_grow(tracks->arena, process->threads, process->thread_count,
                                  &process->thread_capacity, sizeof *process->threads);
    struct trace_thread *thread = &process->threads[process->thread_count++];
    *thread = (struct trace_thread){.tid = tid, .lines = {-1, -1}};
    tracks->thread_count++;
    return thread;
}
