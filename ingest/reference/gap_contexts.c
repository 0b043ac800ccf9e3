/* Where in the program the gaps are: by payload op and region (profile_summary.v1 §13). */
#include "ingest/reference/reference.h"

#include "ops/runtime/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PATH_PARTS = 4 };
static const char separator[] = "=>";

struct table {
    struct profile *profile;
    struct arena *work; /* until the table is made */
    struct gap_region_context *rows;
    size_t count, capacity;
    struct id_map row_by_key;   /* (name, path) */
    struct id_map path_by_name; /* the preferred path of an op name, a text */
};

/* ---- paths ----------------------------------------------------------------------------------- */

/* The first parts of an op's path, joined. */
static uint32_t short_path(struct profile *profile, const struct op_detail *detail)
{
    struct strings *strings = &profile->catalog.strings;
    struct arena *scratch = &profile->catalog.scratch;
    const struct arena_mark mark = arena_mark(scratch);
    const struct region_path *path = &profile->catalog.paths[detail->path];
    const char *joined = "";
    for (uint32_t i = 0; i < path->count && i < PATH_PARTS; i++)
        joined = arena_printf(scratch, "%s%s%s", joined, i > 0 ? separator : "",
                              strings_text(strings, path->parts[i]));
    const uint32_t text = strings_add(strings, joined, strlen(joined));
    arena_rewind(scratch, mark);
    return text;
}

/* true when the path says no more than the name. */
static bool is_fallback(const struct profile *profile, const struct op *op,
                        const struct op_detail *detail)
{
    const struct region_path *path = &profile->catalog.paths[detail->path];
    return path->count == 1 && path->parts[0] == profile->catalog.names[op->name].canonical;
}

/* ---- the preferred path of a name ------------------------------------------------------------ */

struct path_count {
    int32_t name;
    uint32_t path;
    int64_t count;
};

static int compare_paths(const void *a, const void *b)
{
    const struct path_count *left = a, *right = b;
    if (left->name != right->name)
        return left->name < right->name ? -1 : 1;
    return (left->path > right->path) - (left->path < right->path);
}

/* The path that most ops of a name have; the first by text among equals. */
static void preferred_find(struct table *table)
{
    struct profile *profile = table->profile;
    struct path_count *counts = arena_array(table->work, struct path_count, profile->used_count);
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < profile->used_count; i++) {
        const struct used_op *used = &profile->used[i];
        const struct op_detail *detail = used_detail(used);
        if (used_tally(used)->count == 0 || detail->tf_op == STRING_NONE ||
            is_fallback(profile, used_facts(used), detail))
            continue;
        counts[count++] = (struct path_count){used_facts(used)->name, short_path(profile, detail),
                                              used_tally(used)->count};
    }
    qsort(counts, count, sizeof *counts, compare_paths);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && compare_paths(&counts[kept - 1], &counts[i]) == 0)
            counts[kept - 1].count += counts[i].count;
        else
            counts[kept++] = counts[i];
    }
    const struct path_count *best = counts;
    for (size_t i = 0; i < kept; i++) {
        const struct path_count *own = &counts[i];
        const bool is_preferred = own->count != best->count
                                      ? own->count > best->count
                                      : strcmp(catalog_text(&profile->catalog, own->path),
                                               catalog_text(&profile->catalog, best->path)) < 0;
        if (own->name != best->name || is_preferred)
            best = own;
        id_map_set(&table->path_by_name, own->name, (int32_t)best->path);
    }
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* Copies are shown as such: their path is where the data goes, not what runs. */
static const char *copy_label(struct arena *arena, const char *path)
{
    size_t length = strlen(path);
    text_strip(&path, &length);
    char *trimmed = arena_strndup(arena, path, length);
    if (length == 0 || strcmp(text_lower(arena, trimmed), "copy") == 0)
        return "copy";
    return strncmp(trimmed, "copy(", strlen("copy(")) == 0
               ? trimmed
               : arena_printf(arena, "copy(%s)", trimmed);
}

/* The label of a gap charged to this op, as a text number. */
static uint32_t context_of(struct table *table, const struct plane_ops *ops, int32_t payload)
{
    struct profile *profile = table->profile;
    struct catalog *catalog = &profile->catalog;
    const struct op *op = &ops->ops[payload];
    uint32_t path = short_path(profile, &ops->details[payload]);
    if (is_fallback(profile, op, &ops->details[payload])) {
        int32_t preferred = id_map_find(&table->path_by_name, op->name);
        if (preferred != ID_MAP_ABSENT)
            path = (uint32_t)preferred;
    }
    const char *canonical = catalog_text(catalog, catalog->names[op->name].canonical);
    if (strncasecmp(canonical, "copy", strlen("copy")) != 0)
        return path;
    const char *label = copy_label(table->work, catalog_text(catalog, path));
    return strings_add(&catalog->strings, label, strlen(label));
}

/* ---- the table ------------------------------------------------------------------------------- */

static void gap_add(struct table *table, const struct plane_ops *ops, const struct gap *gap,
                    uint32_t label)
{
    const struct catalog *catalog = &table->profile->catalog;
    int32_t name = ops->ops[gap->payload].name;
    int64_t key = (int64_t)name << 32 | label;
    int32_t at = id_map_find(&table->row_by_key, key);
    if (at == ID_MAP_ABSENT) {
        at = (int32_t)table->count;
        id_map_set(&table->row_by_key, key, at);
        table->rows = arena_grow(table->work, table->rows, table->count, &table->capacity,
                                 sizeof *table->rows);
        table->rows[table->count++] =
            (struct gap_region_context){catalog_text(catalog, catalog->names[name].name),
                                        catalog_text(catalog, label), 0, 0, 0};
    }
    table->rows[at].count += gap->count;
    table->rows[at].total_gap_duration += gap->total_us;
}

int gap_context_order(const void *a, const void *b)
{
    const struct gap_region_context *left = a, *right = b;
    if (left->total_gap_duration != right->total_gap_duration)
        return left->total_gap_duration > right->total_gap_duration ? -1 : 1;
    int order = strcmp(left->op_name, right->op_name);
    return order != 0 ? order : strcmp(left->region_path, right->region_path);
}

void gap_contexts_build(struct profile *profile, struct summary *summary)
{
    scoped_arena work;
    struct table table = {.profile = profile, .work = &work};
    arena_init_within(&work, profile->arena);
    id_map_init(&table.row_by_key, &work);
    id_map_init(&table.path_by_name, &work);
    preferred_find(&table);
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        const struct plane_ops *ops = &state->plane->ops;
        if (state->gaps.count == 0)
            continue;
        uint32_t *labels = arena_array(&work, uint32_t, ops->count); /* one for each op */
        for (size_t i = 0; i < state->gaps.count; i++) {
            const struct gap *gap = &state->gaps.items[i];
            if (labels[gap->payload] == STRING_NONE)
                labels[gap->payload] = context_of(&table, ops, gap->payload);
            gap_add(&table, ops, gap, labels[gap->payload]);
        }
    }
    for (size_t i = 0; i < table.count; i++)
        table.rows[i].avg_gap_duration =
            table.rows[i].total_gap_duration / (double)table.rows[i].count;
    if (table.count > 0)
        qsort(table.rows, table.count, sizeof *table.rows, gap_context_order);
    summary->gap_region_context_count =
        slice_count_least(table.count, profile->options->hot_op_limit, CONTEXTS_LEAST);
    summary->gap_region_contexts = arena_copy(
        profile->arena, table.rows, summary->gap_region_context_count, sizeof *table.rows);
}
