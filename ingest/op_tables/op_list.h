/* The ops of a profile one by one, as tables of them need: an op is a name in a program.
 *
 * It is filled while a profile is open, from what streaming has added up, of one host after the
 * other; or from the op rows of a summary, which are fewer: there an op is a signature. All of it
 * lies in the list's arena, but for texts where those of others are taken.
 */
#ifndef INGEST_OP_TABLES_OP_LIST_H
#define INGEST_OP_TABLES_OP_LIST_H

#include "ingest/lookup/lookup.h"
#include "ingest/op_tables/op_item.h"
#include "schema/documents/told_ops.h"

/* What one device spent on an op. */
struct op_share {
    uint32_t item, device;
    uint32_t kernel; /* text: several kernels may do the work of one op */
    int64_t count, total_ps, self_ps, steady_count;
};

struct op_list {
    struct arena *arena;
    struct strings *texts;
    struct byte_keys keys; /* what tells an item from all others, by its number */
    struct op_item *items;
    size_t count, capacity;
    struct op_share *shares;
    size_t share_count, share_capacity;
    uint32_t device_count;
    struct opt_f64 memory_peaks[MEMORY_KINDS]; /* bytes a second of on-chip memories, as the first
                                                  device tells them */
    bool asks_groups;           /* of collectives: which devices exchange, as programs tell it */
    size_t beside_programs;     /* that were read from files of their own */
    size_t broken_programs;     /* that were asked for what ops are, and could not be read */
    int64_t program_bytes_most; /* that are read for it; 0: all */
    bool program_bytes_over;    /* there were more */
};

/* Of programs, what is read at most for figures that nobody has asked a table for. */
enum { OP_PROGRAM_BYTES_MOST = 16 << 20 };

/* No ops yet. texts: where those of its ops are kept, which outlive the list, as of the one profile
 * whose ops it has; NULL: in the list's arena. */
void op_list_init(struct op_list *list, struct strings *texts, struct arena *arena);

struct profile;
/* Adds the ops of a profile whose lines were streamed; its devices follow those that the list has.
 * Programs of the file are read where they alone tell what an op is. ERR_LIMIT beyond the budget.
 */
bool op_list_collect(struct op_list *list, struct profile *profile, struct err *err);

/* Ends the list: an op ran as often as the kernel of it that ran most often, and where the profile
 * tells no work of it, a run is what its program tells. */
void op_list_finish(struct op_list *list);

/* Adds an op of the program, which may be unset: a row of a summary, or of what xprof stored. */
void op_list_add(struct op_list *list, const struct op_row *row, struct opt_i64 program_id,
                 bool is_kernel);

/* Adds the op rows of a summary, as programs told them where they were asked. */
void op_list_of_summary(struct op_list *list, const struct summary *summary);

/* The own time and the work of all ops that keep a device busy. */
struct op_sums op_list_total(const struct op_list *list);

/* From the first op to the last, of all devices together. */
int64_t summary_window_ps(const struct summary *summary);

/* How many operations the model asks for in steady steps, which MFU is made of
 * (schema/documents/figures.h): fills model_flops, own_ps, told_ps and model_flops_absent, of a
 * list that has ended. */
void model_work_measure(const struct op_list *ops, struct measured *measured);

#endif
