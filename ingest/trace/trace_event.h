/* One item of `traceEvents`, as it lies in the window: the members that are of interest.
 */
#ifndef INGEST_TRACE_TRACE_EVENT_H
#define INGEST_TRACE_TRACE_EVENT_H

#include "ingest/trace/json_scan.h"
#include "ingest/xplane/xplane.h"

#define TRACE_MEMBERS(X) \
    X(PH, "ph") X(NAME, "name") X(PID, "pid") X(TID, "tid") X(TS, "ts") X(DUR, "dur") X(CAT, "cat")

/* X(name, text, kind of stat): those of an op come first. */
#define TRACE_OP_ARGS(X) \
    X(ARG_NAME, "name", STAT_NAME) \
    X(TF_OP, "tf_op", STAT_TF_OP) \
    X(LONG_NAME, "long_name", STAT_LONG_NAME) \
    X(SOURCE, "source", STAT_SOURCE) \
    X(HLO_CATEGORY, "hlo_category", STAT_HLO_CATEGORY) \
    X(HLO_OP, "hlo_op", STAT_HLO_OP) \
    X(HLO_MODULE, "hlo_module", STAT_HLO_MODULE) \
    X(PROGRAM_ID, "program_id", STAT_PROGRAM_ID) \
    X(MODEL_FLOPS, "model_flops", STAT_MODEL_FLOPS) \
    X(FLOPS, "flops", STAT_FLOPS) \
    X(BYTES_ACCESSED, "bytes_accessed", STAT_BYTES_ACCESSED)

#define TRACE_EVENT_ARGS(X) \
    X(RUN_ID, "run_id", STAT_RUN_ID) \
    X(STEP_NUM, "step_num", STAT_STEP_NUM) \
    X(CORRELATION_ID, "correlation_id", STAT_CORRELATION) \
    X(CORRELATION, "correlation", STAT_CORRELATION)

/* Of metadata, of what groups a step, and of launches. */
#define TRACE_OTHER_ARGS(X) \
    X(LABELS, "labels", STAT_OTHER) \
    X(STEP_NAME, "step_name", STAT_OTHER) \
    X(GROUP, "group_id", STAT_OTHER) \
    X(GRID, "grid", STAT_OTHER) \
    X(BLOCK, "block", STAT_OTHER) \
    X(REGISTERS, "registers per thread", STAT_OTHER) \
    X(SHARED, "shared memory", STAT_OTHER) \
    X(BYTES, "bytes", STAT_OTHER) \
    X(EXTERNAL, "External id", STAT_OTHER) \
    X(GROUP_RANKS, "Process Group Ranks", STAT_OTHER) \
    X(GROUP_RANK, "Rank", STAT_OTHER)

enum trace_member {
#define TRACE_MEMBER(name, text) TRACE_##name,
    TRACE_MEMBERS(TRACE_MEMBER)
#undef TRACE_MEMBER
        TRACE_ARGS_BEGIN,
    TRACE_BEFORE_ARGS = TRACE_ARGS_BEGIN - 1,
#define TRACE_ARG(name, text, stat) TRACE_##name,
    TRACE_OP_ARGS(TRACE_ARG) TRACE_OP_ARGS_END,
    TRACE_BEFORE_EVENT_ARGS = TRACE_OP_ARGS_END - 1,
    TRACE_EVENT_ARGS(TRACE_ARG) TRACE_EVENT_ARGS_END,
    TRACE_BEFORE_OTHER_ARGS = TRACE_EVENT_ARGS_END - 1,
    TRACE_OTHER_ARGS(TRACE_ARG)
#undef TRACE_ARG
        TRACE_VALUES
};

struct trace_event {
    uint64_t has;   /* bits of the values that are there and not null */
    bool is_object; /* else nothing is known of it */
    bool is_odd;    /* args that are no object */
    struct token values[TRACE_VALUES];
};

/* Takes the next item of the array. */
bool trace_event_scan(struct json_scan *scan, struct trace_event *ret_event);

static inline bool trace_has(const struct trace_event *event, enum trace_member member)
{
    return event->has >> member & 1;
}

/* The kind of stat that an argument stands for. */
enum stat_kind trace_stat(enum trace_member arg);

#endif
