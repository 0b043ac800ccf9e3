/* Writes the JSON form of a struct that a table describes (schema/documents/record.h): as a tree,
 * for who adds to it or picks from it, or as text at once.
 *
 * Both see a member the same way: what a kind means is said once, in plain_of.
 */
#include "schema/documents/record.h"

#include "ops/runtime/json.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const double PS_PER_US = 1e6;
enum { RECORD_MEMBERS_MAX = 64 };

/* ---- what a member is ---- */

enum plain_kind { PLAIN_NULL, PLAIN_BOOL, PLAIN_INT, PLAIN_NUMBER, PLAIN_TEXT };

/* A value that is no record and no list. */
struct plain {
    enum plain_kind kind;
    bool yes;
    int64_t whole;
    double real;
    const char *text;
};

static struct plain plain_int(bool set, int64_t value)
{
    return (struct plain){.kind = set ? PLAIN_INT : PLAIN_NULL, .whole = value};
}

static struct plain plain_number(bool set, double value)
{
    return (struct plain){.kind = set ? PLAIN_NUMBER : PLAIN_NULL, .real = value};
}

static struct plain plain_text(const char *text)
{
    return (struct plain){.kind = PLAIN_TEXT, .text = text};
}

/* `name` is room for a text that is made here. */
static struct plain plain_of(const struct member *member, const void *at,
                             char name[SHA256_HEX_BYTES])
{
    const struct opt_i64 *whole = at;
    const struct opt_f64 *real = at;
    switch (member->kind) {
    case MEMBER_TEXT:
        return plain_text(*(const char *const *)at);
    case MEMBER_BOOL:
        return (struct plain){.kind = PLAIN_BOOL, .yes = *(const bool *)at};
    case MEMBER_INT:
        return plain_int(true, *(const int64_t *)at);
    case MEMBER_OPT_INT:
        return plain_int(whole->set, whole->value);
    case MEMBER_NUMBER:
        return plain_number(true, *(const double *)at);
    case MEMBER_OPT_NUMBER:
        return plain_number(real->set, real->value);
    case MEMBER_PS:
        return plain_number(true, (double)*(const int64_t *)at / PS_PER_US);
    case MEMBER_PS_OR_NONE:
        return plain_number(*(const int64_t *)at >= 0, (double)*(const int64_t *)at / PS_PER_US);
    case MEMBER_INDEX:
        return plain_int(*(const uint32_t *)at != UINT32_MAX, *(const uint32_t *)at);
    case MEMBER_CHOICE:
        return plain_text(member->choices[*(const unsigned *)at]);
    case MEMBER_INT32:
        return plain_int(true, *(const int *)at);
    case MEMBER_ENTRY:
        (void)snprintf(name, SHA256_HEX_BYTES, "%c%" PRId64, member->letter, *(const int64_t *)at);
        return plain_text(*(const int64_t *)at == 0 ? NULL : name);
    case MEMBER_SHA256:
        text_hex(at, SHA256_BYTES, name);
        return plain_text(name);
    case MEMBER_TEXTS:
    case MEMBER_RECORD:
    case MEMBER_LIST:
    case MEMBER_JSON:
        break;
    }
    return (struct plain){.kind = PLAIN_NULL};
}

/* Whether the member has a value; one that has none is null, or left out. */
static bool member_is_there(const struct member *member, const char *base)
{
    return member->flag_offset == MEMBER_NO_FLAG || *(const bool *)(base + member->flag_offset);
}

static bool member_is_shown(const struct member *member, const char *base)
{
    return member->presence != MEMBER_OPTIONAL || member_is_there(member, base);
}

/* ---- as a tree ---- */

static json_t *value_write(const struct member *member, const char *base)
{
    const void *at = base + member->offset;
    if (!member_is_there(member, base))
        return json_null();
    if (member->kind == MEMBER_TEXTS) {
        const struct string_list *texts = at;
        json_t *array = json_array();
        for (size_t i = 0; i < texts->count; i++)
            (void)json_array_append_new(array, json_text(texts->items[i]));
        return array;
    }
    if (member->kind == MEMBER_RECORD)
        return record_to_json(member->record, at);
    if (member->kind == MEMBER_LIST) {
        const char *items = *(const char *const *)at;
        size_t count = *(const size_t *)(base + member->count_offset);
        json_t *array = json_array();
        for (size_t i = 0; i < count; i++) {
            const char *item = items + i * member->record->size;
            (void)json_array_append_new(array, record_to_json(member->record, item));
        }
        return array;
    }
    if (member->kind == MEMBER_JSON)
        return *(json_t *const *)at == NULL ? json_null() : json_incref(*(json_t *const *)at);
    char name[SHA256_HEX_BYTES];
    const struct plain plain = plain_of(member, at, name);
    switch (plain.kind) {
    case PLAIN_BOOL:
        return json_boolean(plain.yes);
    case PLAIN_INT:
        return json_integer(plain.whole);
    case PLAIN_NUMBER:
        return json_number(plain.real);
    case PLAIN_TEXT:
        return json_text(plain.text);
    case PLAIN_NULL:
        break;
    }
    return json_null();
}

void record_write(const struct record *record, const void *value, json_t *object)
{
    for (size_t i = 0; i < record->member_count; i++) {
        const struct member *member = &record->members[i];
        if (member_is_shown(member, value))
            (void)json_object_set_new_nocheck(object, member->name, value_write(member, value));
    }
}

json_t *record_to_json(const struct record *record, const void *value)
{
    json_t *object = json_object();
    record_write(record, value, object);
    return object;
}

/* ---- as text ---- */

/* The members of one object in the order of their names: found once for all rows of a list. */
struct sorted {
    const struct member *members[RECORD_MEMBERS_MAX];
    size_t count;
};

static void sorted_add(struct sorted *sorted, const struct record *record)
{
    for (size_t i = 0; i < record->member_count; i++) {
        const struct member *member = &record->members[i];
        assert(sorted->count < RECORD_MEMBERS_MAX);
        size_t at = sorted->count++;
        for (; at > 0 && strcmp(sorted->members[at - 1]->name, member->name) > 0; at--)
            sorted->members[at] = sorted->members[at - 1];
        sorted->members[at] = member;
    }
}

static void sorted_print(const struct sorted *sorted, const char *base, struct json_writer *writer);

static void value_print(const struct member *member, const char *base, struct json_writer *writer)
{
    const void *at = base + member->offset;
    if (!member_is_there(member, base)) {
        json_write_null(writer);
    } else if (member->kind == MEMBER_TEXTS) {
        const struct string_list *texts = at;
        json_open(writer, '[');
        for (size_t i = 0; i < texts->count; i++) {
            json_item(writer);
            json_write_text(writer, texts->items[i]);
        }
        json_close(writer, ']');
    } else if (member->kind == MEMBER_RECORD) {
        records_print(member->record, NULL, at, writer);
    } else if (member->kind == MEMBER_LIST) {
        const char *items = *(const char *const *)(base + member->offset);
        size_t count = *(const size_t *)(base + member->count_offset);
        struct sorted sorted = {.count = 0};
        sorted_add(&sorted, member->record);
        json_open(writer, '[');
        for (size_t i = 0; i < count; i++) {
            json_item(writer);
            sorted_print(&sorted, items + i * member->record->size, writer);
        }
        json_close(writer, ']');
    } else {
        char name[SHA256_HEX_BYTES];
        assert(member->kind != MEMBER_JSON);
        const struct plain plain = plain_of(member, at, name);
        switch (plain.kind) {
        case PLAIN_BOOL:
            json_write_bool(writer, plain.yes);
            break;
        case PLAIN_INT:
            json_write_int(writer, plain.whole);
            break;
        case PLAIN_NUMBER:
            json_write_number(writer, plain.real);
            break;
        case PLAIN_TEXT:
            json_write_text(writer, plain.text);
            break;
        case PLAIN_NULL:
            json_write_null(writer);
            break;
        }
    }
}

static void sorted_print(const struct sorted *sorted, const char *base, struct json_writer *writer)
{
    json_open(writer, '{');
    for (size_t i = 0; i < sorted->count; i++) {
        const struct member *member = sorted->members[i];
        if (!member_is_shown(member, base))
            continue;
        json_key(writer, member->name);
        value_print(member, base, writer);
    }
    json_close(writer, '}');
}

void records_print(const struct record *record, const struct record *more, const void *value,
                   struct json_writer *writer)
{
    struct sorted sorted = {.count = 0};
    sorted_add(&sorted, record);
    if (more != NULL)
        sorted_add(&sorted, more);
    sorted_print(&sorted, value, writer);
}
