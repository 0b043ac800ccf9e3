/* Tests of the JSON form of summaries: what is written, what is read, what is refused and how. */
#include "schema/documents/summary.h"

#include "ops/runtime/json.h"
#include "tests/support/golden_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char FULL[] =
    "present/slower.summary.json"; /* every member, each with a value of its own */

enum { ARENA_BYTES = 16 << 20 };

static json_t *document(const char *name)
{
    size_t length;
    struct err err = {0};
    char *text = golden_read(name, &length);
    json_t *root = json_parse(text, length, name, &err);
    free(text);
    assert_non_null(root);
    return root;
}

/* Both ways to a text give the same bytes. wanted may be NULL. */
static void check_text(const struct summary *summary, enum json_style style, const char *wanted)
{
    struct err err = {0};
    scoped_text text, direct;
    text_init(&text, 1 << 24);
    text_init(&direct, 1 << 24);
    scoped_json *root = summary_to_json(summary);
    assert_non_null(root);
    json_print(root, style, &text);
    summary_print(summary, style, &direct);
    text_addc(&text, '\n');
    text_addc(&direct, '\n');
    assert_true(text_ok(&text, "a summary", &err) && text_ok(&direct, "a summary", &err));
    assert_string_equal(text_string(&direct), text_string(&text));
    if (wanted != NULL)
        assert_string_equal(text_string(&text), wanted);
}

static void read_summary(const json_t *root, struct arena *arena, struct summary *summary)
{
    struct err err = {0};
    arena_init(arena, ARENA_BYTES);
    if (!summary_from_json(root, "s.json", arena, summary, &err))
        fail_msg("%s", err.text);
}

static void writes_what_it_reads_to_the_byte(void **state)
{
    (void)state;
    char *wanted = golden_read(FULL, NULL);
    scoped_json *root = document(FULL);
    scoped_arena arena;
    struct summary summary;
    read_summary(root, &arena, &summary);
    assert_true(summary.has_ours);
    check_text(&summary, JSON_STYLE_INDENTED, wanted);
    free(wanted);
}

static void prints_the_same_with_and_without_a_tree(void **state)
{
    (void)state;
    static const char *const hostile[] = {"a\"b\\c\n\x01\x7f", "\xff\xfe",
                                          "caf\xc3\xa9 \xf0\x9f\x98\x80", "cut \xe2\x82", ""};
    scoped_json *root = document(FULL);
    scoped_arena arena;
    struct summary summary;
    read_summary(root, &arena, &summary);
    summary.hot_ops[0].total_duration = INFINITY;
    summary.hot_ops[0].avg_duration = -0.0;
    summary.trace_overview.quality_warnings = (struct string_list){(const char **)hostile, 5};
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        summary.ops[0].name = hostile[i];
        summary.source_path = i == 0 ? NULL : hostile[i];
        check_text(&summary, JSON_STYLE_LINE, NULL);
        check_text(&summary, JSON_STYLE_INDENTED, NULL);
    }
    summary.steps.rows[0].span_count = 0;
    summary.has_semantic_families = false;
    check_text(&summary, JSON_STYLE_INDENTED, NULL);
    summary.has_ours = false;
    check_text(&summary, JSON_STYLE_INDENTED, NULL);
    check_text(&(struct summary){.has_ours = true}, JSON_STYLE_INDENTED, NULL);
}

static void keeps_times_to_the_picosecond(void **state)
{
    (void)state;
    static const int64_t times[] = {
        0, 1, 999999, 123456789012345, 4503599627370495, 4503599627370491, -1, -77};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct err err = {0};
        struct step_span span = {0, times[i], 7};
        struct step_row row = {.spans = &span, .span_count = 1, .slowest = UINT32_MAX};
        struct device_row device = {.name = "d", .steady_step_median_ps = -1};
        scoped_json *full = document(FULL);
        scoped_arena arena;
        struct summary summary, again;
        read_summary(full, &arena, &summary);
        summary.steps.rows = &row;
        summary.steps.count = 1;
        summary.devices = &device;
        summary.device_count = 1;
        summary.op_count = summary.other_step_count = 0;
        scoped_json *root = summary_to_json(&summary);
        assert_true(summary_from_json(root, "s.json", &arena, &again, &err));
        assert_int_equal(again.steps.rows[0].spans[0].start_ps, times[i]);
        assert_int_equal(again.devices[0].steady_step_median_ps, -1);
        assert_int_equal(again.steps.rows[0].slowest, UINT32_MAX);
        assert_false(again.steps.rows[0].has_gap);
    }
}

static void writes_version_1_alone_when_there_is_no_more(void **state)
{
    (void)state;
    struct err err = {0};
    scoped_json *full = document(FULL);
    scoped_arena arena;
    struct summary summary;
    read_summary(full, &arena, &summary);
    summary.has_ours = false;
    summary.has_semantic_families = false;
    scoped_json *root = summary_to_json(&summary);
    assert_null(json_object_get(root, "producer"));
    assert_null(json_object_get(root, "ops"));
    assert_null(json_object_get(root, "semantic_families"));
    assert_non_null(json_object_get(root, "hot_ops"));
    struct summary again;
    assert_true(summary_from_json(root, "s.json", &arena, &again, &err));
    assert_false(again.has_ours);
    assert_false(again.has_semantic_families);
}

static void writes_empty_lists(void **state)
{
    (void)state;
    struct summary summary = {.has_ours = true};
    scoped_json *root = summary_to_json(&summary);
    static const char *const lists[] = {"hot_ops", "ops", "devices", "sources"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        assert_true(json_is_array(json_object_get(root, lists[i])));
    json_t *steps = json_object_get(root, "steps");
    assert_true(json_is_array(json_object_get(steps, "rows")));
}

/* The value at a path like "steps.rows.0.slowest", whose last part is returned. */
static json_t *parent_of(json_t *root, const char *path, char *last, size_t size)
{
    json_t *at = root;
    for (;;) {
        size_t length = strcspn(path, ".");
        assert_true(length < size);
        memcpy(last, path, length);
        last[length] = '\0';
        if (path[length] == '\0')
            return at;
        at =
            json_is_array(at) ? json_array_get(at, (size_t)atoll(last)) : json_object_get(at, last);
        path += length + 1;
    }
}

struct change {
    const char *path, *value; /* value NULL: the member is taken away */
    const char *message;      /* NULL: the document is read */
};

static void check_change(const struct change *change)
{
    char last[64];
    struct err err = {0};
    scoped_json *root = document(FULL);
    json_t *parent = parent_of(root, change->path, last, sizeof last);
    if (change->value == NULL)
        assert_int_equal(json_object_del(parent, last), 0);
    else if (json_is_array(parent))
        assert_int_equal(
            json_array_set_new(parent, (size_t)atoll(last),
                               json_loads(change->value, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL)),
            0);
    else
        assert_int_equal(
            json_object_set_new(parent, last,
                                json_loads(change->value, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL)),
            0);
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    struct summary summary;
    bool read = summary_from_json(root, "s.json", &arena, &summary, &err);
    if (change->message == NULL && !read)
        fail_msg("%s: %s", change->path, err.text);
    if (change->message != NULL) {
        assert_false(read);
        assert_int_equal(err.kind, ERR_INPUT);
        if (strstr(err.text, change->message) == NULL)
            fail_msg("'%s' does not say '%s'", err.text, change->message);
    }
}

static void check_changes(const struct change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_change(&changes[i]);
}

static void names_a_required_member_that_is_missing(void **state)
{
    (void)state;
    static const struct change changes[] = {
        {"hot_ops", NULL, "s.json: the required member 'hot_ops' is missing"},
        {"hot_ops.1.count", NULL, "'hot_ops[1].count' is missing"},
        {"step_time.all_steps.count", NULL, "'step_time.all_steps.count' is missing"},
        {"time_breakdown.stall", NULL, "'time_breakdown.stall' is missing"},
        {"generated_at_utc", NULL, "'generated_at_utc' is missing"},
        {"steps", NULL, "'steps' is missing"},
        {"steps.rows.3.spans.1.start_us", NULL, "'steps.rows[3].spans[1].start_us' is missing"},
    };
    check_changes(changes, sizeof changes / sizeof *changes);
}

static void accepts_what_may_be_absent(void **state)
{
    (void)state;
    static const struct change changes[] = {
        {"trace_provenance", NULL, NULL},
        {"semantic_families", NULL, NULL},
        {"semantic_families", "null", NULL},
        {"gap_region_contexts", NULL, NULL},
        {"step_time.classes", NULL, NULL},
        {"trace_overview.suspected_truncation", NULL, NULL},
        {"trace_overview.quality_warnings", NULL, NULL},
        {"trace_overview.profile_start_ts", NULL, NULL},
        {"run_metadata.num_devices", NULL, NULL},
        {"run_metadata.run_id", NULL, NULL},
        {"hot_ops.0.canonical_name", NULL, NULL},
        {"hot_ops.0.count", "5.0", NULL},
        {"hot_ops.0.total_duration", "5", NULL},
        {"generated_at_utc", "null", NULL},
        {"environment.topology", NULL, NULL},
    };
    check_changes(changes, sizeof changes / sizeof *changes);
}

static void says_what_is_wrong_with_a_value(void **state)
{
    (void)state;
    static const struct change changes[] = {
        {"hot_ops", "{}", "'hot_ops' must be a list, but is an object"},
        {"hot_ops.0", "7", "'hot_ops[0]' must be an object, but is 7"},
        {"hot_ops.0.name", "null", "'hot_ops[0].name' must be a text without NUL characters"},
        {"hot_ops.0.name", "\"a\\u0000b\"", "must be a text without NUL"},
        {"hot_ops.0.count", "5.5", "'hot_ops[0].count' must be an integer, but is 5.5"},
        {"hot_ops.0.count", "1e300", "must be an integer, but is 1e+300"},
        {"hot_ops.0.count", "true", "must be an integer, but is true"},
        {"hot_ops.0.total_duration", "\"x\"", "must be a number, but is \"x\""},
        {"trace_overview.suspected_truncation", "1", "must be true or false, but is 1"},
        {"trace_overview.quality_warnings", "[3]", "'trace_overview.quality_warnings[0]' must be"},
        {"steps.method", "\"guess\"", "must be one of none steps_line step_annotation module_run"},
        {"steps.rows.0.slowest", "-1", "must be an index, but is -1"},
        {"steps.rows.0.max_us", "1e300", "must be a time below"},
        {"run_metadata", "[]", "'run_metadata' must be an object, but is a list"},
    };
    check_changes(changes, sizeof changes / sizeof *changes);
}

static void refuses_indexes_that_point_nowhere(void **state)
{
    (void)state;
    static const struct change changes[] = {
        {"steps.rows.0.slowest", "4", "'slowest' of a step names device 4"},
        {"steps.rows.2.spans.1.device", "99", "a span of a step names device 99"},
        {"ops.0.max_device", "4", "'devices' has 4 entries"},
    };
    check_changes(changes, sizeof changes / sizeof *changes);
}

static void cuts_long_values_in_messages(void **state)
{
    (void)state;
    char value[4096];
    memset(value, 'x', sizeof value);
    value[0] = value[sizeof value - 2] = '"';
    value[sizeof value - 1] = '\0';
    const struct change change = {"hot_ops.0.count", value, "xxx..."};
    check_change(&change);
}

static void understands_old_names(void **state)
{
    (void)state;
    scoped_json *root = document(FULL);
    json_t *op = json_array_get(json_object_get(root, "hot_ops"), 0);
    json_t *family = json_array_get(json_object_get(root, "semantic_families"), 0);
    json_object_del(op, "flop_proxy_per_invocation");
    json_object_set_new(op, "work_proxy_per_invocation", json_real(7.5));
    json_object_del(family, "flop_proxy_total");
    json_object_set_new(family, "work_proxy_total", json_real(3));
    json_object_del(family, "time_per_flop_proxy");
    json_object_set_new(family, "normalized_exclusive_per_work", json_real(4));
    scoped_arena arena;
    struct summary summary;
    read_summary(root, &arena, &summary);
    assert_true(summary.hot_ops[0].flop_proxy_per_invocation.set);
    assert_true(summary.hot_ops[0].flop_proxy_per_invocation.value == 7.5);
    assert_true(summary.semantic_families[0].flop_proxy_total.value == 3);
    assert_true(summary.semantic_families[0].time_per_flop_proxy.value == 4);
}

static void makes_names_that_older_documents_lack(void **state)
{
    (void)state;
    scoped_json *root = document(FULL);
    json_t *op = json_array_get(json_object_get(root, "hot_ops"), 0);
    json_t *gap = json_array_get(json_object_get(root, "gap_before_ops"), 0);
    json_object_set_new(op, "name", json_string(" %fusion.12 "));
    json_object_set_new(op, "canonical_name", json_string(""));
    json_object_set_new(gap, "name", json_string("g.1"));
    json_object_set_new(gap, "payload_op", json_string(""));
    json_object_del(gap, "marker_op");
    scoped_arena arena;
    struct summary summary;
    read_summary(root, &arena, &summary);
    assert_string_equal(summary.hot_ops[0].canonical_name, "fusion");
    assert_string_equal(summary.gap_before_ops[0].payload_op, "g.1");
    assert_string_equal(summary.gap_before_ops[0].marker_op, "g.1");
}

static void refuses_a_document_that_is_no_object(void **state)
{
    (void)state;
    struct err err = {0};
    struct summary summary;
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    scoped_json *list = json_array();
    assert_false(summary_from_json(list, "list.json", &arena, &summary, &err));
    assert_string_equal(err.text, "Expected JSON object in summary 'list.json'.");
}

static void refuses_to_pass_its_budget(void **state)
{
    (void)state;
    scoped_json *root = document(FULL);
    for (size_t budget = 0; budget < 64 << 10; budget += 97) {
        struct err err = {0};
        struct summary summary;
        scoped_arena arena;
        arena_init(&arena, budget);
        if (summary_from_json(root, "s.json", &arena, &summary, &err))
            return;
        assert_int_equal(err.kind, ERR_LIMIT);
    }
    fail_msg("%s", "the document needs more than 64 KiB");
}

static void finds_facts_by_name(void **state)
{
    (void)state;
    scoped_json *root = document(FULL);
    scoped_arena arena;
    struct summary summary;
    read_summary(root, &arena, &summary);
    assert_string_equal(environment_fact(&summary.environment, "precision")->value, "bf16");
    assert_null(environment_fact(&summary.environment, "preci"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_what_it_reads_to_the_byte),
        cmocka_unit_test(prints_the_same_with_and_without_a_tree),
        cmocka_unit_test(keeps_times_to_the_picosecond),
        cmocka_unit_test(writes_version_1_alone_when_there_is_no_more),
        cmocka_unit_test(writes_empty_lists),
        cmocka_unit_test(names_a_required_member_that_is_missing),
        cmocka_unit_test(accepts_what_may_be_absent),
        cmocka_unit_test(says_what_is_wrong_with_a_value),
        cmocka_unit_test(refuses_indexes_that_point_nowhere),
        cmocka_unit_test(cuts_long_values_in_messages),
        cmocka_unit_test(understands_old_names),
        cmocka_unit_test(makes_names_that_older_documents_lack),
        cmocka_unit_test(refuses_a_document_that_is_no_object),
        cmocka_unit_test(refuses_to_pass_its_budget),
        cmocka_unit_test(finds_facts_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
