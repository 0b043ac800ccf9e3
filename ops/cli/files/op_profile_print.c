/* op_profile as xprof answers: a tree of categories, or of programs and their categories, down to
 * the ops, each time with what devices were idle and without.
 *
 * It is made of the table hlo_stats. What only xprof knows (duplicates of an op, what is in a
 * fusion, the tree by provenance) is left out, and so is a number that nothing tells.
 */
#include "ops/cli/files/table_print.h"

#include "ops/runtime/arena.h"

#include <stdlib.h>
#include <string.h>

enum { TREE_BYTES = 256 << 20, LEVELS_MAX = 2 };
enum { OPS_SHOWN = 100 }; /* of a node, those of most time; its numbers are of all */
static const double ps_per_us = 1e6, flops_per_gflop = 1e9, bytes_per_gib = 1024.0 * 1024 * 1024;

/* What ops add up to. */
struct node_sums {
    double self_us;
    int64_t count;
    struct opt_f64 flops, bytes;
};

struct op_tree {
    const struct data_table *ops;
    const char *levels[LEVELS_MAX];        /* columns, outermost first; NULL: no more */
    double whole_us;                       /* that shares are of */
    struct opt_f64 peak_flops, peak_bytes; /* a second */
    struct arena *arena;
    struct json_writer *writer;
};

/* Rows of one name: rows[begin, end) of a list. */
struct node_group {
    const char *name;
    size_t begin, end;
    double self_us;
};

static const char *cell_text(const struct data_table *table, size_t row, const char *column)
{
    const struct data_value *value = data_cell(table, row, column);
    return value == NULL || !value->set ? NULL : value->text;
}

static struct opt_f64 cell_number(const struct data_table *table, size_t row, const char *column)
{
    const struct data_value *value = data_cell(table, row, column);
    if (value == NULL || !value->set)
        return (struct opt_f64){0};
    return some_f64(value->kind == DATA_INTEGER ? (double)value->integer : value->real);
}

static struct opt_f64 property_number(const struct data_table *table, const char *name)
{
    for (size_t i = 0; i < table->property_count; i++)
        if (strcmp(table->properties[i].name, name) == 0 && table->properties[i].value.set)
            return some_f64(table->properties[i].value.real);
    return (struct opt_f64){0};
}

/* ---- a node ---------------------------------------------------------------------------------- */

static void number_add(struct json_writer *writer, const char *name, double value)
{
    json_key(writer, name);
    json_write_number(writer, value);
}

static void sums_add(struct node_sums *sums, const struct data_table *ops, size_t row)
{
    const struct opt_f64 flops = cell_number(ops, row, "flops");
    const struct opt_f64 bytes = cell_number(ops, row, "bytes_accessed");
    sums->self_us += cell_number(ops, row, "total_self_time").value;
    sums->count += data_cell(ops, row, "occurrences")->integer;
    sums->flops = flops.set ? some_f64(sums->flops.value + flops.value) : sums->flops;
    sums->bytes = bytes.set ? some_f64(sums->bytes.value + bytes.value) : sums->bytes;
}

/* Of what devices could have done in all of the time: no more than they could in this part of it,
 * and as it is. */
static void metrics_write(const struct op_tree *tree, const struct node_sums *sums)
{
    struct json_writer *writer = tree->writer;
    const double whole_s = tree->whole_us / ps_per_us;
    json_key(writer, "metrics");
    json_open(writer, '{');
    if (sums->flops.set && tree->peak_flops.set && whole_s > 0) {
        const double used = sums->flops.value / tree->peak_flops.value / whole_s;
        const double most = sums->self_us / tree->whole_us;
        number_add(writer, "flops", used < most ? used : most);
        number_add(writer, "uncappedFlops", used);
    }
    if (sums->bytes.set && tree->peak_bytes.set && sums->self_us > 0) {
        json_key(writer, "bandwidthUtils");
        json_open(writer, '[');
        json_item(writer);
        json_write_number(writer,
                          sums->bytes.value / tree->peak_bytes.value / (sums->self_us / ps_per_us));
        json_close(writer, ']');
    }
    number_add(writer, "rawTime", sums->self_us * ps_per_us);
    if (sums->flops.set)
        number_add(writer, "rawFlops", sums->flops.value);
    if (sums->bytes.set) {
        json_key(writer, "rawBytesAccessedArray");
        json_open(writer, '[');
        json_item(writer);
        json_write_number(writer, sums->bytes.value);
        json_close(writer, ']');
    }
    if (sums->count > 0) {
        json_key(writer, "occurrences");
        json_write_int(writer, sums->count);
        number_add(writer, "avgTimePs", sums->self_us * ps_per_us / (double)sums->count);
    }
    json_close(writer, '}');
}

static void node_begin(const struct op_tree *tree, const char *name, const struct node_sums *sums)
{
    json_open(tree->writer, '{');
    json_key(tree->writer, "name");
    json_write_text(tree->writer, name);
    metrics_write(tree, sums);
}

static void member_write(struct json_writer *writer, const char *name, const char *text)
{
    if (text == NULL)
        return;
    json_key(writer, name);
    json_write_text(writer, text);
}

/* "net.py:12" is a file and a line. */
static void source_write(struct json_writer *writer, const char *source, struct arena *arena)
{
    const char *colon = source == NULL ? NULL : strrchr(source, ':');
    if (source == NULL)
        return;
    json_key(writer, "sourceInfo");
    json_open(writer, '{');
    member_write(writer, "fileName",
                 colon == NULL ? source : arena_strndup(arena, source, (size_t)(colon - source)));
    if (colon != NULL)
        number_add(writer, "lineNumber", strtod(colon + 1, NULL));
    json_close(writer, '}');
}

static void op_write(const struct op_tree *tree, size_t row)
{
    struct json_writer *writer = tree->writer;
    struct node_sums sums = {0};
    sums_add(&sums, tree->ops, row);
    json_item(writer);
    node_begin(tree, cell_text(tree->ops, row, "hlo_op_name"), &sums);
    json_key(writer, "xla");
    json_open(writer, '{');
    member_write(writer, "expression", cell_text(tree->ops, row, "hlo_op_expression"));
    member_write(writer, "provenance", cell_text(tree->ops, row, "tf_op_name"));
    member_write(writer, "category", cell_text(tree->ops, row, "category"));
    member_write(writer, "programId", cell_text(tree->ops, row, "program_id"));
    source_write(writer, cell_text(tree->ops, row, "source_info"), tree->arena);
    json_close(writer, '}');
    json_close(writer, '}');
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* As xprof names programs, which differ where their names do not. */
static const char *level_name(const struct op_tree *tree, const char *column, size_t row)
{
    const char *name = cell_text(tree->ops, row, column);
    const char *id =
        strcmp(column, "program") == 0 ? cell_text(tree->ops, row, "program_id") : NULL;
    if (name == NULL)
        return "(not known)";
    return id == NULL ? name : arena_printf(tree->arena, "%s(%s)", name, id);
}

struct named_row {
    const char *name;
    size_t row;
};

static int name_order(const void *a, const void *b)
{
    const struct named_row *left = a, *right = b;
    const int order = strcmp(left->name, right->name);
    return order != 0 ? order : (left->row > right->row) - (left->row < right->row);
}

static int group_order(const void *a, const void *b)
{
    const struct node_group *left = a, *right = b;
    if (left->self_us != right->self_us)
        return left->self_us > right->self_us ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* Puts rows[count] by what they are called at a level; groups of one name, most time first. */
static struct node_group *groups_make(const struct op_tree *tree, const char *column,
                                      struct named_row *rows, size_t count, size_t *ret_count)
{
    struct node_group *groups = arena_array(tree->arena, struct node_group, count);
    *ret_count = 0;
    for (size_t i = 0; i < count; i++)
        rows[i].name = level_name(tree, column, rows[i].row);
    if (count > 0)
        qsort(rows, count, sizeof *rows, name_order);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(rows[i].name, rows[i - 1].name) != 0)
            groups[(*ret_count)++] = (struct node_group){.name = rows[i].name, .begin = i};
        struct node_group *group = &groups[*ret_count - 1];
        group->end = i + 1;
        group->self_us += cell_number(tree->ops, rows[i].row, "total_self_time").value;
    }
    if (count > 0)
        qsort(groups, *ret_count, sizeof *groups, group_order);
    return groups;
}

static struct node_sums sums_of(const struct op_tree *tree, const struct named_row *rows,
                                size_t count)
{
    struct node_sums sums = {0};
    for (size_t i = 0; i < count; i++)
        sums_add(&sums, tree->ops, rows[i].row);
    return sums;
}

/* The groups of a level with all below them. */
static void level_write(const struct op_tree *tree, size_t level, struct named_row *rows,
                        size_t count, double idle_us)
{
    size_t group_count = 0;
    const bool leaves = level == LEVELS_MAX || tree->levels[level] == NULL;
    struct node_group *groups =
        leaves ? NULL : groups_make(tree, tree->levels[level], rows, count, &group_count);
    json_key(tree->writer, "numChildren");
    json_write_int(tree->writer, (int64_t)(leaves ? count : group_count + (idle_us > 0)));
    json_key(tree->writer, "children");
    json_open(tree->writer, '[');
    if (idle_us > 0) {
        json_item(tree->writer);
        node_begin(tree, "IDLE", &(struct node_sums){.self_us = idle_us});
        json_key(tree->writer, "category");
        json_open(tree->writer, '{');
        json_close(tree->writer, '}');
        json_close(tree->writer, '}');
    }
    for (size_t i = 0; leaves && i < count && i < OPS_SHOWN; i++)
        op_write(tree, rows[i].row);
    for (size_t i = 0; i < group_count; i++) {
        const struct node_group *group = &groups[i];
        const size_t inside = group->end - group->begin;
        const struct node_sums sums = sums_of(tree, rows + group->begin, inside);
        json_item(tree->writer);
        node_begin(tree, group->name, &sums);
        if (strcmp(tree->levels[level], "category") == 0) {
            json_key(tree->writer, "category");
            json_open(tree->writer, '{');
            json_close(tree->writer, '}');
        }
        level_write(tree, level + 1, rows + group->begin, inside, 0);
        json_close(tree->writer, '}');
    }
    json_close(tree->writer, ']');
}

static void tree_write(struct op_tree *tree, const char *name, double idle_us)
{
    const size_t count = tree->ops->row_count;
    struct named_row *rows = arena_array(tree->arena, struct named_row, count);
    for (size_t i = 0; i < count; i++)
        rows[i].row = i;
    struct node_sums sums = sums_of(tree, rows, count);
    sums.self_us += idle_us;
    sums.count = 0; /* runs of different ops are no runs of anything */
    tree->whole_us = sums.self_us;
    json_key(tree->writer, name);
    node_begin(tree, name, &sums);
    level_write(tree, 0, rows, count, idle_us);
    json_close(tree->writer, '}');
}

bool table_print_op_profile(const struct data_table *const *parts, struct text *out,
                            struct err *err)
{
    const struct data_table *ops = parts[0];
    static const struct {
        const char *name;
        const char *levels[LEVELS_MAX];
        bool idle;
    } trees[] = {{"byCategory", {"category"}, true},
                 {"byProgram", {"program", "category"}, true},
                 {"byCategoryExcludeIdle", {"category"}, false},
                 {"byProgramExcludeIdle", {"program", "category"}, false}};
    struct json_writer writer = {.out = out, .style = JSON_STYLE_LINE};
    const struct opt_f64 flops = property_number(ops, "peak_flop_rate");
    const struct opt_f64 bytes = property_number(ops, "peak_hbm_bw");
    const double idle_us = property_number(ops, "idle_time_us").value;
    scoped_arena arena;
    arena_init(&arena, TREE_BYTES);
    json_open(&writer, '{');
    for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
        struct op_tree tree = {
            .ops = ops,
            .levels = {trees[i].levels[0], trees[i].levels[1]},
            .peak_flops = {flops.set, flops.value * flops_per_gflop},
            .peak_bytes = {bytes.set, bytes.value * bytes_per_gib},
            .arena = &arena,
            .writer = &writer,
        };
        tree_write(&tree, trees[i].name, trees[i].idle ? idle_us : 0);
        if (!arena_ok(&arena, "the ops of a profile", err))
            return false;
    }
    for (size_t i = 0; i < ops->property_count; i++)
        if (strcmp(ops->properties[i].name, "device_type") == 0)
            member_write(&writer, "deviceType", ops->properties[i].value.text);
    json_close(&writer, '}');
    return text_ok(out, "the ops of a profile", err);
}
