#include "ingest/xplane/fingerprint.h"
#include "ingest/wire/wire.h"

#include "ops/runtime/text.h"

#include <string.h>

enum { PLANE_EVENT_METADATA = 4, ENTRY_VALUE = 2, METADATA_NAME = 2, METADATA_STATS = 5 };
enum { STAT_ID = 1, STAT_BYTES = 6 };
/* HloInstructionProto */
enum {
    INSTRUCTION_NAME = 1,
    INSTRUCTION_METADATA = 7,
    INSTRUCTION_LITERAL = 8,
    INSTRUCTION_CHANNEL = 26,
    INSTRUCTION_ID = 35,
    INSTRUCTION_OPERANDS = 36,
    INSTRUCTION_CONTROL = 37,
    INSTRUCTION_CALLS = 38,
};
/* From HloProto down to its instructions: hlo_module, computations, instructions. */
static const uint32_t levels[] = {1, 3, 2};
enum { INSTRUCTION_LEVEL = sizeof levels / sizeof levels[0] };

/* Where a proto lies in the file. */
struct proto_place {
    int64_t begin, end; /* begin 0 = none */
};

struct finder {
    const struct xplane *plane;
    struct cursor cursor;
    struct arena *arena;
    const char *name;
    struct proto_place place;
};

/* ---- hashing --------------------------------------------------------------------------------- */

static bool is_left_out(uint32_t field)
{
    switch (field) {
    case INSTRUCTION_NAME:
    case INSTRUCTION_METADATA:
    case INSTRUCTION_LITERAL:
    case INSTRUCTION_CHANNEL:
    case INSTRUCTION_ID:
    case INSTRUCTION_OPERANDS:
    case INSTRUCTION_CONTROL:
    case INSTRUCTION_CALLS:
        return true;
    default:
        return false;
    }
}

/* Adds the bytes of a field as they stand, its tag in front. */
static bool field_hash(struct cursor *cursor, uint32_t tag, struct sha256 *state, struct err *err)
{
    int64_t begin = cursor_offset(cursor), limit = cursor->limit;
    if (!cursor_skip_field(cursor, tag, err))
        return false;
    int64_t end = cursor_offset(cursor);
    sha256_add(state, &tag, sizeof tag);
    cursor_seek(cursor, begin, end);
    while (!cursor_at_end(cursor)) {
        if (!cursor_need(cursor, 1, err))
            return false;
        size_t part = (size_t)(cursor->end - cursor->p);
        sha256_add(state, cursor->p, part);
        cursor->p += part;
    }
    cursor_seek(cursor, end, limit);
    return true;
}

/* Goes down to the instructions; what is beside the way does not count. */
static bool level_hash(struct cursor *cursor, unsigned level, struct sha256 *state, struct err *err)
{
    while (!cursor_at_end(cursor)) {
        uint32_t tag;
        uint64_t length;
        if (!cursor_tag(cursor, &tag, err))
            return false;
        bool inner = level < INSTRUCTION_LEVEL && tag == WIRE_TAG(levels[level], WIRE_BYTES);
        bool kept = level == INSTRUCTION_LEVEL && !is_left_out(tag_field(tag));
        if (inner) {
            if (!cursor_length(cursor, &length, err))
                return false;
            int64_t outer = cursor_enter(cursor, length);
            if (!level_hash(cursor, level + 1, state, err))
                return false;
            cursor_leave(cursor, outer);
        } else if (!(kept ? field_hash(cursor, tag, state, err)
                          : cursor_skip_field(cursor, tag, err))) {
            return false;
        }
    }
    sha256_add(state, &level, sizeof level); /* where one ends counts */
    return true;
}

/* The entry has no fingerprint when its proto is malformed. */
static bool proto_hash(struct finder *finder, struct program_entry *entry, struct err *err)
{
    struct err fault = {0};
    uint8_t digest[SHA256_BYTES];
    char *hex = arena_alloc(finder->arena, SHA256_HEX_BYTES);
    scoped_sha256 *state = sha256_new();
    cursor_seek(&finder->cursor, entry->begin, entry->end);
    if (!level_hash(&finder->cursor, 0, state, &fault)) {
        *err = fault;
        return fault.kind == ERR_INPUT;
    }
    sha256_finish(state, digest);
    text_hex(digest, sizeof digest, hex);
    entry->fingerprint = hex;
    return true;
}

/* ---- finding --------------------------------------------------------------------------------- */

/* An XStat that is an HLO proto; older writers spell the name in capitals. */
static bool stat_find(struct finder *finder, struct err *err)
{
    struct cursor *cursor = &finder->cursor;
    struct proto_place place = {0, 0};
    uint64_t id = 0, length;
    uint32_t tag;
    while (!cursor_at_end(cursor)) {
        if (!cursor_tag(cursor, &tag, err))
            return false;
        if (tag == WIRE_TAG(STAT_ID, WIRE_VARINT)) {
            if (!cursor_varint(cursor, &id, err))
                return false;
        } else if (tag == WIRE_TAG(STAT_BYTES, WIRE_BYTES)) {
            if (!cursor_length(cursor, &length, err))
                return false;
            place.begin = cursor_offset(cursor);
            place.end = place.begin + (int64_t)length;
            if (!cursor_skip(cursor, length, err))
                return false;
        } else if (!cursor_skip_field(cursor, tag, err)) {
            return false;
        }
    }
    const struct plane_ops *ops = &finder->plane->ops;
    int32_t index = id_map_find(&ops->stat_by_id, (int64_t)id);
    if (index != ID_MAP_ABSENT && (strcmp(ops->stats[index].name, "Hlo Proto") == 0 ||
                                   strcmp(ops->stats[index].name, "HLO Proto") == 0))
        finder->place = place;
    return true;
}

/* XEventMetadata, or with `entry` the map entry around it. */
static bool metadata_find(struct finder *finder, bool entry, struct err *err)
{
    struct cursor *cursor = &finder->cursor;
    const uint32_t inner = WIRE_TAG(entry ? ENTRY_VALUE : METADATA_STATS, WIRE_BYTES);
    while (!cursor_at_end(cursor)) {
        uint32_t tag;
        uint64_t length;
        if (!cursor_tag(cursor, &tag, err))
            return false;
        bool is_name = !entry && tag == WIRE_TAG(METADATA_NAME, WIRE_BYTES);
        if (tag != inner && !is_name) {
            if (!cursor_skip_field(cursor, tag, err))
                return false;
            continue;
        }
        if (!cursor_length(cursor, &length, err))
            return false;
        if (is_name) {
            if (!cursor_need(cursor, (size_t)length, err))
                return false;
            finder->name = arena_strndup(finder->arena, (const char *)cursor->p, (size_t)length);
            if (!cursor_skip(cursor, length, err))
                return false;
            continue;
        }
        int64_t outer = cursor_enter(cursor, length);
        if (!(entry ? metadata_find(finder, false, err) : stat_find(finder, err)))
            return false;
        cursor_leave(cursor, outer);
    }
    return true;
}

static void entry_add(struct finder *finder, struct program_list *list)
{
    list->items =
        arena_grow(finder->arena, list->items, list->count, &list->capacity, sizeof *list->items);
    list->items[list->count++] = (struct program_entry){.name = finder->name,
                                                        .has_proto = finder->place.begin > 0,
                                                        .begin = finder->place.begin,
                                                        .end = finder->place.end};
}

static bool run_find(struct finder *finder, const struct entry_run *run, struct program_list *list,
                     struct err *err)
{
    struct cursor *cursor = &finder->cursor;
    for (int64_t at = run->begin; at < run->end;) {
        uint32_t tag;
        uint64_t length;
        cursor_seek(cursor, at, run->end);
        if (!cursor_tag(cursor, &tag, err) || !cursor_length(cursor, &length, err))
            return false;
        at = cursor_offset(cursor) + (int64_t)length;
        finder->name = NULL;
        finder->place = (struct proto_place){0, 0};
        (void)cursor_enter(cursor, length);
        if (!metadata_find(finder, true, err))
            return false;
        if (finder->name != NULL)
            entry_add(finder, list);
    }
    return true;
}

static bool plane_find(struct finder *finder, struct program_list *list, struct err *err)
{
    const struct xplane *plane = finder->plane;
    for (size_t i = 0; i < plane->run_count; i++) {
        if (plane->runs[i].field == PLANE_EVENT_METADATA &&
            !run_find(finder, &plane->runs[i], list, err))
            return false;
    }
    return true;
}

bool programs_find(const struct xplane *plane, const struct ingest_limits *limits,
                   struct arena *arena, struct program_list *list, struct err *err)
{
    struct finder finder = {.plane = plane, .arena = arena};
    cursor_init(&finder.cursor, &plane->space->input, limits->max_string_bytes);
    bool found = plane_find(&finder, list, err);
    cursor_done(&finder.cursor);
    return found;
}

bool fingerprint_plane(const struct xplane *plane, const struct ingest_limits *limits,
                       struct arena *arena, struct program_list *list, struct err *err)
{
    struct finder finder = {.plane = plane, .arena = arena};
    size_t first = list->count;
    cursor_init(&finder.cursor, &plane->space->input, limits->max_string_bytes);
    bool found = plane_find(&finder, list, err);
    for (size_t i = first; i < list->count && found; i++) {
        if (list->items[i].has_proto)
            found = proto_hash(&finder, &list->items[i], err);
    }
    cursor_done(&finder.cursor);
    return found;
}
