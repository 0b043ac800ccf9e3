/* Reads documents for tests. */
#include "tests/support/document_fixture.h"

#include "ops/runtime/json.h"
#include "tests/support/golden_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ARENA_BYTES = 64 << 20 };

static json_t *document_read(const char *name, struct arena *arena)
{
    size_t length;
    struct err err = {0};
    char *text = golden_read(name, &length);
    json_t *root = json_parse(text, length, name, &err);
    free(text);
    if (root == NULL)
        fail_msg("%s", err.text);
    arena_init(arena, ARENA_BYTES);
    return root;
}

void document_summary(const char *name, struct arena *arena, struct summary *ret_summary)
{
    struct err err = {0};
    scoped_json *root = document_read(name, arena);
    if (!summary_from_json(root, name, arena, ret_summary, &err))
        fail_msg("%s", err.text);
}

void document_verdict(const char *name, struct arena *arena, struct verdict *ret_verdict)
{
    struct err err = {0};
    scoped_json *root = document_read(name, arena);
    if (!verdict_from_json(root, name, arena, ret_verdict, &err))
        fail_msg("%s", err.text);
}

void document_report(const char *name, struct arena *arena, struct trend_report *ret_report)
{
    struct err err = {0};
    scoped_json *root = document_read(name, arena);
    if (!trend_report_from_json(root, name, arena, ret_report, &err))
        fail_msg("%s", err.text);
}
