/* Where the devices' time went: by category, by program, by phase. Each of the three adds up to the
 * own time of all ops, which is what devices were busy where no two ops of one ran at once. */
#include "ingest/op_tables/op_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUPING,
    NAME,
    OCCURRENCES,
    SELF,
    SHARE,
    RATES,
    COMPUTE_SHARE = RATES + OP_RATES,
    MEMORY_SHARE,
    FLOPS,
    BYTES,
    UNTOLD,
    COLUMNS
};

static const struct op_column columns[COLUMNS] = {
    [GROUPING] = {{"grouping", "by", "", DATA_TEXT}, NULL},
    [NAME] = {{"name", "name", "", DATA_TEXT}, NULL},
    [OCCURRENCES] = {{"occurrences", "occurrences", "count", DATA_INTEGER}, NULL},
    [SELF] = {{"total_self_time", "own", "us", DATA_REAL}, NULL},
    [SHARE] = {{"self_time_share", "share", "ratio", DATA_REAL}, NULL},
    OP_RATE_COLUMNS(RATES, "flop_rate", "memory_bw"),
    [COMPUTE_SHARE] = {{"flops_utilization", "of peak", "ratio", DATA_REAL}, NO_PEAKS},
    [MEMORY_SHARE] = {{"hbm_utilization", "of bandwidth", "ratio", DATA_REAL}, NO_PEAKS},
    [FLOPS] = {{"flops", "operations", "flops", DATA_REAL}, NO_FLOPS},
    [BYTES] = {{"bytes_accessed", "bytes", "bytes", DATA_REAL}, NO_BYTES},
    [UNTOLD] = {{"work_untold_share", "work untold", "ratio", DATA_REAL}, NULL},
};

/* Ops of one name in one grouping. */
struct group {
    const char *name;
    struct op_sums sums;
    struct op_sums timed; /* of that, what they do in their own time */
};

static const char *category_name(const struct op_item *op, struct arena *arena)
{
    (void)arena;
    return op->category;
}

/* As xprof names programs, which differ where their names do not. */
static const char *program_name(const struct op_item *op, struct arena *arena)
{
    if (op->program == NULL)
        return "(not known)";
    return op->program_id.set
               ? arena_printf(arena, "%s(%" PRIu64 ")", op->program, (uint64_t)op->program_id.value)
               : op->program;
}

static const char *phase_name(const struct op_item *op, struct arena *arena)
{
    (void)arena;
    return op->phase;
}

enum { BY_CATEGORY, BY_PROGRAM, BY_PHASE, GROUPINGS };
static const struct {
    const char *name;
    const char *(*name_of)(const struct op_item *op, struct arena *arena);
} groupings[] = {{"category", category_name}, {"program", program_name}, {"phase", phase_name}};

static int group_by_name(const void *a, const void *b)
{
    return strcmp(((const struct group *)a)->name, ((const struct group *)b)->name);
}

static int group_by_time(const void *a, const void *b)
{
    const struct group *left = a, *right = b;
    if (left->sums.self_ps != right->sums.self_ps)
        return left->sums.self_ps > right->sums.self_ps ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* Adds up what has one name; most own time first. */
static struct group *groups_make(const struct op_table_input *input, size_t grouping,
                                 size_t *ret_count)
{
    const struct op_list *list = input->ops;
    struct group *groups = arena_array(input->arena, struct group, list->count);
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct op_item *op = &list->items[i];
        if (!op->asynchronous)
            groups[count++] = (struct group){groupings[grouping].name_of(op, input->arena),
                                             op_own_sums(op), op_timed_sums(op)};
    }
    if (count > 0)
        qsort(groups, count, sizeof *groups, group_by_name);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || strcmp(groups[kept - 1].name, groups[i].name) != 0) {
            groups[kept++] = groups[i];
            continue;
        }
        op_sums_add(&groups[kept - 1].sums, &groups[i].sums);
        op_sums_add(&groups[kept - 1].timed, &groups[i].timed);
    }
    if (kept > 0)
        qsort(groups, kept, sizeof *groups, group_by_time);
    *ret_count = kept;
    return groups;
}

/* opcode: what all of the group are; NULL when they are of several. */
static void row_fill(const struct op_table_input *input, const struct group *group,
                     const char *opcode, struct data_value *row)
{
    const struct op_sums *sums = &group->sums;
    const struct device_limits *limits = &input->limits;
    struct op_figures figures = op_figures_of(&group->timed, sums->self_ps, opcode, limits);
    figures.intensity = op_figures_of(sums, sums->self_ps, opcode, limits).intensity;
    row[NAME] = data_text(group->name);
    row[OCCURRENCES] = data_integer(sums->count);
    row[SELF] = data_real(us_of_ps(sums->self_ps));
    row[SHARE] = op_time_share(input, (double)sums->self_ps, 1);
    op_rates_fill(&figures, row + RATES);
    row[COMPUTE_SHARE] = data_opt_real(figures.compute_share);
    row[MEMORY_SHARE] = data_opt_real(figures.memory_share);
    row[FLOPS] = data_opt_real(sums->flops);
    row[BYTES] = data_opt_real(sums->bytes_accessed);
    row[UNTOLD] =
        data_real(sums->self_ps > 0 ? (double)sums->flops_untold_ps / (double)sums->self_ps : 0);
}

/* The limit is of each grouping: cut at the end of the first, the others would be gone. */
static bool grouped(const struct op_table_input *input, const char *name, size_t first,
                    struct data_table *ret_table, struct err *err)
{
    struct made_rows rows;
    op_rows_init(&rows, columns, COLUMNS, input);
    for (size_t g = first; g < GROUPINGS; g++) {
        size_t count;
        const struct group *groups = groups_make(input, g, &count);
        const bool is_cut = input->request->limit > 0 && (size_t)input->request->limit < count;
        const size_t shown = is_cut ? (size_t)input->request->limit : count;
        rows.withheld += count - shown;
        for (size_t i = 0; i < shown; i++) {
            struct data_value *row = made_row(&rows);
            row[GROUPING] = data_text(groupings[g].name);
            row_fill(input, &groups[i], g == BY_CATEGORY ? groups[i].name : NULL, row);
        }
    }
    op_properties(input, &rows);
    return made_table(&rows, name, 0, input->summary->source_format, ret_table, err);
}

bool op_profile_table(const struct op_table_input *input, struct data_table *ret_table,
                      struct err *err)
{
    return grouped(input, "op_profile", BY_CATEGORY, ret_table, err);
}

bool phases_table(const struct op_table_input *input, struct data_table *ret_table, struct err *err)
{
    return grouped(input, "phases", BY_PHASE, ret_table, err);
}
