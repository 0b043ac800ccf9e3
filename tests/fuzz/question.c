/* Fuzz target: a question about a small summary. */
#include "ops/present/query/query.h"

#include "ops/runtime/arena.h"

#include <assert.h>

enum { ARENA_BYTES = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static struct gap_before_op gaps[] = {{.name = "fusion.1", .payload_op = "x", .marker_op = "y"}};
static struct gap_region_context contexts[] = {{.op_name = "fusion.1", .region_path = "a=>b"}};
static struct hot_op hot_ops[] = {{.name = "fusion.1", .canonical_name = "fusion"}};
static struct hierarchical_region regions[] = {{.path = "a", .depth = 1}};
static struct step_row steps[] = {{.number = 12, .slowest = UINT32_MAX}};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    const struct summary summary = {
        .gap_before_ops = gaps,
        .gap_before_op_count = 1,
        .gap_region_contexts = contexts,
        .gap_region_context_count = 1,
        .hot_ops = hot_ops,
        .hot_op_count = 1,
        .hierarchical_regions = regions,
        .hierarchical_region_count = 1,
        .steps = {.rows = steps, .count = 1},
    };
    struct err err = {0};
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    char *question = arena_strndup(&arena, (const char *)bytes, length);
    if (question == NULL)
        return 0;
    json_t *answer = query_answer(&summary, NULL, question, 3, &arena, &err);
    assert(answer != NULL || err.kind == ERR_LIMIT);
    json_decref(answer);
    return 0;
}
