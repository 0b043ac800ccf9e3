/* Tests that the JSON schemas say what the tables of members do: same members, same types, same
 * ones required. The tables make the documents, so a schema that agrees with them agrees with the
 * documents.
 */
#include "ops/runtime/json.h"
#include "schema/summary_records.h"
#include "schema/verdict_records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SCHEMA_MAX_BYTES = 1 << 20 };

static const char *const member_types[] = {
    [MEMBER_TEXT] = "string",     [MEMBER_BOOL] = "boolean",      [MEMBER_INT] = "integer",
    [MEMBER_OPT_INT] = "integer", [MEMBER_NUMBER] = "number",     [MEMBER_OPT_NUMBER] = "number",
    [MEMBER_PS] = "number",       [MEMBER_PS_OR_NONE] = "number", [MEMBER_INDEX] = "integer",
    [MEMBER_CHOICE] = NULL,       [MEMBER_TEXTS] = "array",       [MEMBER_RECORD] = "object",
    [MEMBER_LIST] = "array",
};

static void check_record(const json_t *root, const struct record *record, const json_t *schema);

static const json_t *resolved(const json_t *root, const json_t *schema)
{
    const char *reference = json_string_value(json_object_get(schema, "$ref"));
    if (reference == NULL)
        return schema;
    static const char prefix[] = "#/$defs/";
    assert_int_equal(strncmp(reference, prefix, sizeof prefix - 1), 0);
    const json_t *definition =
        json_object_get(json_object_get(root, "$defs"), reference + sizeof prefix - 1);
    if (definition == NULL)
        fail_msg("%s is not there", reference);
    return definition;
}

static bool may_be_null(const struct member *member)
{
    return member->presence == MEMBER_PRESENT || member->presence == MEMBER_NULLABLE ||
           member->flag_offset != MEMBER_NO_FLAG;
}

/* "type" is the name, or a list of the name and "null". */
static void check_type(const struct member *member, const json_t *schema)
{
    const json_t *type = json_object_get(schema, "type");
    bool nullable = json_is_array(type);
    const char *name = json_string_value(nullable ? json_array_get(type, 0) : type);
    if (name == NULL || strcmp(name, member_types[member->kind]) != 0)
        fail_msg("%s is %s, not %s", member->name, name, member_types[member->kind]);
    if (nullable != may_be_null(member))
        fail_msg("%s: null is wrong", member->name);
}

static void check_member(const json_t *root, const struct member *member, const json_t *schema)
{
    if (schema == NULL)
        fail_msg("%s is in no schema", member->name);
    schema = resolved(root, schema);
    if (member->kind == MEMBER_CHOICE) {
        const json_t *values = json_object_get(schema, "enum");
        assert_int_equal(json_array_size(values), member->choice_count);
        for (size_t i = 0; i < member->choice_count; i++)
            assert_string_equal(json_string_value(json_array_get(values, i)), member->choices[i]);
        return;
    }
    check_type(member, schema);
    if (member->kind == MEMBER_RECORD)
        check_record(root, member->record, schema);
    if (member->kind == MEMBER_LIST)
        check_record(root, member->record, resolved(root, json_object_get(schema, "items")));
}

static void check_members(const json_t *root, const struct record *record, const json_t *schema)
{
    for (size_t i = 0; i < record->member_count; i++) {
        const json_t *properties = json_object_get(schema, "properties");
        check_member(root, &record->members[i],
                     json_object_get(properties, record->members[i].name));
    }
}

static size_t required_count(const struct record *record)
{
    size_t count = 0;
    for (size_t i = 0; i < record->member_count; i++)
        count += record->members[i].presence <= MEMBER_PRESENT;
    return count;
}

static void check_required(const struct record *record, const json_t *names)
{
    assert_int_equal(json_array_size(names), required_count(record));
    for (size_t k = 0; k < json_array_size(names); k++) {
        bool found = false;
        for (size_t i = 0; i < record->member_count; i++)
            found |=
                record->members[i].presence <= MEMBER_PRESENT &&
                strcmp(record->members[i].name, json_string_value(json_array_get(names, k))) == 0;
        if (!found)
            fail_msg("%s is not required", json_string_value(json_array_get(names, k)));
    }
}

static void check_record(const json_t *root, const struct record *record, const json_t *schema)
{
    check_members(root, record, schema);
    assert_int_equal(json_object_size(json_object_get(schema, "properties")), record->member_count);
    check_required(record, json_object_get(schema, "required"));
}

static json_t *schema_read(const char *path)
{
    struct err err = {0};
    json_t *root = json_read_file(path, SCHEMA_MAX_BYTES, &err);
    if (root == NULL)
        fail_msg("%s", err.text);
    return root;
}

static void describes_every_member_of_a_verdict(void **state)
{
    (void)state;
    scoped_json *root = schema_read("schema/verdict.schema.json");
    check_record(root, &verdict_record, root);
}

static void describes_every_member_of_a_summary(void **state)
{
    (void)state;
    scoped_json *root = schema_read("schema/summary.schema.json");
    check_members(root, &summary_v1_record, root);
    check_members(root, &summary_ours_record, root);
    assert_int_equal(json_object_size(json_object_get(root, "properties")),
                     summary_v1_record.member_count + summary_ours_record.member_count);
    check_required(&summary_v1_record, json_object_get(root, "required"));
    const json_t *ours = json_object_get(json_object_get(root, "dependentRequired"), "producer");
    check_required(&summary_ours_record, ours);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describes_every_member_of_a_verdict),
        cmocka_unit_test(describes_every_member_of_a_summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
