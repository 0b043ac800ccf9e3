/* The keys of a policy file: which there are in each kind of section, and what each sets. Internal
 * to compare/. */
#ifndef COMPARE_POLICY_POLICY_KEYS_H
#define COMPARE_POLICY_POLICY_KEYS_H

#include "compare/policy/gate_policy.h"
#include "ops/runtime/conf.h"

#define POLICY_VERSION_KEY "policy_version"
#define POLICY_NO_LIMIT "none"

enum policy_target_kind { TARGET_TOP, TARGET_MEASURE, TARGET_WATCH, TARGET_PROVENANCE };

/* What the keys of a section are about. */
struct policy_target {
    enum policy_target_kind kind;
    const char *name; /* of the measure or watch; "" where there is none */
};

/* What a file says of a measure by itself. */
struct measure_given {
    bool limit_pct, limit_abs, action;
    const struct conf_entry *limit; /* the last number, for messages; NULL: none */
};

/* What is wrong with a file, in the order in which it was found. */
struct policy_faults {
    struct arena *arena;
    const char **items;
    size_t count, capacity;
};

/* Keeps a fault of the file and clears *err, so that the reading goes on; false when nothing is
 * kept (faults NULL) or the trouble is not the file's. */
bool policy_fault_keep(struct policy_faults *faults, struct err *err);

/* A policy while it is read. */
struct policy_draft {
    struct arena *arena;
    struct gate_policy policy;
    struct measure_given given[MEASURE_END];
    struct watched_op *watched;
    const struct conf_entry **places; /* of each watched op, for messages */
    size_t watched_capacity, place_capacity;
};

/* "measure", "watch", "provenance"; false: no such kind. */
bool policy_target_kind(const char *word, struct policy_target *ret_target);

/* Sets what the entry says. ERR_USAGE: unknown key (with a suggestion), value of the wrong kind or
 * out of range; ERR_LIMIT. */
bool policy_entry_apply(struct policy_draft *draft, const struct policy_target *target,
                        const struct conf_entry *entry, struct err *err);

/* Ends the reading: every watch has its limit, and every limit an action. ERR_USAGE, unless the
 * faults (may be NULL) keep it. */
bool policy_draft_close(struct policy_draft *draft, struct policy_faults *faults, struct err *err);

#endif
