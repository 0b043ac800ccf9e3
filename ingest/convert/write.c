/* See convert.h. Times count from where those of the profile do, unless that is so far that a
 * double, which is what readers make of them, would not hold their picoseconds: then from the
 * smallest timestamp of a line, and a member behind the events says when that was. Ids of threads
 * are 32 bits in Perfetto: those of lines that do not fit, and those that are there already, are
 * others. */
#include "ingest/convert/convert.h"
#include "ingest/lines/lines.h"
#include "ingest/tables/tables.h"

#include <inttypes.h>
#include <string.h>

enum { BUFFER_BYTES = 64 * 1024, BUFFER_MAX_BYTES = 16 * 1024 * 1024 };

struct conversion {
    struct profile *profile;
    const struct cut *cut;
    struct convert_report *report;
    struct gzip_writer gzip;
    struct text out;
    bool any;          /* item */
    int64_t origin_ns; /* of its times, on the clock of the lines */
    int64_t base_ps;   /* of steps, since then */
    struct op_items ops;
};

static void conversion_done(struct conversion *conversion)
{
    gzip_writer_done(&conversion->gzip);
    text_done(&conversion->out);
    arena_done(&conversion->ops.arena);
}
#define scoped_conversion __attribute__((cleanup(conversion_done))) struct conversion

static bool out_flush(struct conversion *conversion, size_t least_bytes, struct err *err)
{
    struct text *out = &conversion->out;
    if (out->length < least_bytes)
        return true;
    if (!text_ok(out, "an event", err) ||
        !gzip_writer_add(&conversion->gzip, out->data, out->length, err))
        return false;
    out->length = 0;
    return true;
}

/* ---- items ----------------------------------------------------------------------------------- */

static void item_begin(struct conversion *conversion, const char *phase, int64_t pid, int64_t tid)
{
    struct text *out = &conversion->out;
    text_addf(out, "%s{\"ph\":\"%s\",\"pid\":%" PRId64, conversion->any ? ",\n" : "\n", phase, pid);
    if (tid >= 0)
        text_addf(out, ",\"tid\":%" PRId64, tid);
    conversion->any = true;
}

/* Metadata: how a process or a thread (tid >= 0) is called, and its place among the others. */
static void track_describe(struct conversion *conversion, int64_t pid, int64_t tid,
                           const char *name, int64_t place)
{
    struct text *out = &conversion->out;
    const char *what = tid < 0 ? "process" : "thread";
    if (name[0] != '\0') {
        item_begin(conversion, "M", pid, tid);
        text_addf(out, ",\"name\":\"%s_name\",\"args\":{\"name\":", what);
        json_text_add(out, name);
        text_add(out, "}}");
    }
    item_begin(conversion, "M", pid, tid);
    text_addf(out, ",\"name\":\"%s_sort_index\",\"args\":{\"sort_index\":%" PRId64 "}}", what,
              place);
}

/* Picoseconds as µs, with as many digits as it takes. */
static void time_add(struct text *out, __int128 ps)
{
    enum { US_PS = 1000000, US_DECIMALS = 6, MOST = 48 };
    char digits[MOST], *end = digits + sizeof digits, *p = end;
    unsigned __int128 left = ps < 0 ? -(unsigned __int128)ps : (unsigned __int128)ps;
    bool any = false;
    for (int place = 0; place < US_DECIMALS; place++, left /= 10) {
        char digit = (char)('0' + (int)(left % 10));
        any = any || digit != '0';
        if (any)
            *--p = digit;
    }
    if (any)
        *--p = '.';
    do
        *--p = (char)('0' + (int)(left % 10));
    while ((left /= 10) > 0);
    if (ps < 0)
        *--p = '-';
    text_addn(out, p, (size_t)(end - p));
}

static void times_add(struct text *out, __int128 start_ps, int64_t duration_ps)
{
    text_add(out, ",\"ts\":");
    time_add(out, start_ps);
    text_add(out, ",\"dur\":");
    time_add(out, duration_ps);
    text_addc(out, ',');
}

static void number_arg(struct text *out, bool *any, const char *name, int64_t value)
{
    text_addf(out, "%s\"%s\":", *any ? "," : "", name);
    text_add_i64(out, value);
    *any = true;
}

/* What an event says of itself. A step's number is `step_num` where it marks that step; of what
 * only belongs to a group of that number it is in `step_name`, as TensorFlow writes it. */
static void note_args(const struct catalog *catalog, const struct op *op,
                      const struct event_note *note, struct text *out, bool *any)
{
    if (note->run_id.set && note->run_id.text == STRING_NONE)
        number_arg(out, any, "run_id", note->run_id.number);
    if (note->run_id.set && note->run_id.text != STRING_NONE) {
        text_addf(out, "%s\"run_id\":", *any ? "," : "");
        json_text_add(out, catalog_text(catalog, note->run_id.text));
        *any = true;
    }
    if (note->correlation.set)
        number_arg(out, any, "correlation_id", note->correlation.value);
    if (note->step.set && (note->is_root || op->is_train))
        number_arg(out, any, "step_num", note->step.value);
    else if (note->step.set) {
        text_addf(out, "%s\"step_name\":\"step %" PRId64 "\"", *any ? "," : "", note->step.value);
        *any = true;
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* A line while it is written. */
struct line_conversion {
    struct plane_state *state;
    const struct xline *line;
    size_t plane; /* of the profile */
    int64_t tid;
    __int128 base_ps;     /* since the origin */
    bool has_ps;          /* it has a place in our picoseconds, and may be in a step … */
    int64_t step_base_ps; /* … since the profile's base */
    struct step_places places;
    struct line_reader reader;
};

static void line_conversion_done(struct line_conversion *of)
{
    line_reader_done(&of->reader);
}
#define scoped_line_conversion __attribute__((cleanup(line_conversion_done))) struct line_conversion

/* The step that the event is counted to, and whether it is in the cut. */
static bool event_is_in(const struct conversion *conversion, struct line_conversion *of,
                        size_t index, struct opt_i64 *ret_step)
{
    const struct cut *cut = conversion->cut;
    const struct event *event = &of->reader.batch->events[index];
    int64_t start;
    *ret_step = (struct opt_i64){0};
    if (!of->has_ps || __builtin_add_overflow(of->step_base_ps, event->offset_ps, &start))
        return !cut->by_steps;
    if (of->line->role != LINE_OPS || of->line->derived)
        return !cut->by_steps || cut_spans_hold(&cut->spans[of->plane], start);
    int32_t window = step_place(&of->places, &of->reader, index, start);
    if (window >= 0)
        *ret_step = some_i64(cut->windows[of->plane].items[window].number);
    return !cut->by_steps || (ret_step->set && cut_has_step(cut, ret_step->value));
}

static bool event_convert(struct conversion *conversion, struct line_conversion *of, size_t index,
                          struct err *err)
{
    struct text *out = &conversion->out;
    const struct event *event = &of->reader.batch->events[index];
    const struct event_note *note = line_reader_note(&of->reader, index);
    struct opt_i64 step;
    if (!event_is_in(conversion, of, index, &step)) {
        conversion->report->other_count++;
        return true;
    }
    item_begin(conversion, "X", of->state->plane->pid, of->tid);
    times_add(out, of->base_ps + event->offset_ps, event->duration_ps);
    bool any = op_item_add(&conversion->ops, event->op, out);
    if (step.set)
        number_arg(out, &any, "step", step.value);
    if (note != NULL)
        note_args(&conversion->profile->catalog, &of->reader.ops->ops[event->op], note, out, &any);
    text_add(out, "}}");
    conversion->report->event_count++;
    return out_flush(conversion, BUFFER_BYTES, err);
}

static bool line_convert(struct conversion *conversion, struct line_conversion *of, struct err *err)
{
    struct progress *progress = &conversion->profile->progress;
    struct convert_report *report = conversion->report;
    int64_t told = of->line->begin;
    of->base_ps = ((__int128)of->line->timestamp_ns - conversion->origin_ns) * 1000;
    of->has_ps = line_base_ps(of->state->plane->space, of->line, &of->step_base_ps);
    of->places = (struct step_places){.windows = &conversion->cut->windows[of->plane]};
    line_reader_open_device(&of->reader, of->state->plane, of->line);
    do {
        if (!line_reader_next(&of->reader, err))
            return false;
        progress_add(progress, line_reader_offset(&of->reader) - told);
        told = line_reader_offset(&of->reader);
        line_reader_take_ps(&of->reader);
        for (size_t i = 0; i < of->reader.count; i++) {
            if (!event_convert(conversion, of, i, err))
                return false;
        }
    } while (of->reader.count > 0);
    report->dropped_count +=
        of->reader.dropped.counter + of->reader.dropped.zero + of->reader.dropped.nameless;
    return true;
}

/* ---- planes ---------------------------------------------------------------------------------- */

/* A process, and what device it is, as its label: viewers show it behind the process's name. */
static void plane_describe(struct conversion *conversion, const struct xplane *plane)
{
    const char *source, *type = NULL;
    const char *host = cut_host(conversion->profile, plane->space), *name = plane->process;
    if (host != NULL)
        name = arena_printf(&conversion->ops.arena, "%s (%s)", plane->process, host);
    track_describe(conversion, plane->pid, -1, name, 2 * (int64_t)plane->pid);
    if (plane->is_device)
        type = plane_device_type(&conversion->ops.arena, plane, &source);
    if (type == NULL)
        return;
    item_begin(conversion, "M", plane->pid, -1);
    text_add(&conversion->out, ",\"name\":\"process_labels\",\"args\":{\"labels\":");
    json_text_add(&conversion->out, type);
    text_add(&conversion->out, "}}");
}

static bool plane_convert(struct conversion *conversion, size_t index, struct err *err)
{
    struct plane_state *state = &conversion->profile->planes[index];
    struct xplane *plane = state->plane;
    struct id_map tids;
    bool described = false;
    scoped_line_conversion of = {.state = state, .plane = index};
    if (cut_leaves_out(conversion->cut, state))
        return true;
    arena_done(&conversion->ops.arena);
    conversion->ops = (struct op_items){.ops = &plane->ops};
    arena_init_within(&conversion->ops.arena, conversion->profile->arena);
    id_map_init(&tids, &conversion->ops.arena);
    if (plane->is_device)
        plane_ops_ask_launches(&plane->ops);
    line_reader_init(&of.reader, plane->space, &conversion->profile->options->limits);
    for (size_t i = 0; i < plane->line_count; i++) {
        of.line = &plane->lines[i];
        if (!line_has_events(of.line))
            continue;
        if (!described)
            plane_describe(conversion, plane);
        described = true;
        /* the line's id where Perfetto can tell it, else the next that is free */
        uint32_t tid = (uint32_t)of.line->id;
        while (id_map_find(&tids, tid) != ID_MAP_ABSENT)
            tid++;
        id_map_set(&tids, tid, 0);
        of.tid = tid;
        track_describe(conversion, plane->pid, of.tid, of.line->name, (int64_t)i);
        if (!line_convert(conversion, &of, err))
            return false;
    }
    return arena_ok(&conversion->ops.arena, "the ops of a profile", err);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* The steps of one device, or those that only the host tells of, as a process of their own: on the
 * device's they would pass for its own record. */
static bool steps_convert(struct conversion *conversion, uint32_t device, struct err *err)
{
    const struct profile *profile = conversion->profile;
    const struct step_table *steps = &conversion->cut->summary->steps;
    const bool on_host = device == UINT32_MAX;
    const int64_t pid = (int64_t)profile->plane_count + 1 +
                        (on_host ? (int64_t)conversion->cut->summary->device_count : device);
    struct text *out = &conversion->out;
    int64_t place = 0;
    scoped_text name;
    bool described = false;
    text_init(&name, BUFFER_BYTES);
    text_addf(&name, "Steps of %s", on_host ? "the host" : conversion->cut->devices[device]);
    if (!text_ok(&name, "the name of a device's steps", err))
        return false;
    for (size_t p = 0; p < profile->plane_count; p++) {
        if (profile->planes[p].device == device && !on_host)
            place = 2 * (int64_t)profile->planes[p].plane->pid - 1;
    }
    for (size_t i = 0; i < steps->count; i++) {
        const struct step_row *row = &steps->rows[i];
        for (size_t s = 0; cut_has_step(conversion->cut, row->number) && s < row->span_count; s++) {
            if (row->spans[s].device != device)
                continue;
            if (!described) {
                track_describe(conversion, pid, -1, text_shown(&name), place);
                track_describe(conversion, pid, 1, "Steps", 0);
            }
            described = true;
            item_begin(conversion, "X", pid, 1);
            times_add(out, (__int128)conversion->base_ps + row->spans[s].start_ps,
                      row->spans[s].duration_ps);
            text_addf(out, "\"name\":\"%" PRId64 "\",\"args\":{\"step\":%" PRId64 "%s}}",
                      row->number, row->number, row->warmup ? ",\"warm_up\":true" : "");
        }
        if (!out_flush(conversion, BUFFER_BYTES, err))
            return false;
    }
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* What is said behind the events: when the origin was, in ns since 1970, where clocks count from
 * then; the host, when there is one. */
static void root_print(const struct conversion *conversion, struct text *out)
{
    const int64_t least_ns = INT64_C(1000000000000000000); /* 2001: no other clock gets so far */
    const struct profile *profile = conversion->profile;
    if (conversion->origin_ns >= least_ns)
        text_addf(out, ",\"baseTimeNanoseconds\":%" PRId64, conversion->origin_ns);
    if (profile->space_count == 1 && profile->spaces[0].host != NULL) {
        text_add(out, ",\"host_name\":");
        json_text_add(out, profile->spaces[0].host);
    }
}

static bool empty_refuse(const struct conversion *conversion, struct err *err)
{
    const char *path = conversion->profile->files->path;
    if (conversion->report->other_count > 0)
        return err_set(err, ERR_INPUT, "no event of '%s' lies in these steps, of %" PRId64, path,
                       conversion->report->other_count);
    return err_set(err, ERR_INPUT,
                   "'%s' holds no event that lasts: there is nothing to convert (%" PRId64
                   " without a duration, a place or a name)",
                   path, conversion->report->dropped_count);
}

bool convert_write(struct profile *profile, const struct cut *cut,
                   const struct convert_request *request, struct convert_report *ret_report,
                   struct err *err)
{
    const int64_t most_ns = INT64_C(9007199254740); /* 2^53 ps */
    const int64_t base_ns = profile->space_count == 0 ? 0 : profile->spaces[0].base_ns;
    struct convert_report report = {0};
    scoped_conversion conversion = {.profile = profile, .cut = cut, .report = &report};
    struct text *out = &conversion.out;
    text_init(out, BUFFER_MAX_BYTES);
    arena_init_within(&conversion.ops.arena, profile->arena);
    gzip_writer_init(&conversion.gzip, request->fd, request->name);
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        for (size_t i = 0; !cut_leaves_out(cut, &profile->planes[p]) && i < plane->line_count; i++)
            progress_expect(&profile->progress, plane->lines[i].end - plane->lines[i].begin);
    }
    if (base_ns > most_ns || base_ns < -most_ns)
        conversion.origin_ns = base_ns;
    else
        conversion.base_ps = base_ns * 1000;
    text_add(
        out,
        "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"stepledger " STEPLEDGER_VERSION
        "\"},\"traceEvents\":[");
    /* where a device has a line of its steps itself, that is written as all others are */
    const bool of_steps = cut->summary->steps.method != STEPS_LINE;
    for (uint32_t d = 0; of_steps && d < cut->summary->device_count; d++)
        if ((cut->device == UINT32_MAX || cut->device == d) && !steps_convert(&conversion, d, err))
            return false;
    if (of_steps && cut->device == UINT32_MAX && !steps_convert(&conversion, UINT32_MAX, err))
        return false;
    for (size_t p = 0; p < profile->plane_count; p++)
        if (!plane_convert(&conversion, p, err))
            return false;
    if (report.event_count == 0)
        return empty_refuse(&conversion, err);
    text_add(out, "\n]");
    root_print(&conversion, out);
    text_add(out, "}\n");
    if (!out_flush(&conversion, 0, err) || !gzip_writer_finish(&conversion.gzip, err))
        return false;
    progress_tell(&profile->progress);
    *ret_report = report;
    return true;
}
