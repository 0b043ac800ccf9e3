/* Tables of xprof as a profile: beside one, or all that there is of it. */
#include "ingest/formats.h"
#include "ingest/made_tables.h"
#include "ingest/wire/wire.h"
#include "ingest/xprof/xprof.h"

#include "ops/runtime/file.h"

#include <string.h>

bool ingest_tables(const char *folder, struct arena *arena, struct profile_files *profile,
                   struct err *err)
{
    if (profile->file_count > 1)
        return err_set(err, ERR_INPUT,
                       "'%s' has %zu files, and tables of xprof are of one: give that file",
                       profile->path, profile->file_count);
    if (!xprof_folder(folder, arena, &profile->tables, &profile->table_count, err))
        return false;
    if (profile->file_count == 0) {
        profile->path = path_normal(arena, folder);
        profile->files = profile->tables;
        profile->file_count = 1;
    }
    return true;
}

bool ingest_tables_merge(const char *const *paths, size_t count,
                         const struct ingest_options *options, struct arena *arena,
                         struct summary *summary, struct err *err)
{
    struct xprof_tables tables;
    if (strcmp(summary->source_format, profile_formats[FORMAT_XPROF].name) == 0)
        return true;
    return xprof_read(paths, count, arena, &tables, err) &&
           xprof_merge(&tables, options, arena, summary, err);
}

/* Each op of each program, of which the summary has fewer. */
static void ops_list(const struct xprof_tables *tables, struct arena *arena,
                     struct op_list *ret_ops)
{
    op_list_init(ret_ops, NULL, arena);
    for (size_t i = 0; i < tables->op_count; i++)
        op_list_add(ret_ops, &tables->ops[i].row, tables->ops[i].program_id, false);
}

static bool ops_show(const struct table_making *making, const struct xprof_tables *tables,
                     const struct summary *summary, struct data_table *ret_table, struct err *err)
{
    struct op_list ops;
    ops_list(tables, making->arena, &ops);
    return op_table_show(making, &ops, summary, ret_table, err);
}

/* What tables of steps are made of here; NULL: none of the name is. */
static table_make_fn *steps_table_of(const char *name)
{
    return strcmp(name, "overview") == 0         ? overview_table_make
           : strcmp(name, "overview_page") == 0  ? overview_page_table_make
           : strcmp(name, "input_pipeline") == 0 ? input_pipeline_table_make
           : strcmp(name, "findings") == 0       ? findings_table_make
                                                 : NULL;
}

static bool steps_show(const struct table_making *making, const struct xprof_tables *tables,
                       const struct summary *summary, struct data_table *ret_table, struct err *err)
{
    struct table_reading reading = {.steps = {.arena = making->arena}, .summary = *summary};
    struct table_making own = *making;
    own.reading = &reading;
    xprof_steps(tables, &reading.steps);
    ops_list(tables, making->arena, &reading.ops);
    reading.examination =
        (struct examination){.steps = reading.steps, .findings = {.arena = making->arena}};
    return steps_table_of(making->request->name)(&own, ret_table, err);
}

/* Of steps, and of ops where op_stats have them, tables are made as of a profile. */
bool xprof_table_show(const struct table_making *making, struct data_table *ret_table,
                      struct err *err)
{
    const struct profile_files *profile = making->profile;
    const bool several = profile->table_count > 0;
    struct xprof_tables tables;
    struct ingest_options options = *making->options;
    struct summary summary = {
        .has_ours = true,
        .source_format = "xplane_pb_xprof_tables",
        .source_path = profile->path,
    };
    limits_complete(&options.limits);
    if (!xprof_read(several ? profile->tables : profile->files, several ? profile->table_count : 1,
                    making->arena, &tables, err))
        return false;
    const bool of_ops = op_table_is(making->request->name) && tables.op_count > 0;
    const bool of_steps =
        steps_table_of(making->request->name) != NULL && xprof_find(&tables, XPROF_STEPS) != NULL;
    if (!of_ops && !of_steps)
        return xprof_show(&tables, making->request, profile->path, making->arena, ret_table, err);
    return xprof_alone(&tables, &options, making->arena, &summary, err) &&
           (of_ops ? ops_show : steps_show)(making, &tables, &summary, ret_table, err);
}
