/* Processes and threads of a trace: who they are by their ids, and what metadata says of them.
 *
 * An id is a number, or a text where the writer had none; a text gets a number of its own below 0.
 * PyTorch tells GPUs by their numbers where it tells the program by its own: process 1 of a
 * container has the number of GPU 1. So a pid has two sides, which are told by what events are.
 */
#ifndef INGEST_TRACE_TRACE_TRACKS_H
#define INGEST_TRACE_TRACE_TRACKS_H

#include "ingest/trace/trace_ops.h"

/* Events that lie beside those of a thread: marks on a device's stream that are no work of it. */
enum trace_layer { LAYER_WORK, LAYER_MARKS, LAYER_COUNT };

/* What a pid is of. All of writers without categories is SIDE_HOST: names tell. */
enum trace_side { SIDE_HOST, SIDE_DEVICE, SIDE_COUNT };

struct open_begin;

struct trace_thread {
    int64_t tid;
    const char *name;             /* NULL: nobody says */
    int32_t lines[LAYER_COUNT];   /* in the store; -1 = no events */
    uint32_t places[LAYER_COUNT]; /* of the lines among those of the process */
    struct open_begin *open;      /* begins of events, the innermost last */
    size_t open_count, open_capacity;
    int64_t open_beyond; /* more of them, which are not kept */
};

struct trace_process {
    int64_t pid;
    enum trace_side side;
    const char *name, *labels; /* NULL: nobody says */
    struct trace_thread *threads;
    size_t thread_count, thread_capacity;
    struct id_map thread_by_tid;
    uint32_t line_count;
    uint32_t place;       /* among the processes that have events */
    struct byte_keys ops; /* their texts: the name and the arguments, each behind what it is */
    const struct id_map *step_by_group; /* NULL: no event of the trace has one */
    const struct fact_stat *facts;      /* what is told of its plane */
    size_t fact_count;
};

struct trace_tracks {
    struct arena *arena;
    struct catalog *catalog;
    struct trace_process *processes;
    size_t process_count, process_capacity;
    struct id_map process_by_pid[SIDE_COUNT];
    uint32_t used_processes;
    int64_t thread_count, line_count;
    int64_t named_processes, named_threads;
};

/* No processes yet. */
void trace_tracks_init(struct trace_tracks *tracks, struct catalog *catalog, struct arena *arena);

/* The number that an id is told by: itself, or one for its text. false when it is neither, or below
 * 0; ret_text tells of texts. */
bool trace_id(struct trace_tracks *tracks, const struct token *value, int64_t *ret_id,
              bool *ret_text);

/* One side of a pid, made when it is new. Pointers last until the next new one. */
struct trace_process *trace_process_of(struct trace_tracks *tracks, int64_t pid,
                                       enum trace_side side);

/* Gives sides without a name or labels those of the other side of their pid: labels only where that
 * has no events. Once all is read. */
void trace_tracks_name(struct trace_tracks *tracks);

/* The same of a thread. */
struct trace_thread *trace_thread_of(struct trace_tracks *tracks, struct trace_process *process,
                                     int64_t tid);

#endif
