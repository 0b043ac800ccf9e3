/* Looks at the schema itself: what is changed there changes what later rows are, or which of them
 * are seen, without a hash being wrong. What gives the rows their meaning is compared with what the
 * migrations make of an empty database: history/verify/schema_shape.inc, which `make golden`
 * writes. Texts that the server words anew are compared where it is of the major version that
 * worded ours; all else on every server. */
#include "history/verify/verify_run.h"

#include "history/client/client.h"

#include <string.h>

struct shape {
    const char *kind, *name, *flags;
    bool is_deparsed;
    const char *sha256; /* of the definition, hex */
};

static const struct shape shapes[] = {
#define SHAPE(kind, name, flags, is_deparsed, sha256) {kind, name, flags, is_deparsed, sha256},
#include "history/verify/schema_shape.inc"
#undef SHAPE
};
enum { SHAPE_COUNT = sizeof shapes / sizeof shapes[0] };

enum likeness { SAME, OTHER_TEXT, OTHER_FLAGS, OTHER_THING };

/* The nearest that is known; several triggers may have one name. */
static enum likeness shape_find(const struct schema_thing *thing, bool same_words, size_t *ret_at)
{
    enum likeness best = OTHER_THING;
    for (size_t i = 0; i < SHAPE_COUNT && best != SAME; i++) {
        enum likeness now = OTHER_THING;
        if (strcmp(shapes[i].kind, thing->kind) != 0 || strcmp(shapes[i].name, thing->name) != 0)
            continue;
        if (strcmp(shapes[i].flags, thing->flags) != 0)
            now = OTHER_FLAGS;
        else
            now = shapes[i].is_deparsed == thing->is_deparsed &&
                          ((thing->is_deparsed && !same_words) ||
                           strcmp(shapes[i].sha256, thing->sha256) == 0)
                      ? SAME
                      : OTHER_TEXT;
        if (now >= best)
            continue;
        best = now;
        *ret_at = i;
    }
    return best;
}

static void likeness_note(struct verify_run *run, const struct schema_thing *thing,
                          enum likeness likeness, const struct shape *shape)
{
    static const struct verify_place nowhere = {0};
    if (likeness == OTHER_THING)
        verify_note(run, &nowhere, "the %s %.120s is none of the ledger's: it was put in",
                    thing->kind, thing->name);
    else if (likeness == OTHER_TEXT)
        verify_note(run, &nowhere, "the %s %.120s is not what `migrate` made it: it was changed",
                    thing->kind, thing->name);
    else if (likeness == OTHER_FLAGS)
        verify_note(run, &nowhere,
                    "the %s %.120s is not what `migrate` made it: \"%.200s\", not \"%.200s\"",
                    thing->kind, thing->name, thing->flags, shape->flags);
}

bool schema_things_read(struct db *db, struct arena *arena, struct schema_thing **ret_things,
                        size_t *ret_count, struct err *err)
{
    scoped_result *rows = NULL;
    if (!query_run(db, Q_schema_shape, NULL, &rows, err))
        return false;
    *ret_count = (size_t)PQntuples(rows);
    *ret_things = arena_array(arena, struct schema_thing, *ret_count);
    for (int row = 0; row < PQntuples(rows); row++) {
        struct schema_thing *thing = &(*ret_things)[row];
        thing->kind = result_copy_text(rows, row, C_schema_shape_kind, arena);
        thing->name = result_copy_text(rows, row, C_schema_shape_name, arena);
        thing->flags = result_copy_text(rows, row, C_schema_shape_flags, arena);
        thing->is_deparsed = result_bool(rows, row, C_schema_shape_is_deparsed);
        sha256_hex(result_text(rows, row, C_schema_shape_definition),
                   (size_t)PQgetlength(rows, row, C_schema_shape_definition), thing->sha256);
        if (!arena_ok(arena, "the schema", err))
            return false;
    }
    return true;
}

static bool shape_check(struct verify_run *run, struct err *err)
{
    static const struct verify_place nowhere = {0};
    size_t count;
    struct schema_thing *things;
    bool found[SHAPE_COUNT] = {false};
    bool same_words = PQserverVersion(run->db->conn) / 10000 == SCHEMA_SHAPE_SERVER_MAJOR;
    if (!schema_things_read(run->db, run->arena, &things, &count, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        enum likeness likeness = shape_find(&things[i], same_words, &at);
        likeness_note(run, &things[i], likeness, &shapes[at]);
        found[at] |= likeness != OTHER_THING;
    }
    for (size_t i = 0; i < SHAPE_COUNT; i++)
        if (!found[i])
            verify_note(run, &nowhere, "the %s %.120s is gone", shapes[i].kind, shapes[i].name);
    return true;
}

bool verify_schema(struct verify_run *run, struct err *err)
{
    static const struct verify_place nowhere = {0};
    static const struct {
        const char *kind, *what;
    } things[] = {
        {"row security", "row-level security is on, readers may not see all rows"},
        {"policy", "there is a policy of row-level security"},
        {"rule", "there is a rule that rewrites statements"},
        {"trigger off", "a trigger is switched off"},
        {"open", "the triggers that refuse changes are missing"},
        {"owner", "the owner is not the schema's, and may change it at will"},
        {"grant", "a right is given that no role has by `migrate`"},
        {"setting", "a setting that changes what statements do, or whose they are, is set"},
        {"member", "a worker's role has the rights of another role"},
        {"power", "a role of the ledger may do what only a superuser may"},
        {"foreign", "there is something that is not PostgreSQL's and stands in its place"},
        {"month index", "an index of a month does not hold as that of its table does"},
        {"counter", "a counter of ids does not count as `migrate` made it"},
    };
    scoped_result *rows = NULL;
    if (!query_run(run->db, Q_schema_look, NULL, &rows, err))
        return false;
    for (int row = 0; row < PQntuples(rows); row++) {
        const char *kind = result_text(rows, row, C_schema_look_kind),
                   *name = result_text(rows, row, C_schema_look_name);
        for (size_t i = 0; i < sizeof things / sizeof things[0]; i++)
            if (strcmp(things[i].kind, kind) == 0)
                verify_note(run, &nowhere, "%s: %.120s", things[i].what, name);
    }
    return shape_check(run, err);
}
