/* A struct described as a table of its members: one description that the writer and the reader of
 * its JSON form share.
 *
 * Twins written by hand drift apart; a table cannot. Each line of a table names the member, its
 * kind and where it lies, and the macros below refuse to compile when the kind does not fit the
 * type of the field. Tables nest (RECORD, LIST) and are constant, so the depth of reading is
 * bounded by the tables and not by the document.
 */
#ifndef SCHEMA_DOCUMENTS_RECORD_H
#define SCHEMA_DOCUMENTS_RECORD_H

#include "ops/runtime/arena.h"
#include "ops/runtime/digest.h"
#include "ops/runtime/err.h"
#include "ops/runtime/json.h"
#include "schema/documents/optional.h"

#include <jansson.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum member_kind {
    MEMBER_TEXT,       /* const char *; null = NULL */
    MEMBER_BOOL,       /* bool */
    MEMBER_INT,        /* int64_t */
    MEMBER_OPT_INT,    /* struct opt_i64 */
    MEMBER_NUMBER,     /* double */
    MEMBER_OPT_NUMBER, /* struct opt_f64 */
    MEMBER_PS, /* int64_t picoseconds, shown as µs; exact below 2^52 ps (75 min), then 16 digits */
    MEMBER_PS_OR_NONE, /* the same; negative = null */
    MEMBER_INDEX,      /* uint32_t; UINT32_MAX = null */
    MEMBER_CHOICE,     /* an enum that starts at 0, shown by name */
    MEMBER_TEXTS,      /* struct string_list */
    MEMBER_RECORD,     /* a struct inside this one */
    MEMBER_LIST,       /* pointer to an array of structs, and its size_t count */
    /* Of documents that are written and never read. */
    MEMBER_INT32,  /* int */
    MEMBER_ENTRY,  /* int64_t, an entry by its name: letter and number ("p12"); 0 = null */
    MEMBER_SHA256, /* uint8_t[SHA256_BYTES], as hex */
    MEMBER_JSON    /* json_t *, which stays its owner's; NULL = null. Of trees alone */
};

enum member_presence {
    MEMBER_REQUIRED, /* the reader refuses a document without it, or with null */
    MEMBER_PRESENT,  /* must be there, may be null */
    MEMBER_NULLABLE, /* absent reads as null */
    MEMBER_OPTIONAL /* absent reads as zero or empty; with a flag, the writer leaves it out when the
                       flag is false */
};

enum { MEMBER_NO_FLAG = 0 };

struct member {
    const char *name;
    const char *old_name; /* read when name is absent; NULL = none */
    enum member_kind kind;
    enum member_presence presence;
    size_t offset;
    size_t count_offset; /* LIST */
    size_t flag_offset;  /* of a bool that says whether there is a value; MEMBER_NO_FLAG = always */
    const struct record *record; /* RECORD, LIST */
    const char *const *choices;  /* CHOICE */
    size_t choice_count;
    char letter; /* ENTRY */
};

struct record {
    size_t size; /* of the struct */
    const struct member *members;
    size_t member_count;
    const char *schema_version; /* that its documents have; NULL: none is asked for */
};

#define M_ANY(json, member_kind, at, ...) \
    { \
        .name = json, .kind = member_kind, .offset = at, __VA_ARGS__ \
    }
#define M_TEXT(t, f, ...) M_ANY(#f, MEMBER_TEXT, FIELD_AT(struct t, f, const char *), __VA_ARGS__)
#define M_TEXT_AS(json, t, f, ...) \
    M_ANY(json, MEMBER_TEXT, FIELD_AT(struct t, f, const char *), __VA_ARGS__)
#define M_BOOL(t, f, ...) M_ANY(#f, MEMBER_BOOL, FIELD_AT(struct t, f, bool), __VA_ARGS__)
#define M_BOOL_AS(json, t, f) M_ANY(json, MEMBER_BOOL, FIELD_AT(struct t, f, bool))
#define M_INT(t, f, ...) M_ANY(#f, MEMBER_INT, FIELD_AT(struct t, f, int64_t), __VA_ARGS__)
#define M_INT_AS(json, t, f, ...) \
    M_ANY(json, MEMBER_INT, FIELD_AT(struct t, f, int64_t), __VA_ARGS__)
#define M_OPT_INT(t, f, ...) \
    M_ANY(#f, MEMBER_OPT_INT, FIELD_AT(struct t, f, struct opt_i64), __VA_ARGS__)
#define M_OPT_INT_AS(json, t, f) M_ANY(json, MEMBER_OPT_INT, FIELD_AT(struct t, f, struct opt_i64))
#define M_NUMBER(t, f, ...) M_ANY(#f, MEMBER_NUMBER, FIELD_AT(struct t, f, double), __VA_ARGS__)
#define M_NUMBER_AS(json, t, f) M_ANY(json, MEMBER_NUMBER, FIELD_AT(struct t, f, double))
#define M_OPT_NUMBER(t, f, ...) \
    M_ANY(#f, MEMBER_OPT_NUMBER, FIELD_AT(struct t, f, struct opt_f64), __VA_ARGS__)
#define M_PS(json, t, f, ...) M_ANY(json, MEMBER_PS, FIELD_AT(struct t, f, int64_t), __VA_ARGS__)
#define M_PS_OR_NONE(json, t, f, ...) \
    M_ANY(json, MEMBER_PS_OR_NONE, FIELD_AT(struct t, f, int64_t), __VA_ARGS__)
#define M_INDEX(t, f, ...) M_ANY(#f, MEMBER_INDEX, FIELD_AT(struct t, f, uint32_t), __VA_ARGS__)
#define M_TEXTS(t, f, ...) \
    M_ANY(#f, MEMBER_TEXTS, FIELD_AT(struct t, f, struct string_list), __VA_ARGS__)
#define M_TEXTS_AS(json, t, f) M_ANY(json, MEMBER_TEXTS, FIELD_AT(struct t, f, struct string_list))
#define M_CHOICE(t, f, enum_type, names, count, ...) \
    M_ANY(#f, MEMBER_CHOICE, FIELD_AT(struct t, f, enum_type), .choices = names, \
          .choice_count = count, __VA_ARGS__)
#define M_CHOICE_AS(json, t, f, enum_type, names) \
    M_ANY(json, MEMBER_CHOICE, FIELD_AT(struct t, f, enum_type), .choices = names)
#define M_RECORD(json, t, f, item, table, ...) \
    M_ANY(json, MEMBER_RECORD, FIELD_AT(struct t, f, struct item), .record = &(table), __VA_ARGS__)
/* Members of the same struct, as an object of their own. */
#define M_OBJECT(json, table, ...) M_ANY(json, MEMBER_RECORD, 0, .record = &(table), __VA_ARGS__)
#define M_LIST(json, t, f, n, item, table, ...) \
    M_ANY(json, MEMBER_LIST, FIELD_AT(struct t, f, struct item *), .record = &(table), \
          .count_offset = FIELD_AT(struct t, n, size_t), __VA_ARGS__)
#define M_PRESENT .presence = MEMBER_PRESENT
#define M_NULLABLE .presence = MEMBER_NULLABLE
#define M_OPTIONAL .presence = MEMBER_OPTIONAL
#define M_INT32(t, f, ...) M_ANY(#f, MEMBER_INT32, FIELD_AT(struct t, f, int), __VA_ARGS__)
#define M_ENTRY(json, t, f, first, ...) \
    M_ANY(json, MEMBER_ENTRY, FIELD_AT(struct t, f, int64_t), .letter = first, __VA_ARGS__)
#define M_SHA256(json, t, f) \
    M_ANY(json, MEMBER_SHA256, FIELD_AT(struct t, f, uint8_t[SHA256_BYTES]))
#define M_JSON(t, f, ...) M_ANY(#f, MEMBER_JSON, FIELD_AT(struct t, f, json_t *), __VA_ARGS__)

/* Members of struct t that a document calls as the struct does, of the kinds that their types tell:
 * each is what M_TEXT, M_BOOL and the like make of it; of the second, with M_NULLABLE. */
#define M_FIELDS(t, ...) EACH_AGAIN(M_FIELD_EACH(t, MEMBER_REQUIRED, __VA_ARGS__))
#define M_FIELDS_NULLABLE(t, ...) EACH_AGAIN(M_FIELD_EACH(t, MEMBER_NULLABLE, __VA_ARGS__))
#define M_FIELD_EACH(t, when, f, ...) \
    M_FIELD(t, when, f) __VA_OPT__(, M_FIELD_EACH_LATER EACH_PARENS(t, when, __VA_ARGS__))
#define M_FIELD_EACH_LATER() M_FIELD_EACH
#define M_FIELD(t, when, f) \
    { \
        .name = #f, .presence = when, .offset = offsetof(struct t, f), \
        .kind = _Generic(((struct t *)0)->f, \
            const char *: MEMBER_TEXT, \
            bool: MEMBER_BOOL, \
            int64_t: MEMBER_INT, \
            struct opt_i64: MEMBER_OPT_INT, \
            double: MEMBER_NUMBER, \
            struct opt_f64: MEMBER_OPT_NUMBER, \
            uint32_t: MEMBER_INDEX, \
            struct string_list: MEMBER_TEXTS, \
            int: MEMBER_INT32, \
            json_t *: MEMBER_JSON), \
    }

/* Initializes a `const struct record` of struct t from a table of its members. */
#define RECORD_OF(t, table) RECORD_OF_VERSION(t, table, NULL)
#define RECORD_OF_VERSION(t, table, version) \
    { \
        sizeof(struct t), table, sizeof(table) / sizeof *(table), version \
    }

/* Adds the members of *value to object. */
void record_write(const struct record *record, const void *value, json_t *object);

/* Prints the members of *value, those that `more` (may be NULL) describes of the same struct among
 * them: the bytes that json_print makes of record_write's object. */
void records_print(const struct record *record, const struct record *more, const void *value,
                   struct json_writer *writer);

/* The value as a new object. */
json_t *record_to_json(const struct record *record, const void *value);

/* Fills *ret_value, which the caller has zeroed, with what the table describes of *value; what it
 * points to is copied into the arena. Not for tables with MEMBER_JSON. */
void record_copy(const struct record *record, const void *value, struct arena *arena,
                 void *ret_value);

/* Fills *value, which the caller has zeroed, from an object; strings and lists are copied into the
 * arena. Unknown members are ignored. ERR_INPUT names document, member path, what is wrong and what
 * is expected; ERR_LIMIT is the arena's. After a failure *value is partly filled. */
bool record_read(const struct record *record, const json_t *object, const char *document,
                 struct arena *arena, void *value, struct err *err);

/* The same into *ret_value whatever it holds, which stays as it is after a failure. ERR_INPUT too
 * when it is a document of another schema_version. */
bool record_from_json(const struct record *record, const json_t *object, const char *document,
                      struct arena *arena, void *ret_value, struct err *err);

#endif
