/* The walk that indexes a file; see xspace.h.
 *
 * It has to step over every event, because a line's display name is written behind its events;
 * stepping costs a fifth of decoding. A cut-off file is told from a broken one by which message
 * ends too early: in a cut-off file only those that the end of the file cuts.
 */
#include "ingest/wire/wire.h"
#include "ingest/xplane/fields.h"
#include "ingest/xplane/xspace.h"

#include "ops/runtime/file.h"

#include <string.h>

enum { SPACE_PLANES = 1, PLANE_LINES = 3, PLANE_EVENT_METADATA = 4, PLANE_STAT_METADATA = 5 };
enum { HEAD_MAX_BYTES = 256 * 1024 * 1024 };

struct walk {
    struct xspace *space;
    struct cursor cursor;
    const struct ingest_options *options;
    struct arena *arena;
    struct text space_head, plane_head, line_head; /* their fields but planes, lines, events */
    bool open_ended; /* the present message goes to the end of the file, wherever that is */
    bool cut;        /* the file ended inside it */
    struct progress *progress;
    int64_t told_bytes; /* of events that were stepped over one by one */
};

/* What a message is left with. */
struct scope {
    int64_t limit;
    int64_t length_bytes; /* of the message's own length */
    bool open_ended;
};

static void walk_init(struct walk *walk, struct xspace *space, const struct index_options *index,
                      struct arena *arena)
{
    const struct ingest_options *options = index->options;
    *walk = (struct walk){.space = space,
                          .options = options,
                          .progress = index->progress,
                          .arena = arena,
                          .open_ended = true};
    text_init(&walk->space_head, HEAD_MAX_BYTES);
    text_init(&walk->plane_head, HEAD_MAX_BYTES);
    text_init(&walk->line_head, HEAD_MAX_BYTES);
    cursor_init(&walk->cursor, &space->input, options->limits.max_string_bytes);
}

static void walk_done(struct walk *walk)
{
    cursor_done(&walk->cursor);
    text_done(&walk->space_head);
    text_done(&walk->plane_head);
    text_done(&walk->line_head);
}
#define scoped_walk __attribute__((cleanup(walk_done))) struct walk

/* After a failed read: the end of a cut-off file is no failure, the walk just ends. */
static bool read_failed(struct walk *walk)
{
    walk->cut = walk->cursor.ran_out && walk->open_ended;
    return walk->cut;
}

/* Enters the message whose length comes next, or what the file has left of it. */
static bool message_enter(struct walk *walk, struct scope *ret_outer, struct err *err)
{
    struct cursor *cursor = &walk->cursor;
    uint64_t length;
    int64_t begin = cursor_offset(cursor);
    if (!cursor_varint(cursor, &length, err))
        return false;
    *ret_outer = (struct scope){cursor->limit, cursor_offset(cursor) - begin, walk->open_ended};
    uint64_t left = (uint64_t)(cursor->limit - cursor_offset(cursor));
    if (length > left && !walk->open_ended)
        return cursor_malformed(cursor, "a message runs past the end of the one around it", err);
    walk->open_ended = length > left;
    (void)cursor_enter(cursor, length > left ? left : length);
    return true;
}

/* A message that goes to the end of the file is not whole, even where it ends with a field. */
static void message_leave(struct walk *walk, struct scope outer)
{
    walk->cut = walk->cut || walk->open_ended;
    if (walk->open_ended) {
        walk->cut = true;
        walk->space->unread_bytes += outer.length_bytes;
    }
    cursor_leave(&walk->cursor, outer.limit);
    walk->open_ended = outer.open_ended;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Of the name of a plane or a line, which everything that they hold repeats. */
static void name_cut(struct walk *walk, char *name)
{
    size_t kept = limit_text(name, strlen(name), NAME_MAX_BYTES, &walk->space->texts_cut);
    if (name[kept] != '\0') /* an absent name is protobuf-c's constant */
        name[kept] = '\0';
}

static bool line_name(struct walk *walk, struct xline *line, size_t index, struct err *err)
{
    XLine *head = proto_unpack(&xline__descriptor, &walk->line_head, walk->arena, err);
    if (head == NULL)
        return false;
    line->id = head->id != 0 ? head->id : (int64_t)index + 1;
    line->timestamp_ns = head->timestamp_ns;
    name_cut(walk, head->name);
    name_cut(walk, head->display_name);
    line->name = head->display_name[0] != '\0' ? head->display_name : head->name;
    if (line->name[0] == '\0')
        line->name = arena_printf(walk->arena, "xline:%zu", index);
    return arena_ok(walk->arena, "the lines of a profile", err);
}

/* Whether to leave the rest of a line to the streaming of it. A line that the end of the file cuts
 * is looked at, to find the last whole event. */
static bool may_skip(const struct walk *walk, const struct xline *line)
{
    return walk->space->may_skip && !walk->open_ended &&
           walk->cursor.limit - line->begin > walk->options->skip_line_bytes;
}

/* Steps over all that is left of the line, from its first event on. */
static bool line_skip(struct walk *walk, struct xline *line, int64_t events_begin, struct err *err)
{
    struct cursor *cursor = &walk->cursor;
    line->skipped = true;
    line->events_begin = events_begin;
    line->end = cursor->limit;
    walk->space->skipped_count++;
    return cursor_skip(cursor, (uint64_t)(cursor->limit - cursor_offset(cursor)), err);
}

/* Tells how far the walk is in a line that was told up to *told. */
static void line_progress(struct walk *walk, int64_t *told, int64_t at)
{
    if (walk->progress != NULL)
        progress_add(walk->progress, at - *told);
    walk->told_bytes += at - *told;
    *told = at;
}

/* Steps over the events; the other fields of the line go to line_head. */
static bool line_fields(struct walk *walk, struct xline *line, struct err *err)
{
    struct cursor *cursor = &walk->cursor;
    const uint32_t event_tag = WIRE_TAG(XLINE_EVENTS, WIRE_BYTES);
    int64_t told = line->begin;
    while (!cursor_at_end(cursor)) {
        uint32_t tag;
        uint64_t length;
        int64_t at = cursor_offset(cursor);
        if (at - told >= PROGRESS_BYTES)
            line_progress(walk, &told, at);
        if (!cursor_tag(cursor, &tag, err))
            return read_failed(walk);
        if (tag == event_tag && may_skip(walk, line))
            return line_skip(walk, line, at, err);
        if (tag == event_tag) {
            if (!cursor_length(cursor, &length, err) || !cursor_skip(cursor, length, err))
                return read_failed(walk);
            line->event_count++;
        } else if (!proto_field_copy(cursor, tag, &xline__descriptor, &walk->line_head, err)) {
            return read_failed(walk);
        }
        line->end = walk->space->whole_bytes = cursor_offset(cursor);
    }
    return true;
}

static bool line_walk(struct walk *walk, struct xplane *plane, struct err *err)
{
    struct xspace *space = walk->space;
    struct scope outer;
    if (!message_enter(walk, &outer, err))
        return read_failed(walk);
    plane->lines = arena_grow(walk->arena, plane->lines, plane->line_count, &plane->line_capacity,
                              sizeof *plane->lines);
    size_t index = plane->line_count++;
    struct xline *line = &plane->lines[index];
    *line = (struct xline){0};
    line->begin = line->end = cursor_offset(&walk->cursor);
    walk->line_head.length = 0;
    if (!line_fields(walk, line, err))
        return false;
    space->event_count += line->event_count;
    space->line_count++;
    message_leave(walk, outer);
    const struct ingest_limits *limits = &walk->options->limits;
    return limit_check(limits, max_lines, space->line_count, space->input.path, err) &&
           limit_check(limits, max_events, space->event_count, space->input.path, err) &&
           line_name(walk, line, index, err);
}

/* ---- planes ---------------------------------------------------------------------------------- */

/* Steps over a map entry whose tag was read at `begin`. */
static bool entry_walk(struct walk *walk, struct xplane *plane, struct entry_run entry,
                       struct err *err)
{
    struct cursor *cursor = &walk->cursor;
    uint64_t length;
    if (!cursor_length(cursor, &length, err) || !cursor_skip(cursor, length, err))
        return read_failed(walk);
    entry.end = cursor_offset(cursor);
    if (!limit_check(&walk->options->limits, max_metadata, ++plane->entry_count,
                     cursor->input->path, err))
        return false;
    struct entry_run *last = plane->run_count > 0 ? &plane->runs[plane->run_count - 1] : NULL;
    if (last != NULL && last->field == entry.field && last->end == entry.begin) {
        last->end = entry.end;
        return true;
    }
    plane->runs = arena_grow(walk->arena, plane->runs, plane->run_count, &plane->run_capacity,
                             sizeof *plane->runs);
    plane->runs[plane->run_count++] = entry;
    return arena_ok(walk->arena, "the metadata of a profile", err);
}

static bool plane_field(struct walk *walk, struct xplane *plane, struct err *err)
{
    struct cursor *cursor = &walk->cursor;
    struct entry_run entry = {.begin = cursor_offset(cursor)};
    uint32_t tag;
    if (!cursor_tag(cursor, &tag, err))
        return read_failed(walk);
    entry.field = tag_field(tag);
    if (tag == WIRE_TAG(PLANE_LINES, WIRE_BYTES))
        return line_walk(walk, plane, err);
    if (tag == WIRE_TAG(PLANE_EVENT_METADATA, WIRE_BYTES) ||
        tag == WIRE_TAG(PLANE_STAT_METADATA, WIRE_BYTES))
        return entry_walk(walk, plane, entry, err);
    return proto_field_copy(cursor, tag, &xplane__descriptor, &walk->plane_head, err) ||
           read_failed(walk);
}

static bool plane_name(struct walk *walk, struct xplane *plane, struct err *err)
{
    plane->head = proto_unpack(&xplane__descriptor, &walk->plane_head, walk->arena, err);
    if (plane->head == NULL)
        return false;
    name_cut(walk, plane->head->name);
    plane->name = plane->process = plane->head->name;
    if (plane->process[0] == '\0')
        plane->process = arena_printf(walk->arena, "xplane:%u", plane->index);
    return arena_ok(walk->arena, "the planes of a profile", err);
}

static bool plane_walk(struct walk *walk, struct err *err)
{
    struct xspace *space = walk->space;
    struct scope outer;
    if (!message_enter(walk, &outer, err))
        return read_failed(walk);
    space->planes = arena_grow(walk->arena, space->planes, space->plane_count,
                               &space->plane_capacity, sizeof *space->planes);
    struct xplane *plane = &space->planes[space->plane_count];
    *plane = (struct xplane){.space = space, .index = (uint32_t)space->plane_count++};
    walk->plane_head.length = 0;
    while (!walk->cut && !cursor_at_end(&walk->cursor)) {
        if (!plane_field(walk, plane, err))
            return false;
        if (!walk->cut)
            space->whole_bytes = cursor_offset(&walk->cursor);
    }
    message_leave(walk, outer);
    return limit_check(&walk->options->limits, max_planes, (int64_t)space->plane_count,
                       space->input.path, err) &&
           plane_name(walk, plane, err);
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool space_field(struct walk *walk, struct err *err)
{
    uint32_t tag;
    if (!cursor_tag(&walk->cursor, &tag, err))
        return read_failed(walk);
    if (tag == WIRE_TAG(SPACE_PLANES, WIRE_BYTES))
        return plane_walk(walk, err);
    return proto_field_copy(&walk->cursor, tag, &xspace__descriptor, &walk->space_head, err) ||
           read_failed(walk);
}

static struct string_list string_list_of(char **items, size_t count)
{
    return (struct string_list){count == 0 ? NULL : (const char **)items, count};
}

static bool space_walk(struct walk *walk, struct err *err)
{
    struct xspace *space = walk->space;
    cursor_seek(&walk->cursor, 0, space->input.size_bytes);
    while (!walk->cut && !cursor_at_end(&walk->cursor)) {
        if (!space_field(walk, err))
            return false;
        if (!walk->cut)
            space->whole_bytes = cursor_offset(&walk->cursor);
    }
    if (walk->cut)
        space->unread_bytes += space->input.size_bytes - space->whole_bytes;
    if (walk->cut && space->event_count + space->skipped_count == 0)
        return err_set(err, ERR_INPUT,
                       "'%s' is cut off at byte %lld, before its first event; "
                       "copy the file again",
                       space->input.path, (long long)space->input.size_bytes);
    if (walk->cut && walk->options->strict_input)
        return err_set(err, ERR_INPUT,
                       "'%s' is cut off: of its %lld bytes %lld hold nothing whole; copy the file "
                       "again, or read what is whole without --strict-input",
                       space->input.path, (long long)space->input.size_bytes,
                       (long long)space->unread_bytes);
    XSpace *head = proto_unpack(&xspace__descriptor, &walk->space_head, walk->arena, err);
    if (head == NULL)
        return false;
    space->errors = string_list_of(head->errors, head->n_errors);
    space->warnings = string_list_of(head->warnings, head->n_warnings);
    space->hostnames = string_list_of(head->hostnames, head->n_hostnames);
    return true;
}

/* Says what became of a file that is no XPlane file any more, if that is known. */
static void explain(struct walk *walk, struct err *err)
{
    enum { LOOK_BYTES = 4096 };
    struct cursor *cursor = &walk->cursor;
    int64_t size = walk->space->input.size_bytes;
    size_t length = size < LOOK_BYTES ? (size_t)size : LOOK_BYTES;
    struct err ignored;
    cursor_seek(cursor, 0, size);
    if (err->kind != ERR_INPUT || length == 0 || !cursor_need(cursor, length, &ignored))
        return;
    const char *hint = NULL;
    if (memmem(cursor->p, length, "\xEF\xBF\xBD", 3) != NULL)
        hint = "bytes were replaced by U+FFFD: it was handled as text; copy it in binary mode";
    if (hint == NULL && walk->cut)
        return; /* what there was of it made sense */
    struct err found = *err;
    (void)err_set(err, ERR_INPUT, "%s; not an XPlane file%s%s", found.text,
                  hint == NULL ? " or a broken one" : ": ", hint == NULL ? "" : hint);
}

bool xspace_open(const char *path, const struct index_options *index, struct arena *arena,
                 struct xspace *ret_space, struct err *err)
{
    *ret_space = (struct xspace){.input.fd = -1, .ops_load = plane_ops_load};
    if (!input_open(path, &ret_space->input, err))
        return false;
    ret_space->may_skip =
        index->may_skip && ret_space->input.size_bytes > index->options->skip_file_bytes;
    scoped_walk walk;
    walk_init(&walk, ret_space, index, arena);
    if (space_walk(&walk, err)) {
        ret_space->texts_cut += walk.cursor.texts_cut;
        if (index->progress != NULL)
            progress_expect(index->progress, walk.told_bytes - ret_space->input.size_bytes);
        return true;
    }
    explain(&walk, err);
    xspace_close(ret_space);
    return false;
}

bool xspace_open_empty(const char *path, const struct index_options *index,
                       struct xspace *ret_space, struct err *err)
{
    *ret_space = (struct xspace){.input.fd = -1};
    if (!input_open(path, &ret_space->input, err))
        return false;
    ret_space->whole_bytes = ret_space->input.size_bytes;
    if (index->progress != NULL)
        progress_expect(index->progress, -ret_space->input.size_bytes);
    return true;
}

void xspace_close(struct xspace *space)
{
    if (space->store != NULL)
        event_store_done(space->store);
    input_close(&space->input);
}

const char *space_unread_told(const struct xspace *space, struct arena *arena)
{
    if (space->unread_note != NULL)
        return arena_strdup(arena, space->unread_note);
    return space->unread_bytes > 0
               ? arena_printf(arena,
                              "'%s' ends early: %lld bytes hold nothing whole and were not read.",
                              path_base(space->input.path), (long long)space->unread_bytes)
               : NULL;
}
