/* Why a step takes as long as it does: explanation.v1, one page for a person or an agent. */
#ifndef SCHEMA_DOCUMENTS_EXPLANATION_H
#define SCHEMA_DOCUMENTS_EXPLANATION_H

#include "schema/documents/record.h"

/* A part of the step. Those of one parent add up to it; so the leaves are the step. */
struct explained_part {
    const char *name;   /* "compute", "idle" … of compute: "forward", "backward" … */
    const char *parent; /* "step" or another part */
    double average_us;
    struct opt_f64 share; /* of the step */
};

struct explained_finding {
    const char *finding; /* a rule of the table `findings` */
    const char *evidence, *remedy;
    const char *op_name, *host;
    struct opt_f64 share, time_per_step_us;
    struct opt_i64 count;
};

struct explanation {
    const char *schema_version; /* "explanation.v1" */
    const char *profile;
    const char *step_method; /* "none": the parts are of all that the slowest device did */
    const char *device_type;
    int64_t step_count, steady_step_count;
    struct opt_i64 host_count, device_count; /* absent where tables that xprof made do not tell */
    struct opt_i64 left_host_count; /* whose steps are not known, and in no time; absent: none */
    const char *host_kind; /* what these are, "host" or "process"; NULL: a document without it */
    double step_us;        /* of steady steps, on the slowest device of each */
    struct opt_f64 step_median_us; /* the middle of these; absent without steps */
    double residual_us;            /* step - the parts of it */
    /* From the begin of a step to that of the next, of steps that another one follows; of that in
       no step, and what the device waits in it, for input or until its host has compiled; of that
       in no step. Absent without steps, or an event that tells. */
    struct opt_f64 period_us, between_us, input_wait_us, input_wait_between_us, input_wait_share;
    struct opt_f64 compile_wait_us, compile_wait_between_us;
    struct explained_part *parts;
    size_t part_count;
    struct explained_finding *findings; /* most of a step first */
    size_t finding_count;
    struct string_list unseen; /* what the profile could not tell, and why */
};

extern const struct record explanation_record;

/* The JSON form; new reference. */
json_t *explanation_to_json(const struct explanation *explanation);

#endif
