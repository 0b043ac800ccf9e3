/* Fuzz target: a summary's JSON, read, written again and shown in every form. */
#include "ops/present/query/query.h"
#include "ops/present/report/report.h"

#include "ops/runtime/json.h"

#include <assert.h>

enum { ARENA_BYTES = 64 << 20, TEXT_BYTES = 64 << 20, ROWS = 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void check_printers(const struct summary *summary, struct err *err)
{
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    const struct text_style style = {true, 80};
    (void)report_markdown(summary, ROWS, &out, err);
    (void)report_html(summary, ROWS, &out, err);
    (void)report_text(summary, ROWS, &style, &out, err);
}

static void check_questions(const struct summary *summary, struct arena *arena, struct err *err)
{
    static const char *const questions[] = {
        "gap before fusion", "gap context", "regions",      "steps",
        "slowest steps",     "devices",     "what changed", "mlp"};
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        json_decref(query_answer(summary, summary, questions[i], -1, arena, err));
}

/* What was written is read again, and written the same. */
static void check_round_trip(const struct summary *summary, struct arena *arena, struct err *err)
{
    scoped_json *first = summary_to_json(summary);
    struct summary again;
    assert(first != NULL);
    if (!summary_from_json(first, "again", arena, &again, err)) {
        assert(err->kind == ERR_LIMIT);
        return;
    }
    scoped_json *second = summary_to_json(&again);
    assert(json_equal(first, second));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct err err = {0};
    struct summary summary;
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    scoped_json *root = json_parse((const char *)bytes, length, "fuzz", &err);
    if (root == NULL || !summary_from_json(root, "fuzz", &arena, &summary, &err))
        return 0;
    check_round_trip(&summary, &arena, &err);
    check_printers(&summary, &err);
    check_questions(&summary, &arena, &err);
    return 0;
}
