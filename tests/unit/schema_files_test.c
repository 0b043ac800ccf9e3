/* Tests that the JSON schemas say what the tables of members do: same members, same types, same
 * ones required. The tables make the documents, so a schema that agrees with them agrees with the
 * documents.
 */
#include "ops/runtime/json.h"
#include "schema/documents/canary.h"
#include "schema/documents/change_points.h"
#include "schema/documents/backup_note.h"
#include "schema/documents/capture_env.h"
#include "schema/documents/checkpoint.h"
#include "schema/documents/explanation.h"
#include "schema/documents/ranking.h"
#include "schema/documents/export_end.h"
#include "schema/documents/gate_request.h"
#include "schema/documents/proof.h"
#include "schema/documents/summary_records.h"
#include "schema/documents/track.h"
#include "schema/documents/trend.h"
#include "schema/documents/trend_report.h"
#include "schema/documents/verdict_records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { SCHEMA_MAX_BYTES = 1 << 20 };

static const char *const member_types[] = {
    [MEMBER_TEXT] = "string",     [MEMBER_BOOL] = "boolean",      [MEMBER_INT] = "integer",
    [MEMBER_OPT_INT] = "integer", [MEMBER_NUMBER] = "number",     [MEMBER_OPT_NUMBER] = "number",
    [MEMBER_PS] = "number",       [MEMBER_PS_OR_NONE] = "number", [MEMBER_INDEX] = "integer",
    [MEMBER_CHOICE] = NULL,       [MEMBER_TEXTS] = "array",       [MEMBER_RECORD] = "object",
    [MEMBER_LIST] = "array",      [MEMBER_INT32] = "integer",     [MEMBER_ENTRY] = "string",
    [MEMBER_SHA256] = "string",
};

/* A place in a file of schemas: references look from its root. */
struct place {
    const json_t *root, *schema;
};

static void check_record(const struct record *record, struct place place);

static json_t *schema_read(const char *name)
{
    char path[200];
    struct err err = {0};
    (void)snprintf(path, sizeof path, "schema/documents/%s", name);
    json_t *root = json_read_file(path, SCHEMA_MAX_BYTES, &err);
    if (root == NULL)
        fail_msg("%s", err.text);
    return root;
}

/* Files that others refer to, read once; freed at the end. */
static json_t *referred[8];

static const json_t *file_of(const char *name)
{
    size_t i = 0;
    for (; referred[i] != NULL; i++) {
        if (strcmp(json_string_value(json_object_get(referred[i], "$name")), name) == 0)
            return referred[i];
    }
    assert_in_range(i, 0, COUNT(referred) - 2);
    referred[i] = schema_read(name);
    json_object_set_new(referred[i], "$name", json_string(name));
    return referred[i];
}

/* Behind the `$ref`, when there is one. */
static struct place resolved(struct place place)
{
    static const char prefix[] = "#/$defs/";
    const char *reference = json_string_value(json_object_get(place.schema, "$ref"));
    if (reference == NULL)
        return place;
    if (strncmp(reference, prefix, sizeof prefix - 1) != 0) {
        const json_t *root = file_of(reference);
        return (struct place){root, root};
    }
    const json_t *definition =
        json_object_get(json_object_get(place.root, "$defs"), reference + sizeof prefix - 1);
    if (definition == NULL)
        fail_msg("%s is not there", reference);
    return (struct place){place.root, definition};
}

static bool may_be_null(const struct member *member)
{
    return member->presence == MEMBER_PRESENT || member->presence == MEMBER_NULLABLE ||
           member->flag_offset != MEMBER_NO_FLAG;
}

/* "type" is the name, or a list of the name and "null"; a version is a constant. */
static void check_type(const struct member *member, const json_t *schema)
{
    const json_t *type = json_object_get(schema, "type");
    bool nullable = json_is_array(type), constant = json_object_get(schema, "const") != NULL;
    const char *name =
        constant ? "string" : json_string_value(nullable ? json_array_get(type, 0) : type);
    if (name == NULL || strcmp(name, member_types[member->kind]) != 0)
        fail_msg("%s is %s, not %s", member->name, name, member_types[member->kind]);
    if (nullable != may_be_null(member))
        fail_msg("%s: null is wrong", member->name);
}

static void check_member(const struct member *member, struct place place)
{
    if (place.schema == NULL)
        fail_msg("%s is in no schema", member->name);
    place = resolved(place);
    if (member->kind == MEMBER_CHOICE) {
        const json_t *values = json_object_get(place.schema, "enum");
        assert_int_equal(json_array_size(values), member->choice_count);
        for (size_t i = 0; i < member->choice_count; i++)
            assert_string_equal(json_string_value(json_array_get(values, i)), member->choices[i]);
        return;
    }
    check_type(member, place.schema);
    if (member->kind == MEMBER_RECORD)
        check_record(member->record, place);
    if (member->kind == MEMBER_LIST)
        check_record(member->record,
                     resolved((struct place){place.root, json_object_get(place.schema, "items")}));
}

static void check_members(const struct record *record, struct place place)
{
    const json_t *properties = json_object_get(place.schema, "properties");
    for (size_t i = 0; i < record->member_count; i++)
        check_member(
            &record->members[i],
            (struct place){place.root, json_object_get(properties, record->members[i].name)});
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

static void check_record(const struct record *record, struct place place)
{
    check_members(record, place);
    assert_int_equal(json_object_size(json_object_get(place.schema, "properties")),
                     record->member_count);
    check_required(record, json_object_get(place.schema, "required"));
}

static void describes_every_member_of_each_document(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        const struct record *record;
    } documents[] = {
        {"verdict.schema.json", &verdict_record},
        {"gate_request.schema.json", &gate_request_record},
        {"trend.schema.json", &trend_record},
        {"trend_report.schema.json", &trend_report_record},
        {"canary.schema.json", &canary_record},
        {"explanation.schema.json", &explanation_record},
        {"ranking.schema.json", &ranking_record},
        {"change_points.schema.json", &change_report_record},
        {"comparison.schema.json", &comparison_record},
        {"track.schema.json", &track_record_record},
        {"capture_env.schema.json", &capture_env_record},
        {"checkpoint.schema.json", &checkpoint_record},
        {"proof.schema.json", &proof_record},
        {"backup.schema.json", &backup_note_record},
    };
    for (size_t i = 0; i < COUNT(documents); i++) {
        scoped_json *root = schema_read(documents[i].file);
        check_record(documents[i].record, (struct place){root, root});
    }
}

/* A line of an export: its other lines are built by hand. */
static void describes_every_member_of_the_end_of_an_export(void **state)
{
    (void)state;
    scoped_json *root = schema_read("export.schema.json");
    const json_t *definitions = json_object_get(root, "$defs");
    check_record(&export_end_record, (struct place){root, json_object_get(definitions, "end")});
}

static void describes_every_member_of_a_summary(void **state)
{
    (void)state;
    scoped_json *root = schema_read("summary.schema.json");
    const struct place place = {root, root};
    check_members(&summary_v1_record, place);
    check_members(&summary_ours_record, place);
    assert_int_equal(json_object_size(json_object_get(root, "properties")),
                     summary_v1_record.member_count + summary_ours_record.member_count);
    check_required(&summary_v1_record, json_object_get(root, "required"));
    const json_t *ours = json_object_get(json_object_get(root, "dependentRequired"), "producer");
    check_required(&summary_ours_record, ours);
}

static int forget_files(void **state)
{
    (void)state;
    for (size_t i = 0; referred[i] != NULL; i++)
        json_decref(referred[i]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describes_every_member_of_each_document),
        cmocka_unit_test(describes_every_member_of_a_summary),
        cmocka_unit_test(describes_every_member_of_the_end_of_an_export),
    };
    return cmocka_run_group_tests(tests, NULL, forget_files);
}
