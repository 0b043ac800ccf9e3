/* An op of a profile as tables of ops have it, and what its events add up to.
 */
#ifndef INGEST_OP_TABLES_OP_ITEM_H
#define INGEST_OP_TABLES_OP_ITEM_H

#include "ingest/hlo/hlo.h"
#include "ingest/xplane/xplane.h"

/* What an op's events add up to, over devices. Numbers are absent when no source tells them. */
struct op_sums {
    int64_t count, total_ps, self_ps;
    struct opt_f64 flops, model_flops, bytes_accessed;
    struct opt_f64 traffic[MEMORY_KINDS]; /* all of them, by memory; that of HBM whatever the rest
                                             is: all where no source parts them */
    int64_t flops_untold_ps, bytes_untold_ps; /* own time of ops that may do more which nobody
                                                 tells */
};

/* What the program's own text tells of a run of an op. */
struct op_run {
    struct opt_f64 flops, bytes;
    int64_t group_count, group_size; /* of a collective; 0: not told */
};

struct op_item {
    const char *name;          /* as shown */
    const char *program;       /* module; NULL when unknown */
    struct opt_i64 program_id; /* bits of an unsigned number */
    const char *category, *opcode, *shapes, *op_path, *phase, *source_file; /* may be NULL */
    const char *collective;   /* its kind; NULL: it exchanges nothing with other devices */
    const char *instruction;  /* its name in the program; NULL: nothing says it */
    const char *device_class; /* what its kernels do, whatever programs say; static */
    bool asynchronous;        /* in flight beside others: never added to busy time */
    bool is_kernel;           /* of a GPU: it may run beside others */
    bool container;           /* holds other ops, whose work its numbers hold again */
    bool joined;              /* the program's own text has told more of it … */
    const struct op_run *run; /* … and this; one that tells nothing where no text was found */
    struct op_sums sums;
    int64_t steady_count, steady_self_ps; /* of that, in steady steps */
};

/* Ends an op whose numbers are all there: 0 of a custom call (as of Pallas) is nothing told, and
 * what nobody tells is counted as such. */
void op_item_settle(struct op_item *item);

/* Whether it may do work that nobody tells: nothing says its operations, or they are 0 of a custom
 * call. Copies and what exchanges data do none. */
bool op_hides_work(const struct op_item *item);

/* What an op adds to those of several: of one that holds others its own time alone; of the start of
 * an asynchronous one all but its work, which its end has, too. */
struct op_sums op_own_sums(const struct op_item *item);

/* Of that, what it does in its own time: ends of what goes on beside others move no bytes then. */
struct op_sums op_timed_sums(const struct op_item *item);

/* Adds what is known of the same thing; a number that only one of them has is that one's. */
void op_sums_add(struct op_sums *sums, const struct op_sums *more);

/* Without the numbers that ops of more than half of the own time do not tell: what the others do
 * would pass for what all of them do. */
struct op_sums op_sums_told(const struct op_sums *sums);

#endif
