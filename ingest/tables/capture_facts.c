/* What a host's file says of the capture that it is part of: who it is, and when it recorded.
 *
 * The profiler writes its window in ns since 1970 as stats of the plane `Task Environment`. Where
 * it does not, clocks of lines tell when they count from 1970 themselves. Ranks are no part of the
 * format; launchers that write them give these names.
 */
#include "ingest/source/source.h"
#include "ingest/tables/tables.h"
#include "ingest/wire/wire.h"
#include "ingest/xplane/xplane.h"

#include "ops/runtime/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* 2001-09-09: no clock that counts from a boot or a capture's start gets so far. */
static const double epoch_least_us = 1e15;

/* The first of these stats that any plane has as a whole number of `least` or more. */
static struct opt_i64 number_find(const struct profile *profile, const char *const *names,
                                  int64_t least)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        for (size_t i = 0; names[i] != NULL; i++) {
            const char *text;
            int64_t number;
            plane_stat_text(plane, plane_stat_find(plane, names[i]), profile->arena, &text);
            if (text != NULL && text_parse_i64(text, &number) && number >= least)
                return some_i64(number);
        }
    }
    return (struct opt_i64){0};
}

/* By the clock of the lines, when it counts from 1970. */
static struct opt_i64 clock_ns(struct opt_f64 time_us)
{
    bool known =
        time_us.set && time_us.value >= epoch_least_us && time_us.value < (double)INT64_MAX / 1e3;
    return known ? some_i64((int64_t)llround(time_us.value * 1e3)) : (struct opt_i64){0};
}

/* Field 5 of core_details, a message of numbers: the chip's number in the job, 0 when absent. */
static bool chip_number(ProtobufCBinaryData details, uint64_t *ret_number)
{
    enum { GLOBAL_CHIP_ID = 5 };
    const uint8_t *at = details.data, *end = details.data + details.len;
    *ret_number = 0;
    while (at < end) {
        uint64_t tag, value;
        at = varint_read(at, end, &tag);
        if (at == NULL || tag_type((uint32_t)tag) != WIRE_VARINT ||
            (at = varint_read(at, end, &value)) == NULL)
            return false;
        if (tag >> 3 == GLOBAL_CHIP_ID)
            *ret_number = value;
    }
    return details.len > 0;
}

/* Each chip once, as devices come. */
static struct string_list chips_find(const struct profile *profile)
{
    const char **chips = arena_array(profile->arena, const char *, profile->plane_count);
    size_t count = 0;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const XStat *stat = plane_stat_find(profile->planes[p].plane, "core_details");
        uint64_t number;
        if (stat == NULL || stat->value_case != XSTAT__VALUE_BYTES_VALUE ||
            !chip_number(stat->bytes_value, &number))
            continue;
        const char *text = arena_printf(profile->arena, "%" PRIu64, number);
        if (text_index(text, chips, count) == count)
            chips[count++] = text;
    }
    return (struct string_list){count == 0 ? NULL : chips, count};
}

/* The groups of processes that a plane tells, one after another with semicolons between. */
static struct string_list groups_find(const struct profile *profile)
{
    const char *text = NULL;
    for (size_t p = 0; p < profile->plane_count && text == NULL; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        plane_stat_text(plane, plane_stat_find(plane, "process_groups"), profile->arena, &text);
    }
    size_t count = text == NULL ? 0 : 1;
    for (const char *at = text; at != NULL && (at = strchr(at, ';')) != NULL; at++)
        count++;
    const char **groups = arena_array(profile->arena, const char *, count);
    for (size_t i = 0; i < count; i++) {
        const size_t length = strcspn(text, ";");
        groups[i] = arena_strndup(profile->arena, text, length);
        text += length + 1;
    }
    return (struct string_list){count == 0 ? NULL : groups, count};
}

void capture_build(struct profile *profile, struct summary *summary)
{
    static const char *const begins[] = {"profile_start_time", NULL};
    static const char *const ends[] = {"profile_stop_time", NULL};
    static const char *const ranks[] = {"process_index", "process_id", "task_id", NULL};
    static const char *const counts[] = {"process_count", "num_processes", "task_count", NULL};
    const struct trace_overview *overview = &summary->trace_overview;
    struct capture_host *host = arena_new(profile->arena, struct capture_host);
    const struct file_place place = file_place_of(profile->files->files[0], profile->arena);
    *host = (struct capture_host){
        .host = summary->sources[0].host,
        .sha256 = summary->sources[0].sha256,
        .base_ns = profile->spaces[0].base_ns,
        .begin_ns = number_find(profile, begins, 1),
        .end_ns = number_find(profile, ends, 1),
        .process = number_find(profile, ranks, 0),
        .process_count = number_find(profile, counts, 1),
        .chips = chips_find(profile),
        .groups = groups_find(profile),
    };
    if (!host->process.set)
        host->process = place.process;
    if (!host->begin_ns.set || !host->end_ns.set || host->end_ns.value < host->begin_ns.value) {
        host->begin_ns = clock_ns(overview->profile_start_ts);
        host->end_ns = clock_ns(overview->profile_end_ts);
    }
    summary->capture = (struct capture){.hosts = host, .host_count = 1};
    summary->has_capture = true;
}
