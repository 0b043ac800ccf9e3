/* Reads the JSON form of a struct that a table describes (schema/documents/record.h).
 *
 * The way from the root to the value at hand is a chain on the stack, printed only when something
 * is wrong.
 */
#include "schema/documents/record.h"

#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const long double PS_PER_US = 1e6L;

enum { NO_INDEX = -1, PATH_MAX_BYTES = 400, SHOWN_MAX_BYTES = 60 };

struct place {
    const struct place *parent; /* NULL at the root */
    const char *name;           /* NULL for an item of a list */
    size_t index;
};

struct reader {
    const char *document;
    struct arena *arena;
    struct err *err;
};

static bool record_fill(const struct reader *reader, const struct record *record,
                        const json_t *object, const struct place *place, char *base);

static void place_print(const struct place *place, struct text *out)
{
    if (place->parent == NULL)
        return;
    place_print(place->parent, out);
    if (place->name == NULL)
        text_addf(out, "[%zu]", place->index);
    else
        text_addf(out, "%s%s", place->parent->parent == NULL ? "" : ".", place->name);
}

/* "number 3.5", "text "abc…"", "null", "list", … */
static void value_print(const json_t *json, struct text *out)
{
    if (json_is_object(json) || json_is_array(json)) {
        text_add(out, json_is_object(json) ? "an object" : "a list");
        return;
    }
    scoped_text shown;
    text_init(&shown, 1 << 20);
    json_print(json, JSON_STYLE_LINE, &shown);
    const char *text = text_shown(&shown);
    if (shown.length > SHOWN_MAX_BYTES)
        text_addf(out, "%.*s...", SHOWN_MAX_BYTES, text);
    else
        text_add(out, text);
}

static bool refuse(const struct reader *reader, const struct place *place, const json_t *found,
                   const char *wanted)
{
    scoped_text path;
    scoped_text value;
    text_init(&path, PATH_MAX_BYTES);
    text_init(&value, 2 * SHOWN_MAX_BYTES);
    place_print(place, &path);
    if (found == NULL)
        return err_set(reader->err, ERR_INPUT, "%s: the required member '%s' is missing",
                       reader->document, text_shown(&path));
    value_print(found, &value);
    return err_set(reader->err, ERR_INPUT, "%s: %s%s%s must be %s, but is %s", reader->document,
                   path.length == 0 ? "the document" : "'", text_shown(&path),
                   path.length == 0 ? "" : "'", wanted, text_shown(&value));
}

static bool text_read(const struct reader *reader, const json_t *json, const struct place *place,
                      const char **ret_text)
{
    const char *text = json_string_value(json);
    if (text == NULL || strlen(text) != json_string_length(json))
        return refuse(reader, place, json, "a text without NUL characters");
    *ret_text = arena_strdup(reader->arena, text);
    return true;
}

/* Integers may be written as 5.0: other writers of the format have no integer type. */
static bool int_read(const struct reader *reader, const json_t *json, const struct place *place,
                     int64_t *ret_value)
{
    static const double LIMIT = 9007199254740992.0; /* 2^53: beyond it a double is no exact count */
    if (json_is_integer(json)) {
        *ret_value = json_integer_value(json);
        return true;
    }
    double value = json_real_value(json);
    if (!json_is_real(json) || floor(value) != value || fabs(value) > LIMIT)
        return refuse(reader, place, json, "an integer");
    *ret_value = (int64_t)value;
    return true;
}

static bool number_read(const struct reader *reader, const json_t *json, const struct place *place,
                        double *ret_value)
{
    if (!json_is_number(json))
        return refuse(reader, place, json, "a number");
    *ret_value = json_number_value(json);
    return true;
}

static bool ps_read(const struct reader *reader, const json_t *json, const struct place *place,
                    int64_t *ret_value)
{
    static const double LIMIT_US = 9.2e12; /* int64_t holds 9.22e18 ps */
    double us = 0;
    if (!number_read(reader, json, place, &us))
        return false;
    if (!(fabs(us) <= LIMIT_US))
        return refuse(reader, place, json, "a time below 9.2e12 us");
    *ret_value = llroundl((long double)us * PS_PER_US); /* a second rounding would cost a bit */
    return true;
}

static bool index_read(const struct reader *reader, const json_t *json, const struct place *place,
                       uint32_t *ret_value)
{
    int64_t value;
    if (!int_read(reader, json, place, &value))
        return false;
    if (value < 0 || value >= UINT32_MAX)
        return refuse(reader, place, json, "an index");
    *ret_value = (uint32_t)value;
    return true;
}

static bool choice_read(const struct reader *reader, const struct member *member,
                        const json_t *json, const struct place *place, unsigned *ret_value)
{
    scoped_text wanted;
    text_init(&wanted, PATH_MAX_BYTES);
    text_add(&wanted, "one of");
    for (unsigned i = 0; i < member->choice_count; i++) {
        if (json_is_string(json) && strcmp(json_string_value(json), member->choices[i]) == 0) {
            *ret_value = i;
            return true;
        }
        text_addf(&wanted, " %s", member->choices[i]);
    }
    return refuse(reader, place, json, text_shown(&wanted));
}

static bool texts_read(const struct reader *reader, const json_t *json, const struct place *place,
                       struct string_list *ret_texts)
{
    if (!json_is_array(json))
        return refuse(reader, place, json, "a list of texts");
    size_t count = json_array_size(json);
    if (count == 0)
        return true;
    ret_texts->items = arena_array(reader->arena, const char *, count);
    for (size_t i = 0; i < count; i++) {
        struct place item = {place, NULL, i};
        if (!text_read(reader, json_array_get(json, i), &item, &ret_texts->items[i]))
            return false;
    }
    ret_texts->count = count;
    return arena_ok(reader->arena, reader->document, reader->err);
}

static bool list_read(const struct reader *reader, const struct member *member, const json_t *json,
                      const struct place *place, char *base)
{
    const struct record *record = member->record;
    if (!json_is_array(json))
        return refuse(reader, place, json, "a list");
    size_t count = json_array_size(json);
    if (count == 0)
        return true;
    /* A few bytes of the text may stand for a large struct. */
    if (!arena_fits(reader->arena, count, record->size))
        return arena_failed(reader->arena, reader->document, reader->err);
    char *items = arena_zalloc(reader->arena, count, record->size);
    for (size_t i = 0; i < count; i++) {
        struct place item = {place, NULL, i};
        if (!record_fill(reader, record, json_array_get(json, i), &item,
                         items + i * record->size) ||
            !arena_ok(reader->arena, reader->document, reader->err))
            return false;
    }
    memcpy(base + member->offset, &items, sizeof items);
    memcpy(base + member->count_offset, &count, sizeof count);
    return true;
}

static bool value_read(const struct reader *reader, const struct member *member, const json_t *json,
                       const struct place *place, char *base)
{
    void *at = base + member->offset;
    struct opt_i64 *whole = at;
    struct opt_f64 *real = at;
    switch (member->kind) {
    case MEMBER_TEXT:
        return text_read(reader, json, place, at);
    case MEMBER_BOOL:
        *(bool *)at = json_is_true(json);
        return json_is_boolean(json) || refuse(reader, place, json, "true or false");
    case MEMBER_INT:
        return int_read(reader, json, place, at);
    case MEMBER_OPT_INT:
        whole->set = true;
        return int_read(reader, json, place, &whole->value);
    case MEMBER_NUMBER:
        return number_read(reader, json, place, at);
    case MEMBER_OPT_NUMBER:
        real->set = true;
        return number_read(reader, json, place, &real->value);
    case MEMBER_PS:
    case MEMBER_PS_OR_NONE:
        return ps_read(reader, json, place, at);
    case MEMBER_INDEX:
        return index_read(reader, json, place, at);
    case MEMBER_CHOICE:
        return choice_read(reader, member, json, place, at);
    case MEMBER_TEXTS:
        return texts_read(reader, json, place, at);
    case MEMBER_RECORD:
        return record_fill(reader, member->record, json, place, at);
    case MEMBER_LIST:
        return list_read(reader, member, json, place, base);
    case MEMBER_INT32:
    case MEMBER_ENTRY:
    case MEMBER_SHA256:
    case MEMBER_JSON:
        break;
    }
    assert(member->kind < MEMBER_INT32); /* those of the last case are written alone */
    return false;
}

/* Reads "none" into the zeroed place of a member: nothing to do, but for the two kinds whose "none"
 * is another value. false when the kind has none, so that a null is refused as any other wrong
 * value. */
static bool none_read(const struct member *member, char *base)
{
    void *at = base + member->offset;
    switch (member->kind) {
    case MEMBER_PS_OR_NONE:
        *(int64_t *)at = -1;
        return true;
    case MEMBER_INDEX:
        *(uint32_t *)at = UINT32_MAX;
        return true;
    case MEMBER_TEXT:
    case MEMBER_OPT_INT:
    case MEMBER_OPT_NUMBER:
        return true;
    default:
        return member->flag_offset != MEMBER_NO_FLAG;
    }
}

static bool record_fill(const struct reader *reader, const struct record *record,
                        const json_t *object, const struct place *place, char *base)
{
    if (!json_is_object(object))
        return refuse(reader, place, object, "an object");
    for (size_t i = 0; i < record->member_count; i++) {
        const struct member *member = &record->members[i];
        struct place here = {place, member->name, 0};
        const json_t *json = json_object_get(object, member->name);
        if (json == NULL && member->old_name != NULL)
            json = json_object_get(object, member->old_name);
        if (json == NULL && member->presence <= MEMBER_PRESENT)
            return refuse(reader, &here, NULL, "");
        bool none = json == NULL || (json_is_null(json) && member->presence != MEMBER_REQUIRED);
        if (none && (none_read(member, base) || json == NULL))
            continue;
        if (member->flag_offset != MEMBER_NO_FLAG) /* first: a flag may be its own value */
            *(bool *)(base + member->flag_offset) = true;
        if (!value_read(reader, member, json, &here, base))
            return false;
    }
    return true;
}

bool record_read(const struct record *record, const json_t *object, const char *document,
                 struct arena *arena, void *value, struct err *err)
{
    struct reader reader = {document, arena, err};
    struct place root = {NULL, NULL, 0};
    return record_fill(&reader, record, object, &root, value) && arena_ok(arena, document, err);
}

bool record_from_json(const struct record *record, const json_t *object, const char *document,
                      struct arena *arena, void *ret_value, struct err *err)
{
    void *value = arena_zalloc(arena, 1, record->size);
    if (!record_read(record, object, document, arena, value, err))
        return false;
    const char *version = json_string_value(json_object_get(object, "schema_version"));
    if (record->schema_version != NULL &&
        (version == NULL || strcmp(version, record->schema_version) != 0))
        return err_set(err, ERR_INPUT, "%s: schema_version is \"%.40s\", not %s", document,
                       version == NULL ? "" : version, record->schema_version);
    memcpy(ret_value, value, record->size);
    return true;
}
