/* Writes the JSON form of a struct that a table describes (schema/record.h). */
#include "schema/record.h"

#include "ops/runtime/json.h"

#include <string.h>

static const double PS_PER_US = 1e6;

static json_t *list_write(const struct member *member, const char *base, struct err *err);

static json_t *texts_write(const struct string_list *texts)
{
    scoped_json *array = json_array();
    for (size_t i = 0; array != NULL && i < texts->count; i++) {
        if (json_array_append_new(array, json_text(texts->items[i])) != 0)
            return NULL;
    }
    return json_incref(array);
}

static json_t *int_write(bool set, int64_t value)
{
    return set ? json_integer(value) : json_null();
}

static json_t *number_write(bool set, double value)
{
    return set ? json_number(value) : json_null();
}

static json_t *value_write(const struct member *member, const char *base, struct err *err)
{
    const void *at = base + member->offset;
    const struct opt_i64 *whole = at;
    const struct opt_f64 *real = at;
    switch (member->kind) {
    case MEMBER_TEXT:
        return json_text(*(const char *const *)at);
    case MEMBER_BOOL:
        return json_boolean(*(const bool *)at);
    case MEMBER_INT:
        return json_integer(*(const int64_t *)at);
    case MEMBER_OPT_INT:
        return int_write(whole->set, whole->value);
    case MEMBER_NUMBER:
        return json_number(*(const double *)at);
    case MEMBER_OPT_NUMBER:
        return number_write(real->set, real->value);
    case MEMBER_PS:
        return json_number((double)*(const int64_t *)at / PS_PER_US);
    case MEMBER_PS_OR_NONE:
        return number_write(*(const int64_t *)at >= 0, (double)*(const int64_t *)at / PS_PER_US);
    case MEMBER_INDEX:
        return int_write(*(const uint32_t *)at != UINT32_MAX, *(const uint32_t *)at);
    case MEMBER_CHOICE:
        return json_text(member->choices[*(const unsigned *)at]);
    case MEMBER_TEXTS:
        return texts_write(at);
    case MEMBER_RECORD:
        return record_to_json(member->record, at, err);
    case MEMBER_LIST:
        return list_write(member, base, err);
    }
    return NULL;
}

static json_t *list_write(const struct member *member, const char *base, struct err *err)
{
    const char *items = *(const char *const *)(base + member->offset);
    size_t count = *(const size_t *)(base + member->count_offset);
    scoped_json *array = json_array();
    for (size_t i = 0; array != NULL && i < count; i++) {
        json_t *item = record_to_json(member->record, items + i * member->record->size, err);
        if (json_array_append_new(array, item) != 0)
            return NULL;
    }
    return json_incref(array);
}

bool record_write(const struct record *record, const void *value, json_t *object, struct err *err)
{
    const char *base = value;
    for (size_t i = 0; i < record->member_count; i++) {
        const struct member *member = &record->members[i];
        bool there =
            member->flag_offset == MEMBER_NO_FLAG || *(const bool *)(base + member->flag_offset);
        if (!there && member->presence == MEMBER_OPTIONAL)
            continue;
        json_t *json = there ? value_write(member, base, err) : json_null();
        if (json_object_set_new_nocheck(object, member->name, json) != 0)
            return err_set(err, ERR_LIMIT, "no memory for the member %s of a document",
                           member->name);
    }
    return true;
}

json_t *record_to_json(const struct record *record, const void *value, struct err *err)
{
    scoped_json *object = json_object();
    if (object == NULL) {
        (void)err_set(err, ERR_LIMIT, "no memory for a document");
        return NULL;
    }
    return record_write(record, value, object, err) ? json_incref(object) : NULL;
}
