/* Paths in, ledger entries out: what `ingest` does and `gate` does first.
 *
 * The files of all paths are read first, each alone; which of them are one capture is decided when
 * all have been seen.
 */
#ifndef OPS_FLOW_TAKE_IN_INTAKE_H
#define OPS_FLOW_TAKE_IN_INTAKE_H

#include "history/profiles/profiles.h"
#include "ops/flow/flow.h"
#include "ops/flow/take_in/host_reading.h"

struct intake_item {
    const char *path; /* absolute: so the ledger has it */
    size_t operand;   /* the number of the path, by calls of intake_collect, from 0 */
    bool stored;      /* stored or known already; false: failure says why */
    bool is_beside;   /* it failed, and what lies loose beside it stands for itself */
    struct profile_receipt receipt;
    const struct join_group *group;           /* of what is stored */
    struct string_list hosts, missing, notes; /* of the capture */
    struct err failure;
};

struct intake {
    struct flow flow; /* the items lie in its arena */
    struct profile_identity identity;
    struct reading reading;
    struct capture_set files;
    size_t operand_count;
    size_t *operands; /* by file of the set */
    size_t operands_capacity;
    struct intake_item *items;
    size_t count, capacity;
    size_t rejected_count;
    struct string_list notes; /* what was not joined, and why */
};

/* flow, identity and reading are set; intake_done accepts a zeroed intake. */
void intake_begin(struct intake *intake);
void intake_done(struct intake *intake);

/* Reads every profile below the path. What cannot be read becomes an item with its failure, with
 * the files that share its session; false only when going on makes no sense (disk full, bug,
 * memory). */
bool intake_collect(struct intake *intake, const char *path, struct err *err);

/* Joins what was read to captures and appends each. A capture that cannot be stored becomes an item
 * with its failure; false only when going on makes no sense (database away, disk full, bug,
 * memory), or when --capture names files that are no capture. */
bool intake_store(struct intake *intake, struct err *err);

/* Both of one path, from beginning to end: the intake need not be begun. */
bool intake_path(struct intake *intake, const char *path, struct err *err);

#endif
