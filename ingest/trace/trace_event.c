#include "ingest/trace/trace_event.h"

#include <string.h>

_Static_assert((int)TRACE_VALUES <= 64, "a bit for each value");

enum { LENGTHS = 21 }; /* of names that are looked for, and one more */

struct named {
    const char *text;
    enum trace_member member;
};

/* By length of the name, ended by a zero: few have the same. */
static const struct named members[LENGTHS][5] = {
    [2] = {{"ph", TRACE_PH}, {"ts", TRACE_TS}},
    [3] = {{"pid", TRACE_PID}, {"tid", TRACE_TID}, {"dur", TRACE_DUR}, {"cat", TRACE_CAT}},
    [4] = {{"name", TRACE_NAME}},
};
static const struct named args[LENGTHS][5] = {
    [4] = {{"name", TRACE_ARG_NAME}, {"grid", TRACE_GRID}, {"Rank", TRACE_GROUP_RANK}},
    [5] = {{"tf_op", TRACE_TF_OP},
           {"flops", TRACE_FLOPS},
           {"block", TRACE_BLOCK},
           {"bytes", TRACE_BYTES}},
    [6] = {{"source", TRACE_SOURCE},
           {"run_id", TRACE_RUN_ID},
           {"labels", TRACE_LABELS},
           {"hlo_op", TRACE_HLO_OP}},
    [8] = {{"step_num", TRACE_STEP_NUM}, {"group_id", TRACE_GROUP}},
    [9] = {{"long_name", TRACE_LONG_NAME}, {"step_name", TRACE_STEP_NAME}},
    [10] = {{"hlo_module", TRACE_HLO_MODULE}, {"program_id", TRACE_PROGRAM_ID}},
    [11] = {{"model_flops", TRACE_MODEL_FLOPS},
            {"correlation", TRACE_CORRELATION},
            {"External id", TRACE_EXTERNAL},
            {"external id", TRACE_EXTERNAL}},
    [12] = {{"hlo_category", TRACE_HLO_CATEGORY}},
    [13] = {{"shared memory", TRACE_SHARED}},
    [14] = {{"correlation_id", TRACE_CORRELATION_ID}, {"bytes_accessed", TRACE_BYTES_ACCESSED}},
    [19] = {{"Process Group Ranks", TRACE_GROUP_RANKS}},
    [20] = {{"registers per thread", TRACE_REGISTERS}},
};

static enum trace_member member_of(const struct named table[LENGTHS][5], const struct token *name)
{
    if (name->length >= LENGTHS)
        return TRACE_VALUES;
    for (const struct named *row = table[name->length]; row->text != NULL; row++) {
        if (memcmp(row->text, name->start, name->length) == 0)
            return row->member;
    }
    return TRACE_VALUES;
}

static bool is_null(const struct token *value)
{
    return value->kind == TOKEN_WORD && token_is(value, "null");
}

static void value_set(struct trace_event *event, enum trace_member member,
                      const struct token *value)
{
    const uint64_t bit = (uint64_t)1 << member;
    event->values[member] = *value;
    event->has = is_null(value) ? event->has & ~bit : event->has | bit;
}

/* The members of `args`, from behind its brace. */
static bool args_scan(struct json_scan *scan, struct trace_event *event)
{
    for (;;) {
        struct token name, value;
        bool any;
        if (!scan_name(scan, &name, &any))
            return false;
        if (!any)
            return true;
        if (!scan_value(scan, &value) || !scan_comma(scan))
            return false;
        enum trace_member member = member_of(args, &name);
        if (member != TRACE_VALUES)
            value_set(event, member, &value);
    }
}

static bool member_scan(struct json_scan *scan, const struct token *name, struct trace_event *event)
{
    struct token value;
    if (!scan_blanks(scan))
        return false;
    bool is_args = token_is(name, "args");
    if (is_args && *scan->p == '{') {
        scan->p++;
        return args_scan(scan, event);
    }
    if (!scan_value(scan, &value))
        return false;
    event->is_odd = event->is_odd || (is_args && !is_null(&value));
    enum trace_member member = member_of(members, name);
    if (member != TRACE_VALUES)
        value_set(event, member, &value);
    return true;
}

bool trace_event_scan(struct json_scan *scan, struct trace_event *ret_event)
{
    struct token name;
    bool any;
    ret_event->has = 0;
    ret_event->is_odd = false;
    if (!scan_blanks(scan))
        return false;
    ret_event->is_object = *scan->p == '{';
    if (!ret_event->is_object)
        return scan_value(scan, &name);
    scan->p++;
    for (;;) {
        if (!scan_name(scan, &name, &any))
            return false;
        if (!any)
            return true;
        if (!member_scan(scan, &name, ret_event) || !scan_comma(scan))
            return false;
    }
}

enum stat_kind trace_stat(enum trace_member arg)
{
    static const enum stat_kind kinds[TRACE_VALUES] = {
#define TRACE_STAT(name, text, stat) [TRACE_##name] = stat,
        TRACE_OP_ARGS(TRACE_STAT) TRACE_EVENT_ARGS(TRACE_STAT) TRACE_OTHER_ARGS(TRACE_STAT)
#undef TRACE_STAT
    };
    return kinds[arg];
}
