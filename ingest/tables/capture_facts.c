/* What a host's file says of the capture that it is part of: who it is, and when it recorded.
 *
 * The profiler writes its window in ns since 1970 as stats of the plane `Task Environment`. Where
 * it does not, clocks of lines tell when they count from 1970 themselves. Ranks are no part of the
 * format; launchers that write them give these names.
 */
#include "ingest/source/source.h"
#include "ingest/tables/tables.h"
#include "ingest/xplane/xplane.h"

#include "ops/runtime/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* 2001-09-09: no clock that counts from a boot or a capture's start gets so far. */
static const double epoch_least_us = 1e15;

/* The first of these stats that any plane has as a whole number of `least` or more. */
static bool number_find(const struct profile *profile, const char *const *names, int64_t least,
                        struct opt_i64 *ret_number)
{
    *ret_number = (struct opt_i64){0};
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        for (size_t i = 0; names[i] != NULL; i++) {
            const char *text;
            int64_t number;
            if (!plane_stat_text(plane, plane_stat_find(plane, names[i]), profile->arena, &text))
                return false;
            if (text == NULL || !text_parse_i64(text, &number) || number < least)
                continue;
            *ret_number = some_i64(number);
            return true;
        }
    }
    return true;
}

/* By the clock of the lines, when it counts from 1970. */
static struct opt_i64 clock_ns(struct opt_f64 time_us)
{
    bool known =
        time_us.set && time_us.value >= epoch_least_us && time_us.value < (double)INT64_MAX / 1e3;
    return known ? some_i64((int64_t)llround(time_us.value * 1e3)) : (struct opt_i64){0};
}

static bool varint_take(const uint8_t **at, const uint8_t *end, uint64_t *ret_value)
{
    enum { VALUE_BITS = 7, MOST_BYTES = 10 };
    *ret_value = 0;
    for (int i = 0; i < MOST_BYTES && *at < end; i++) {
        uint8_t byte = *(*at)++;
        *ret_value |= (uint64_t)(byte & 0x7f) << (VALUE_BITS * i);
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* Field 5 of core_details, a message of numbers: the chip's number in the job, 0 when absent. */
static bool chip_number(ProtobufCBinaryData details, uint64_t *ret_number)
{
    enum { GLOBAL_CHIP_ID = 5, VARINT = 0 };
    const uint8_t *at = details.data, *end = details.data + details.len;
    *ret_number = 0;
    while (at < end) {
        uint64_t field, value;
        if (!varint_take(&at, end, &field) || (field & 7) != VARINT ||
            !varint_take(&at, end, &value))
            return false;
        if (field >> 3 == GLOBAL_CHIP_ID)
            *ret_number = value;
    }
    return details.len > 0;
}

/* Each chip once, as devices come. */
static bool chips_find(const struct profile *profile, struct string_list *ret_chips)
{
    const char **chips = arena_array(profile->arena, const char *, profile->plane_count);
    size_t count = 0;
    if (chips == NULL)
        return false;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const XStat *stat = plane_stat_find(profile->planes[p].plane, "core_details");
        uint64_t number;
        if (stat == NULL || stat->value_case != XSTAT__VALUE_BYTES_VALUE ||
            !chip_number(stat->bytes_value, &number))
            continue;
        const char *text = arena_printf(profile->arena, "%" PRIu64, number);
        size_t known = 0;
        while (text != NULL && known < count && strcmp(chips[known], text) != 0)
            known++;
        if (text == NULL)
            return false;
        if (known == count)
            chips[count++] = text;
    }
    *ret_chips = (struct string_list){count == 0 ? NULL : chips, count};
    return true;
}

/* The groups of processes that a plane tells, one after another with semicolons between. */
static bool groups_find(const struct profile *profile, struct string_list *ret_groups)
{
    const char *text = NULL;
    for (size_t p = 0; p < profile->plane_count && text == NULL; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        if (!plane_stat_text(plane, plane_stat_find(plane, "process_groups"), profile->arena,
                             &text))
            return false;
    }
    size_t count = text == NULL ? 0 : 1;
    for (const char *at = text; at != NULL && (at = strchr(at, ';')) != NULL; at++)
        count++;
    const char **groups = arena_array(profile->arena, const char *, count);
    if (groups == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strcspn(text, ";");
        groups[i] = arena_strndup(profile->arena, text, length);
        if (groups[i] == NULL)
            return false;
        text += length + 1;
    }
    *ret_groups = (struct string_list){count == 0 ? NULL : groups, count};
    return true;
}

bool capture_build(struct profile *profile, struct summary *summary, struct err *err)
{
    static const char *const begins[] = {"profile_start_time", NULL};
    static const char *const ends[] = {"profile_stop_time", NULL};
    static const char *const ranks[] = {"process_index", "process_id", "task_id", NULL};
    static const char *const counts[] = {"process_count", "num_processes", "task_count", NULL};
    const struct trace_overview *overview = &summary->trace_overview;
    struct capture_host *host = arena_new(profile->arena, struct capture_host);
    struct file_place place;
    if (host == NULL || !number_find(profile, begins, 1, &host->begin_ns) ||
        !number_find(profile, ends, 1, &host->end_ns) ||
        !number_find(profile, ranks, 0, &host->process) ||
        !number_find(profile, counts, 1, &host->process_count) ||
        !chips_find(profile, &host->chips) || !groups_find(profile, &host->groups))
        return arena_failed(profile->arena, "the capture", err);
    if (!file_place_of(profile->files->files[0], profile->arena, &place, err))
        return false;
    host->host = summary->sources[0].host;
    host->sha256 = summary->sources[0].sha256;
    host->base_ns = profile->spaces[0].base_ns;
    if (!host->process.set)
        host->process = place.process;
    if (!host->begin_ns.set || !host->end_ns.set || host->end_ns.value < host->begin_ns.value) {
        host->begin_ns = clock_ns(overview->profile_start_ts);
        host->end_ns = clock_ns(overview->profile_end_ts);
    }
    summary->capture = (struct capture){.hosts = host, .host_count = 1};
    summary->has_capture = true;
    return true;
}
