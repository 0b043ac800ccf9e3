/* Stats: the named values of planes, event metadata and events, and what the reader takes from
 * them.
 *
 * A stat arrives with a number; its name makes it one of the kinds below or of no interest. Event
 * stats override those of the metadata by name (profile_summary.v1 §3); types are kept, because the
 * rules ask for them: a number never counts as a text.
 */
#ifndef INGEST_XPLANE_STAT_H
#define INGEST_XPLANE_STAT_H

#include "schema/documents/optional.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds whose values make ops distinct: on an event they make another op of its metadata. */
#define STAT_OP_KINDS(X) \
    X(LONG_NAME, "long_name") \
    X(TF_OP, "tf_op") \
    X(NAME, "name") \
    X(SOURCE, "source") \
    X(SOURCE_FILE, "source_file") \
    X(FILE_NAME, "file_name") \
    X(HLO_CATEGORY, "hlo_category") \
    X(HLO_OP, "hlo_op") \
    X(HLO_MODULE, "hlo_module") \
    X(PROGRAM_ID, "program_id") \
    X(FLOPS, "flops") \
    X(MODEL_FLOPS, "model_flops") \
    X(BYTES_ACCESSED, "bytes_accessed")

/* Kinds that make ops distinct as well, but only for who asks how kernels were launched
 * (plane_ops_ask_launches): all others take an op for the same, however it was launched. */
#define STAT_LAUNCH_KINDS(X) \
    X(KERNEL_DETAILS, "kernel_details") \
    X(MEMCPY_DETAILS, "memcpy_details") \
    X(MEMSET_DETAILS, "memset_details") \
    X(ANNOTATION, "annotation")

/* Kinds that differ from event to event. */
#define STAT_EVENT_KINDS(X) \
    X(RUN_ID, "run_id") \
    X(STEP_NUM, "step_num") \
    X(STEP, "step") \
    X(ROOT, "_r") \
    X(CORRELATION, "correlation_id")

enum stat_kind {
#define STAT_KIND_MEMBER(kind, name) STAT_##kind,
    STAT_OP_KINDS(STAT_KIND_MEMBER) STAT_LAUNCH_KINDS(STAT_KIND_MEMBER) STAT_OP_KIND_COUNT,
    STAT_EVENT_KINDS_BEGIN = STAT_OP_KIND_COUNT - 1,
    STAT_EVENT_KINDS(STAT_KIND_MEMBER)
#undef STAT_KIND_MEMBER
        STAT_KIND_COUNT,
    STAT_OTHER = STAT_KIND_COUNT
};

enum stat_type { STAT_UNSET, STAT_TEXT, STAT_INT, STAT_UINT, STAT_DOUBLE };

struct stat_value {
    enum stat_type type;
    const char *text; /* STAT_TEXT; not NUL-terminated */
    size_t length;
    union {
        int64_t signed_value;
        uint64_t unsigned_value;
        double double_value;
    };
};

/* The kind that a stat's name stands for, STAT_OTHER for all others; those of launches only for who
 * asks. */
enum stat_kind stat_kind_of(const char *name);
enum stat_kind stat_launch_kind_of(const char *name);

/* What an event of a device says of itself by the device's clock. */
enum device_time { DEVICE_TIME_NONE, DEVICE_OFFSET, DEVICE_DURATION, DEVICE_TIME_COUNT };

/* Which of them a stat's name stands for. */
enum device_time stat_device_time_of(const char *name);

/* true when the value is a text that is not empty. */
static inline bool stat_has_text(const struct stat_value *value)
{
    return value->type == STAT_TEXT && value->length > 0;
}

/* The value as a number, whatever its type; false for texts and unset values. */
bool stat_number(const struct stat_value *value, double *ret_number);

/* Python's int(value) where that fits int64: integers, floats truncated, texts that read as
 * integers. */
struct opt_i64 stat_integer(const struct stat_value *value);

/* true for NaN and the infinities. */
bool stat_not_finite(const struct stat_value *value);

#endif
