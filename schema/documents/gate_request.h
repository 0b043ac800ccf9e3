/* What a verdict was made from: gate_request.v1. With the profiles and the policy that the ledger
 * holds it makes the verdict again, byte for byte; it keeps what the ledger would answer
 * differently later (which runs were the last ones, what a profile was called).
 */
#ifndef SCHEMA_DOCUMENTS_GATE_REQUEST_H
#define SCHEMA_DOCUMENTS_GATE_REQUEST_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "schema/documents/optional.h"
#include "schema/documents/record.h"

#include <jansson.h>

struct request_profile {
    const char *profile_id;                    /* "p12" */
    const char *run, *branch, *commit, *label; /* NULL = not known then */
    const char *known_as;   /* what the same bytes had been called before; NULL = nothing else */
    const char *ran_at_utc; /* NULL = recorded before runs stood by it */
    const char *recorded_at_utc; /* NULL = recorded before requests kept it: ordered by id */
    bool brief;                  /* its provenance, steps and measures alone took part */
};

struct request_side {
    struct request_profile *profiles; /* in the order in which they were given */
    size_t profile_count;
    const char *why;
};

struct gate_request {
    const char *schema_version; /* "gate_request.v1" */
    const char *project, *workload, *series;
    const char *created_at_utc;
    bool strict_provenance;
    bool paired;             /* the i-th run of each side, in the order given, is a pair */
    struct opt_i64 attempts; /* how often this change was judged; absent = no commit was given */
    struct string_list earlier_verdicts;            /* "v7 (fail)" */
    const char *first_failed, *first_failed_reason; /* "v7", and the sentence it failed by */
    struct string_list left_out; /* runs of the change that nobody judged: "p4" */
    struct string_list against;  /* what the baseline is: "branch main", "commit 0123abcd"; none:
                                    the profiles that were named */
    const char *same_commit;     /* of which both sides are; NULL: there is none */
    bool is_own_past;            /* and the branch that is the baseline has no other */
    struct request_side baseline, candidate, history;
};

/* The table of its members, which the JSON schema is checked against. */
extern const struct record gate_request_record;

/* The JSON form; new reference. */
json_t *gate_request_to_json(const struct gate_request *request);

/* Reads what gate_request_to_json wrote. name is for messages. ERR_INPUT, ERR_LIMIT. */
bool gate_request_from_json(const json_t *root, const char *name, struct arena *arena,
                            struct gate_request *ret_request, struct err *err);

#endif
