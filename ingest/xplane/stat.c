/* Kinds by name, and the conversions that the rules of §3 ask for. */
#include "ingest/xplane/stat.h"

#include "ops/runtime/text.h"

#include <math.h>
#include <string.h>

struct kind_name {
    const char *name;
    enum stat_kind kind;
};
#define STAT_KIND_ROW(kind, name) {name, STAT_##kind},

static enum stat_kind kind_find(const struct kind_name *kinds, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(kinds[i].name, name) == 0)
            return kinds[i].kind;
    }
    return STAT_OTHER;
}

enum stat_kind stat_kind_of(const char *name)
{
    static const struct kind_name kinds[] = {STAT_OP_KINDS(STAT_KIND_ROW)
                                                 STAT_EVENT_KINDS(STAT_KIND_ROW)};
    return kind_find(kinds, sizeof kinds / sizeof kinds[0], name);
}

enum stat_kind stat_launch_kind_of(const char *name)
{
    static const struct kind_name kinds[] = {STAT_LAUNCH_KINDS(STAT_KIND_ROW)};
    return kind_find(kinds, sizeof kinds / sizeof kinds[0], name);
}

enum device_time stat_device_time_of(const char *name)
{
    if (strcmp(name, "device_offset_ps") == 0)
        return DEVICE_OFFSET;
    return strcmp(name, "device_duration_ps") == 0 ? DEVICE_DURATION : DEVICE_TIME_NONE;
}

bool stat_number(const struct stat_value *value, double *ret_number)
{
    switch (value->type) {
    case STAT_INT:
        *ret_number = (double)value->signed_value;
        return true;
    case STAT_UINT:
        *ret_number = (double)value->unsigned_value;
        return true;
    case STAT_DOUBLE:
        *ret_number = value->double_value;
        return true;
    default:
        return false;
    }
}

static struct opt_i64 truncated(double value)
{
    const double beyond = 9223372036854775808.0; /* 2^63 */
    if (!(value > -beyond && value < beyond))
        return (struct opt_i64){0};
    return some_i64((int64_t)value);
}

struct opt_i64 stat_integer(const struct stat_value *value)
{
    int64_t number;
    switch (value->type) {
    case STAT_INT:
        return some_i64(value->signed_value);
    case STAT_UINT:
        if (value->unsigned_value <= INT64_MAX)
            return some_i64((int64_t)value->unsigned_value);
        break;
    case STAT_DOUBLE:
        return truncated(value->double_value);
    case STAT_TEXT:
        if (text_python_int(value->text, value->length, &number))
            return some_i64(number);
        break;
    case STAT_UNSET:
        break;
    }
    return (struct opt_i64){0};
}

bool stat_not_finite(const struct stat_value *value)
{
    return value->type == STAT_DOUBLE && !isfinite(value->double_value);
}
