/* Metadata entries to ops: stat names first, then event metadata, whatever their order in the
 * file. The last entry of a key counts.
 */
#include "ingest/wire/wire.h"
#include "ingest/xplane/op_build.h"
#include "ingest/xplane/op_stats.h"
#include "ingest/xplane/xspace.h"

#include <string.h>

enum {
    EVENT_ENTRIES = 4,
    STAT_ENTRIES = 5,
    ENTRY_MAX_BYTES = 1 << 30,
    INFLATED_TEXT_MAX = TEXT_MAX_BYTES
};

struct loader {
    struct xplane *plane;
    struct plane_ops *ops;
    struct cursor cursor;
    struct text copy;      /* the clean copy of one entry */
    struct arena scratch;  /* the entry unpacked */
    int64_t inflated_most; /* bytes of compressed texts that are read of a plane */
};

/* Stats of a metadata entry, by kind: as the reference reads them, and as we do. */
struct op_values {
    struct stat_value plain[STAT_KIND_COUNT], own[STAT_KIND_COUNT];
    struct memory_traffic traffic;
};

static void loader_done(struct loader *loader)
{
    cursor_done(&loader->cursor);
    text_done(&loader->copy);
    arena_done(&loader->scratch);
}
#define scoped_loader __attribute__((cleanup(loader_done))) struct loader

static bool stat_add(struct loader *loader, const void *message, struct err *err)
{
    const XPlane__StatMetadataEntry *entry = message;
    struct plane_ops *ops = loader->ops;
    const char *name = entry->value == NULL ? "" : entry->value->name;
    uint32_t text = strings_add(&ops->catalog->strings, name, strlen(name));
    ops->stats = arena_grow(ops->catalog->arena, ops->stats, ops->stat_count, &ops->stat_capacity,
                            sizeof *ops->stats);
    id_map_set(&ops->stat_by_id, entry->key, (int32_t)ops->stat_count);
    struct stat_name *stat = &ops->stats[ops->stat_count++];
    *stat = (struct stat_name){catalog_text(ops->catalog, text), stat_kind_of(name),
                               strcmp(name, MEMORY_TRAFFIC_STAT) == 0,
                               (int8_t)stat_device_time_of(name)};
    return arena_ok(ops->catalog->arena, "the metadata of a profile", err);
}

/* Which stats tell the device's times, once all names are known. */
static void device_times_find(struct plane_ops *ops)
{
    bool told[DEVICE_TIME_COUNT] = {false};
    for (size_t i = 0; i < ops->stat_count; i++) {
        if (ops->stats[i].device_time != DEVICE_TIME_NONE)
            told[ops->stats[i].device_time] = true;
    }
    ops->tells_device_time = ops->is_device && told[DEVICE_OFFSET] && told[DEVICE_DURATION];
}

/* What is to be done with stats of plain ids; of several that tell the same time of the device the
 * last one is read. */
static void plain_stats_note(struct plane_ops *ops)
{
    bool told[DEVICE_TIME_COUNT] = {false};
    for (int id = PLAIN_STAT_IDS - 1; id >= 0; id--) {
        const int32_t index = id_map_find(&ops->stat_by_id, id);
        const struct stat_name *stat = index == ID_MAP_ABSENT ? NULL : &ops->stats[index];
        ops->plain_stats[id] = DEVICE_TIME_NONE;
        if (stat != NULL && stat->kind != STAT_OTHER)
            ops->plain_stats[id] = PLAIN_STAT_ASKED;
        else if (stat != NULL && ops->tells_device_time && !told[stat->device_time]) {
            ops->plain_stats[id] = (uint8_t)stat->device_time;
            told[stat->device_time] = true;
        }
    }
}

/* The value of an unpacked stat; false beyond the budget. */
static bool stat_value_of(struct loader *loader, const XStat *stat, struct stat_value *ret_value)
{
    struct stat_value value = {.type = STAT_UNSET};
    int32_t index;
    switch (stat->value_case) {
    case XSTAT__VALUE_DOUBLE_VALUE:
        value = (struct stat_value){.type = STAT_DOUBLE, .double_value = stat->double_value};
        break;
    case XSTAT__VALUE_UINT64_VALUE:
        value = (struct stat_value){.type = STAT_UINT, .unsigned_value = stat->uint64_value};
        break;
    case XSTAT__VALUE_INT64_VALUE:
        value = (struct stat_value){.type = STAT_INT, .signed_value = stat->int64_value};
        break;
    case XSTAT__VALUE_STR_VALUE:
        value = (struct stat_value){.type = STAT_TEXT, .text = stat->str_value};
        break;
    case XSTAT__VALUE_BYTES_VALUE:
        value = (struct stat_value){.type = STAT_TEXT,
                                    .text = text_utf8_repair(&loader->scratch,
                                                             (char *)stat->bytes_value.data,
                                                             stat->bytes_value.len)};
        break;
    case XSTAT__VALUE_REF_VALUE:
        index = id_map_find(&loader->ops->stat_by_id, (int64_t)stat->ref_value);
        value = (struct stat_value){.type = STAT_TEXT,
                                    .text = index == ID_MAP_ABSENT
                                                ? arena_printf(&loader->scratch, "%llu",
                                                               (unsigned long long)stat->ref_value)
                                                : loader->ops->stats[index].name};
        break;
    default:
        break;
    }
    if (value.type == STAT_TEXT && value.text == NULL)
        return false;
    value.length = value.type == STAT_TEXT ? strlen(value.text) : 0;
    *ret_value = value;
    return true;
}

/* Reads a compressed text over what our figures know of the op. Kinds that the reference does not
 * know either may as well count as plain. false beyond the budget. */
static bool inflated_read(struct loader *loader, const XStat *stat, enum stat_kind kind,
                          struct op_values *values)
{
    struct plane_ops *ops = loader->ops;
    const char *text;
    int64_t left = loader->inflated_most - ops->inflated_bytes;
    size_t most = left < INFLATED_TEXT_MAX ? (size_t)left : INFLATED_TEXT_MAX;
    if (!gunzip_text(stat->compressed_str_value.data, stat->compressed_str_value.len, most,
                     &loader->scratch, &text))
        return false;
    if (text == NULL) {
        ops->has_unread = true;
        return true;
    }
    const struct stat_value value = {.type = STAT_TEXT, .text = text, .length = strlen(text)};
    ops->inflated_bytes += (int64_t)value.length;
    ops->has_inflated = true;
    values->own[kind] = value;
    if (kind == STAT_HLO_CATEGORY || kind == STAT_HLO_MODULE || kind == STAT_HLO_OP)
        values->plain[kind] = value;
    return true;
}

static bool values_read(struct loader *loader, const XEventMetadata *metadata,
                        struct op_values *values)
{
    memset(values, 0, sizeof *values);
    for (size_t i = 0; i < metadata->n_stats; i++) {
        const XStat *stat = metadata->stats[i];
        struct stat_value value;
        int32_t index = id_map_find(&loader->ops->stat_by_id, stat->metadata_id);
        enum stat_kind kind = index == ID_MAP_ABSENT ? STAT_OTHER : loader->ops->stats[index].kind;
        if (kind == STAT_OTHER) {
            if (index != ID_MAP_ABSENT && loader->ops->stats[index].is_traffic &&
                stat->value_case == XSTAT__VALUE_BYTES_VALUE)
                values->traffic =
                    memory_traffic_read(stat->bytes_value.data, stat->bytes_value.len);
            continue;
        }
        if (!stat_value_of(loader, stat, &value))
            return false;
        if (value.type != STAT_UNSET)
            values->plain[kind] = values->own[kind] = value;
        else if (stat->compressed_str_value.len > 0 && !inflated_read(loader, stat, kind, values))
            return false;
    }
    return true;
}

static bool event_add(struct loader *loader, const void *message, struct err *err)
{
    static const XEventMetadata empty = XEVENT_METADATA__INIT;
    const XPlane__EventMetadataEntry *entry = message;
    const XEventMetadata *metadata = entry->value == NULL ? &empty : entry->value;
    struct plane_ops *ops = loader->ops;
    struct op_values values;
    struct op op;
    struct op_detail detail;
    const struct op_source source = {
        .name = metadata->display_name[0] != '\0' ? metadata->display_name : metadata->name,
        .metadata_name = metadata->name,
        .values = values.plain,
        .own_values = values.own,
        .traffic = &values.traffic,
    };
    if (!values_read(loader, metadata, &values))
        return arena_failed(ops->catalog->arena, "the metadata of a profile", err);
    op_build(ops, &source, &op, &detail);
    op.stats = op_stats_keep(ops->catalog, values.plain, false);
    int32_t number = plane_ops_append(ops, &op, &detail, err);
    if (number == OP_NONE)
        return false;
    int32_t earlier = id_map_find(&ops->op_by_id, entry->key);
    if (earlier != ID_MAP_ABSENT)
        ops->ops[earlier].not_finite = false; /* replaced: its stats no longer count */
    id_map_set(&ops->op_by_id, entry->key, number);
    return arena_ok(ops->catalog->arena, "the metadata of a profile", err);
}

struct entry_kind {
    uint32_t field;
    const ProtobufCMessageDescriptor *descriptor;
    bool (*add)(struct loader *loader, const void *message, struct err *err);
};

/* Reads all entries of one kind. */
static bool entries_load(struct loader *loader, const struct entry_kind *kind, struct err *err)
{
    struct cursor *cursor = &loader->cursor;
    for (size_t i = 0; i < loader->plane->run_count; i++) {
        const struct entry_run *run = &loader->plane->runs[i];
        if (run->field != kind->field)
            continue;
        cursor_seek(cursor, run->begin, run->end);
        while (!cursor_at_end(cursor)) {
            uint32_t tag;
            uint64_t length;
            loader->copy.length = 0;
            if (!cursor_tag(cursor, &tag, err) || !cursor_length(cursor, &length, err))
                return false;
            int64_t outer = cursor_enter(cursor, length);
            if (!proto_message_copy(cursor, kind->descriptor, &loader->copy, err))
                return false;
            cursor_leave(cursor, outer);
            struct arena_mark mark = arena_mark(&loader->scratch);
            void *entry = proto_unpack(kind->descriptor, &loader->copy, &loader->scratch, err);
            if (entry == NULL || !kind->add(loader, entry, err))
                return false;
            arena_rewind(&loader->scratch, mark);
        }
    }
    return true;
}

/* §3: such a stat fails the whole file, used or not, as long as the op has a name. */
static bool finite_check(const struct plane_ops *ops, struct err *err)
{
    for (size_t i = 0; i < ops->count; i++) {
        if (ops->ops[i].not_finite)
            return err_set(err, ERR_INPUT,
                           "'%s': run_id or step_num of event metadata '%s' is not a finite number",
                           ops->path,
                           catalog_text(ops->catalog, ops->catalog->names[ops->ops[i].name].name));
    }
    return true;
}

void plane_ops_init(struct xplane *plane, struct catalog *catalog,
                    const struct ingest_limits *limits)
{
    plane->ops = (struct plane_ops){
        .catalog = catalog,
        .path = plane->space->input.path,
        .is_device = plane->is_device,
        .is_host = plane->is_host,
        .max_count = limits->max_metadata,
        .expected = (size_t)plane->entry_count,
    };
    id_map_init(&plane->ops.stat_by_id, catalog->arena);
    id_map_init(&plane->ops.op_by_id, catalog->arena);
}

void plane_ops_ask_launches(struct plane_ops *ops)
{
    for (size_t i = 0; i < ops->stat_count; i++) {
        enum stat_kind kind = stat_launch_kind_of(ops->stats[i].name);
        if (kind != STAT_OTHER)
            ops->stats[i].kind = kind;
    }
    plain_stats_note(ops);
}

bool plane_ops_has_groups(const struct plane_ops *ops)
{
    bool any = ops->step_by_group != NULL;
    for (size_t i = 0; i < ops->stat_count; i++)
        any = any || strcmp(ops->stats[i].name, "group_id") == 0;
    return any;
}

void plane_ops_ask_groups(struct plane_ops *ops)
{
    ops->asks_groups = true;
    if (!plane_ops_has_groups(ops))
        return;
    for (size_t i = 0; i < ops->stat_count; i++) {
        struct stat_name *stat = &ops->stats[i];
        if (strcmp(stat->name, "group_id") == 0)
            stat->kind = STAT_STEP_NUM;
        else if (stat->kind == STAT_STEP_NUM || stat->kind == STAT_STEP)
            stat->kind = STAT_OTHER;
    }
    plain_stats_note(ops);
}

bool plane_ops_load(struct xplane *plane, struct catalog *catalog,
                    const struct ingest_limits *limits, struct err *err)
{
    static const struct entry_kind stats = {STAT_ENTRIES, &xplane__stat_metadata_entry__descriptor,
                                            stat_add};
    static const struct entry_kind events = {EVENT_ENTRIES,
                                             &xplane__event_metadata_entry__descriptor, event_add};
    struct plane_ops *ops = &plane->ops;
    plane_ops_init(plane, catalog, limits);
    scoped_loader loader = {.plane = plane, .ops = ops, .inflated_most = limits->max_string_bytes};
    text_init(&loader.copy, ENTRY_MAX_BYTES);
    arena_init_within(&loader.scratch, catalog->arena);
    cursor_init(&loader.cursor, &plane->space->input, limits->max_string_bytes);
    bool loaded = entries_load(&loader, &stats, err) && entries_load(&loader, &events, err) &&
                  finite_check(ops, err);
    device_times_find(ops);
    plain_stats_note(ops);
    ops->texts_cut = loader.cursor.texts_cut;
    return loaded;
}
