/* Profile: sample_type = 1, sample = 2, location = 4, function = 5, string_table = 6. ValueType:
 * type = 1, unit = 2. Sample: location_id = 1 (the innermost first), value = 2, label = 3. Label:
 * key = 1, str = 2. Location: id = 1, line = 4 (the innermost first). Line: function_id = 1,
 * line = 2. Function: id = 1, name = 2, filename = 4. Texts are numbers of the string table, whose
 * first is empty. Fields come in any order, so the whole is read into memory: a profile of a job
 * takes some kilobytes.
 */
#include "ingest/memory/pprof.h"

#include "ingest/lookup/lookup.h"
#include "ingest/wire/wire.h"
#include "ops/runtime/text.h"

#include <string.h>

enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
};

struct frame {
    uint64_t function;
    int64_t line;
};

struct location {
    size_t first, count; /* of frames … */
    size_t meant;        /* … of which one is meant */
    bool is_own;         /* it is none of an installed package */
};

struct function {
    uint64_t name, file;
};

struct pprof {
    const char *path;
    struct arena *arena;
    const uint8_t *begin, *end;
    const char **strings;
    size_t string_count, string_capacity;
    struct frame *frames;
    size_t frame_count, frame_capacity;
    struct location *locations;
    size_t location_count, location_capacity;
    struct function *functions;
    size_t function_count, function_capacity;
    struct id_map location_by_id, function_by_id;
    size_t type_count, count_type, bytes_type; /* places among a sample's values */
    bool has_count, has_bytes;
};

/* ---- wire ------------------------------------------------------------------------------------ */

static bool malformed(const struct pprof *pprof, const uint8_t *at, struct err *err)
{
    return err_set(err, ERR_INPUT,
                   "'%s': byte %lld of the decompressed profile makes no sense as pprof; save the "
                   "memory profile again",
                   pprof->path, (long long)(at - pprof->begin));
}

/* Takes a field and moves *p behind it; *p is `end` at the end of the message. */
static bool field_next(const struct pprof *pprof, const uint8_t **p, const uint8_t *end,
                       struct wire_field *ret_field, struct err *err)
{
    const uint8_t *begin = *p, *at = wire_field_read(begin, end, ret_field);
    if (at != NULL && ret_field->type != WIRE_VARINT && ret_field->type != WIRE_BYTES)
        ret_field->number = 0;
    if (at == NULL)
        return malformed(pprof, begin, err);
    *p = at;
    return true;
}

/* Reads numbers[count] of a message, by field number; those that are absent stay 0. */
static bool numbers_read(const struct pprof *pprof, const struct wire_field *message,
                         uint64_t *numbers, size_t count, struct err *err)
{
    struct wire_field field;
    memset(numbers, 0, count * sizeof *numbers);
    for (const uint8_t *p = message->bytes; p < message->end;) {
        if (!field_next(pprof, &p, message->end, &field, err))
            return false;
        if (field.type != WIRE_BYTES && field.number > 0 && field.number < count)
            numbers[field.number] = field.value;
    }
    return true;
}

/* A repeated number, packed or not: hands over each. */
struct numbers {
    const uint8_t *p, *end;
    bool single, done;
    uint64_t value;
};

static struct numbers numbers_of(const struct wire_field *field)
{
    return field->type == WIRE_BYTES ? (struct numbers){.p = field->bytes, .end = field->end}
                                     : (struct numbers){.single = true, .value = field->value};
}

/* false at the end, or where it is broken (p is NULL then). */
static bool numbers_next(struct numbers *numbers, uint64_t *ret_value)
{
    if (numbers->single) {
        bool first = !numbers->done;
        numbers->done = true;
        *ret_value = numbers->value;
        return first;
    }
    if (numbers->p == NULL || numbers->p == numbers->end)
        return false;
    numbers->p = varint_read(numbers->p, numbers->end, ret_value);
    return numbers->p != NULL;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* "" of a number that no text has. */
static const char *string_of(const struct pprof *pprof, uint64_t number)
{
    return number < pprof->string_count ? pprof->strings[number] : "";
}

static bool function_add(struct pprof *pprof, const struct wire_field *message, struct err *err)
{
    enum { ID = 1, NAME = 2, FILENAME = 4, FIELDS };
    uint64_t numbers[FIELDS];
    if (!numbers_read(pprof, message, numbers, FIELDS, err))
        return false;
    pprof->functions = arena_grow(pprof->arena, pprof->functions, pprof->function_count,
                                  &pprof->function_capacity, sizeof *pprof->functions);
    pprof->functions[pprof->function_count] = (struct function){numbers[NAME], numbers[FILENAME]};
    id_map_set(&pprof->function_by_id, (int64_t)numbers[ID], (int32_t)pprof->function_count++);
    return true;
}

static bool location_add(struct pprof *pprof, const struct wire_field *message, struct err *err)
{
    enum { ID = 1, LINE = 4 };
    enum { LINE_FUNCTION = 1, LINE_NUMBER = 2, LINE_FIELDS };
    uint64_t id = 0, line[LINE_FIELDS];
    struct wire_field field;
    struct location location = {.first = pprof->frame_count};
    for (const uint8_t *p = message->bytes; p < message->end;) {
        if (!field_next(pprof, &p, message->end, &field, err))
            return false;
        if (field.number == ID && field.type != WIRE_BYTES)
            id = field.value;
        if (field.number != LINE || field.type != WIRE_BYTES)
            continue;
        if (!numbers_read(pprof, &field, line, LINE_FIELDS, err))
            return false;
        pprof->frames = arena_grow(pprof->arena, pprof->frames, pprof->frame_count,
                                   &pprof->frame_capacity, sizeof *pprof->frames);
        pprof->frames[pprof->frame_count++] =
            (struct frame){line[LINE_FUNCTION], (int64_t)line[LINE_NUMBER]};
    }
    location.count = pprof->frame_count - location.first;
    pprof->locations = arena_grow(pprof->arena, pprof->locations, pprof->location_count,
                                  &pprof->location_capacity, sizeof *pprof->locations);
    pprof->locations[pprof->location_count] = location;
    id_map_set(&pprof->location_by_id, (int64_t)id, (int32_t)pprof->location_count++);
    return true;
}

static bool tables_read(struct pprof *pprof, struct err *err)
{
    struct wire_field field;
    for (const uint8_t *p = pprof->begin; p < pprof->end;) {
        if (!field_next(pprof, &p, pprof->end, &field, err) ||
            !arena_ok(pprof->arena, "a memory profile", err))
            return false;
        if (field.type != WIRE_BYTES)
            continue;
        if ((field.number == PROFILE_FUNCTION && !function_add(pprof, &field, err)) ||
            (field.number == PROFILE_LOCATION && !location_add(pprof, &field, err)))
            return false;
        if (field.number == PROFILE_STRING) {
            pprof->strings = arena_grow(pprof->arena, pprof->strings, pprof->string_count,
                                        &pprof->string_capacity, sizeof *pprof->strings);
            pprof->strings[pprof->string_count++] = text_utf8_repair(
                pprof->arena, (const char *)field.bytes, (size_t)(field.end - field.bytes));
        }
    }
    return true;
}

/* Which of a sample's values are its number and its size. */
static bool types_read(struct pprof *pprof, struct err *err)
{
    enum { TYPE = 1, UNIT = 2, FIELDS };
    struct wire_field field;
    uint64_t numbers[FIELDS];
    for (const uint8_t *p = pprof->begin; p < pprof->end;) {
        if (!field_next(pprof, &p, pprof->end, &field, err))
            return false;
        if (field.number != PROFILE_SAMPLE_TYPE || field.type != WIRE_BYTES)
            continue;
        if (!numbers_read(pprof, &field, numbers, FIELDS, err))
            return false;
        const char *type = string_of(pprof, numbers[TYPE]), *unit = string_of(pprof, numbers[UNIT]);
        if (strcmp(type, "allocations") == 0 && strcmp(unit, "count") == 0) {
            pprof->count_type = pprof->type_count;
            pprof->has_count = true;
        } else if (strcmp(type, "space") == 0 && strcmp(unit, "bytes") == 0) {
            pprof->bytes_type = pprof->type_count;
            pprof->has_bytes = true;
        }
        pprof->type_count++;
    }
    return (pprof->has_count && pprof->has_bytes) ||
           err_set(err, ERR_INPUT,
                   "'%s' is a pprof profile, but not of device memory (it counts no allocations "
                   "with their space in bytes): give what "
                   "jax.profiler.save_device_memory_profile(\"memory.prof\") wrote",
                   pprof->path);
}

/* ---- samples --------------------------------------------------------------------------------- */

static const struct function *function_of(const struct pprof *pprof, size_t frame)
{
    static const struct function none;
    uint64_t id = pprof->frames[frame].function;
    int32_t index = id_map_find(&pprof->function_by_id, (int64_t)id);
    return index == ID_MAP_ABSENT ? &none : &pprof->functions[index];
}

/* Once for each location: samples share them. */
static void frames_choose(struct pprof *pprof)
{
    for (size_t l = 0; l < pprof->location_count; l++) {
        struct location *location = &pprof->locations[l];
        location->meant = location->first;
        for (size_t i = 0; i < location->count && !location->is_own; i++) {
            const char *file = string_of(pprof, function_of(pprof, location->first + i)->file);
            /* A line of the user's: of no installed package, nor of Python itself. */
            location->is_own = strstr(file, "/site-packages/") == NULL &&
                               strstr(file, "/dist-packages/") == NULL &&
                               strstr(file, "/lib/python3") == NULL &&
                               strncmp(file, "<frozen", 7) != 0;
            location->meant = location->is_own ? location->first + i : location->meant;
        }
    }
}

/* The first location with a frame that is the user's, else the first with any. */
static bool locations_search(const struct pprof *pprof, const struct wire_field *locations,
                             const struct location **best)
{
    struct numbers ids = numbers_of(locations);
    uint64_t id;
    while ((*best == NULL || !(*best)->is_own) && numbers_next(&ids, &id)) {
        int32_t index = id_map_find(&pprof->location_by_id, (int64_t)id);
        const struct location *location = index == ID_MAP_ABSENT ? NULL : &pprof->locations[index];
        if (location != NULL && location->count > 0 && (*best == NULL || location->is_own))
            *best = location;
    }
    return ids.single || ids.p != NULL;
}

static bool values_read(const struct pprof *pprof, const struct wire_field *values, size_t *place,
                        struct pprof_sample *sample)
{
    struct numbers numbers = numbers_of(values);
    uint64_t value;
    for (; numbers_next(&numbers, &value); ++*place) {
        if (*place == pprof->count_type)
            sample->count = (int64_t)value;
        if (*place == pprof->bytes_type)
            sample->bytes = (int64_t)value;
    }
    return numbers.single || numbers.p != NULL;
}

static bool label_read(const struct pprof *pprof, const struct wire_field *message,
                       struct pprof_sample *sample, struct err *err)
{
    enum { KEY = 1, TEXT = 2, FIELDS };
    uint64_t numbers[FIELDS];
    if (!numbers_read(pprof, message, numbers, FIELDS, err))
        return false;
    const char *key = string_of(pprof, numbers[KEY]);
    if (strcmp(key, "device") == 0)
        sample->device = string_of(pprof, numbers[TEXT]);
    else if (strcmp(key, "kind") == 0)
        sample->kind = string_of(pprof, numbers[TEXT]);
    return true;
}

static bool sample_read(const struct pprof *pprof, const struct wire_field *message,
                        struct pprof_sample *sample, struct err *err)
{
    enum { LOCATIONS = 1, VALUES = 2, LABEL = 3 };
    struct wire_field field;
    size_t place = 0;
    const struct location *from = NULL;
    *sample = (struct pprof_sample){.device = "", .kind = "", .file = "", .function = ""};
    for (const uint8_t *p = message->bytes; p < message->end;) {
        const uint8_t *at = p;
        if (!field_next(pprof, &p, message->end, &field, err))
            return false;
        if ((field.number == LOCATIONS && !locations_search(pprof, &field, &from)) ||
            (field.number == VALUES && !values_read(pprof, &field, &place, sample)))
            return malformed(pprof, at, err);
        if (field.number == LABEL && field.type == WIRE_BYTES &&
            !label_read(pprof, &field, sample, err))
            return false;
    }
    if (from != NULL) {
        const struct function *function = function_of(pprof, from->meant);
        sample->file = string_of(pprof, function->file);
        sample->function = string_of(pprof, function->name);
        sample->line = pprof->frames[from->meant].line;
    }
    if (place != pprof->type_count || sample->count < 0)
        return err_set(err, ERR_INPUT,
                       "'%s': byte %lld of the decompressed profile: a sample has %zu values of "
                       "%zu, or counts fewer than no allocations; save the memory profile again",
                       pprof->path, (long long)(message->bytes - pprof->begin), place,
                       pprof->type_count);
    return true;
}

/* ---- the file -------------------------------------------------------------------------------- */

bool pprof_read(const char *path, struct arena *arena, pprof_sample_fn *take, void *context,
                struct err *err)
{
    scoped_input input = {.fd = -1};
    struct pprof pprof = {.path = path, .arena = arena};
    struct pprof_sample sample;
    struct wire_field field;
    struct whole_text text;
    id_map_init(&pprof.location_by_id, arena);
    id_map_init(&pprof.function_by_id, arena);
    if (!input_open(path, &input, err) || !text_window_whole(&input, arena, &text, err))
        return false;
    if (text.fault != NULL)
        return err_set(err, ERR_INPUT,
                       "'%s' %s: a memory profile is read whole or not at all; copy the file "
                       "again",
                       path, text.fault);
    pprof.begin = text.bytes;
    pprof.end = text.bytes + text.length;
    if (!tables_read(&pprof, err) || !types_read(&pprof, err))
        return false;
    frames_choose(&pprof);
    for (const uint8_t *p = pprof.begin; p < pprof.end;) {
        if (!field_next(&pprof, &p, pprof.end, &field, err))
            return false;
        if (field.number == PROFILE_SAMPLE && field.type == WIRE_BYTES &&
            (!sample_read(&pprof, &field, &sample, err) || !take(context, &sample, err)))
            return false;
    }
    return true;
}
