/* The program whose launches, runs or calls are the steps of hosts that marked none: what takes
 * most time there, unless that is a long one that hardly repeats.
 *
 * Launches are told from what ops did in all: how often each ran, for how long. Ops are of programs
 * as they say themselves (hlo_module, program_id).
 */
#ifndef INGEST_STEPS_MAIN_PROGRAM_H
#define INGEST_STEPS_MAIN_PROGRAM_H

#include "ingest/timeline/timeline.h"

/* Which program the steps are of, by how long each ran and how often, counters with the same items:
 * what takes most time. Where that came once or twice it may be an evaluation among steps: then, of
 * those that came twice as often and more and took a tenth of its time, the one that takes most.
 * The first of equals; `absent` of none. */
int64_t main_name(const struct counter *totals, const struct counter *times, int64_t absent);

/* What an op of one plane did. */
struct op_use {
    int64_t count, total_ps;
    int64_t first_ps; /* its first start */
};

struct use_list {
    struct op_use *items; /* by op */
    size_t capacity;
};

struct program_use {
    struct op_program program;
    size_t space;
    int64_t count; /* of runs: of an op; once all are added how often the program was launched */
    int64_t total_ps;
};

struct use_by_program {
    struct program_use *items;
    size_t count, capacity;
};

/* Adds what the ops of a plane did to the programs they are of. */
void program_uses_add(struct use_by_program *list, const struct profile *profile,
                      const struct plane_state *state, const struct use_list *uses,
                      struct arena *arena);

/* By host (space), its main program, once all planes are added; NULL where none ran. */
const struct program_use **main_programs(const struct profile *profile, struct use_by_program *list,
                                         struct arena *arena);

/* How often a plane launched the program, 0 = never. */
int64_t program_launches(const struct plane_ops *ops, const struct use_list *uses,
                         const struct op_program *program, struct arena *arena);

/* The program's place among plane_ops.programs, 0 = it has none of its own. */
uint16_t program_place(const struct plane_ops *ops, const struct op_program *program);

#endif
