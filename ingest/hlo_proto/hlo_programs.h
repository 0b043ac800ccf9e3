/* The programs that a file holds, or that lie beside it in files of their own, read when somebody
 * asks for one.
 */
#ifndef INGEST_HLO_PROTO_HLO_PROGRAMS_H
#define INGEST_HLO_PROTO_HLO_PROGRAMS_H

#include "ingest/hlo_proto/hlo_buffers.h"
#include "ingest/hlo_proto/hlo_module.h"
#include "schema/documents/summary.h"

struct stored_program {
    uint64_t id;
    int64_t begin, end; /* in the file … */
    const char *path;   /* … or that of its own; NULL: it has none */
    bool was_read, is_broken;
};

struct hlo_programs {
    struct arena *arena;
    struct arena held; /* the module that was asked for last, and nothing else */
    struct hlo_module module;
    const struct stored_program *of; /* whose it is; NULL: there is none */
    struct cursor cursor;
    struct stored_program *items; /* of equal ids the first counts */
    size_t count, capacity;
    struct id_map by_id;
    size_t broken_count; /* of those that were asked for */
    size_t beside_count; /* of those that were read, from files of their own */
    int64_t bytes_most;  /* that are read; 0: whatever there is. Programs beyond it are as if they
                            were not there */
    int64_t bytes_read;
    bool bytes_over;
};

struct profile;
/* Finds the programs of an open profile; reads none. */
bool hlo_programs_open(struct profile *profile, struct arena *arena,
                       struct hlo_programs *ret_programs, struct err *err);
/* Closes them, a zeroed struct too. */
void hlo_programs_done(struct hlo_programs *programs);

/* The program of that id; *ret_module is NULL when there is none, or a broken one. One of a file of
 * its own has to have that name, too. Until the next one is asked for: who asks for many goes by
 * program, so that memory is that of one. ERR_LIMIT beyond the budget. */
bool hlo_programs_find(struct hlo_programs *programs, uint64_t id, const char *name,
                       const struct hlo_module **ret_module, struct err *err);

/* What the program of that id needs of a device's memory, in the arena: nothing is known of it
 * where the file holds no such program, a broken one, one without a buffer assignment, or none that
 * the arena has room for. */
bool hlo_programs_memory(struct hlo_programs *programs, uint64_t id, const char *name,
                         struct arena *arena, struct hlo_memory *ret_memory, struct err *err);

/* The `count` largest of what was found there, each with what its instruction tells (nothing where
 * the program cannot be read), in the arena. ERR_LIMIT beyond the budget. */
bool hlo_programs_held(struct hlo_programs *programs, const struct hlo_memory *memory, size_t count,
                       struct arena *arena, struct program_buffer **ret_buffers, struct err *err);

#define scoped_hlo_programs __attribute__((cleanup(hlo_programs_done))) struct hlo_programs

#endif
