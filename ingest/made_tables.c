#include "ingest/made_tables.h"
#include "ingest/tables/tables.h"
#include "ops/runtime/file.h"

#include <string.h>

const struct made_table made_tables[] = {
#define MADE_TABLE_ROW(name, subject, help) {#name, SUBJECT_##subject, name##_table_make},
    MADE_TABLES(MADE_TABLE_ROW)
#undef MADE_TABLE_ROW
};
const size_t made_table_count = sizeof made_tables / sizeof made_tables[0];
_Static_assert(sizeof made_tables / sizeof made_tables[0] <= MADE_TABLES_MOST, "all have a place");

const struct made_table *made_table_find(const char *name)
{
    for (size_t i = 0; i < made_table_count; i++)
        if (strcmp(made_tables[i].name, name) == 0)
            return &made_tables[i];
    return NULL;
}

void table_reading_init(struct table_reading *reading, struct arena *arena)
{
    *reading = (struct table_reading){
        .arena = arena,
        .steps = {.arena = arena},
        .input_ops = {.arena = arena},
        .allocators = {.arena = arena},
        .program = {.rows = {.arena = arena}},
        .examination = {.steps = {.arena = arena}, .findings = {.arena = arena}},
    };
}

void table_reading_done(struct table_reading *reading)
{
    grouped_done(&reading->launches);
}

/* The host's input is told beside how long steps wait for it, and what steps consist of beside the
 * ops that take most of them. */
static unsigned subjects_of(const struct made_table *table)
{
    return 1U << table->subject | (table->subject == SUBJECT_INPUT_OPS ? 1U << SUBJECT_STEPS : 0) |
           (table->make == overview_table_make ? 1U << SUBJECT_OPS : 0);
}

void table_reading_ask(struct table_reading *reading, const struct made_table *table)
{
    reading->asked |= subjects_of(table);
    reading->asks_groups |= strcmp(table->name, "collectives") == 0;
}

static bool subject_read(struct table_reading *reading, enum table_subject subject,
                         struct profile *profile, const struct summary *summary, struct err *err)
{
    switch (subject) {
    case SUBJECT_STEPS:
        return step_list_add(&reading->steps, profile, summary, err);
    case SUBJECT_INPUT_OPS:
        return input_ops_add(&reading->input_ops, profile, err);
    case SUBJECT_OPS:
        return op_list_collect(&reading->ops, profile, err);
    case SUBJECT_ALLOCATORS:
        return allocators_read(profile, &reading->allocators, err);
    case SUBJECT_PROGRAM:
        return program_subject_add(&reading->program, profile, err);
    case SUBJECT_FINDINGS:
        return examination_add(&reading->examination, profile, summary, err);
    case SUBJECT_LAUNCHES:
        return launch_table_read(profile, &reading->launches, err);
    case SUBJECT_COUNT:
        break;
    }
    return true;
}

void table_tell_input(struct data_table *table, const char *cut, const struct profile_files *files,
                      struct arena *arena)
{
    const char *told = "";
    if (cut != NULL)
        data_table_tell(table, (struct data_property){"input_cut", "", data_text(cut)}, arena);
    for (size_t i = 0; files != NULL && i < files->left_count; i++)
        told = arena_printf(arena, "%s%s'%s' was left out: %s", told, i == 0 ? "" : "; ",
                            path_base(files->left[i].path), files->left[i].why);
    if (told[0] != '\0')
        data_table_tell(table, (struct data_property){"input_left", "", data_text(told)}, arena);
}

/* What is broken of one subject says nothing of the others. */
static bool host_read(struct profile *profile, const struct summary *summary, void *context,
                      struct err *err)
{
    struct table_reading *reading = context;
    reading->format = arena_strdup(reading->arena, summary->source_format);
    for (size_t i = 0; i < profile->space_count && reading->cut == NULL; i++)
        if (profile->spaces[i].unread_bytes > 0) /* a table has no coverage that says it */
            reading->cut = space_unread_told(&profile->spaces[i], reading->arena);
    for (unsigned subject = 0; subject < SUBJECT_COUNT; subject++) {
        struct err failure = {0};
        if (!(reading->asked & 1U << subject) ||
            subject_read(reading, (enum table_subject)subject, profile, summary, &failure))
            continue;
        if (failure.kind != ERR_INPUT) {
            *err = failure;
            return false;
        }
        (void)failure_name(summary->source_path, &failure);
        reading->failed[subject] = failure;
    }
    return true;
}

bool table_reading_take(struct table_reading *reading, const struct profile_files *profile,
                        const struct ingest_options *options, bool measures,
                        struct summary *ret_summary, struct err *err)
{
    const struct host_question question = {
        .read = host_read,
        .context = reading,
        .measures = measures,
        .programs = (reading->asked & 1U << SUBJECT_FINDINGS) != 0,
    };
    struct ingest_options asked = *options;
    asked.question = &question;
    asked.tells_launches = (reading->asked & (1U << SUBJECT_OPS | 1U << SUBJECT_PROGRAM)) != 0;
    op_list_init(&reading->ops, NULL, reading->arena);
    reading->ops.asks_groups = reading->asks_groups;
    grouped_init(&reading->launches, &table_kinds[DATA_TABLE_kernels], reading->arena);
    if (!capture_summarize(profile, &asked, reading->arena, &reading->files, ret_summary, err))
        return false;
    op_list_finish(&reading->ops);
    if (reading->cut != NULL && options->warn != NULL)
        options->warn(profile->path, reading->cut);
    step_list_join(&reading->steps, ret_summary);
    step_list_join(&reading->examination.steps, ret_summary);
    step_list_settle(&reading->steps);
    input_ops_settle(&reading->input_ops);
    reading->summary = *ret_summary;
    reading->summary.has_measured = false; /* made of all ops, whose tables know them */
    return true;
}

bool made_table_make(const struct table_making *making, const struct made_table *table,
                     struct data_table *ret_table, struct err *err)
{
    for (unsigned subject = 0; subject < SUBJECT_COUNT; subject++) {
        const struct err *failed = &making->reading->failed[subject];
        if (subjects_of(table) & 1U << subject && failed->kind != ERR_NONE) {
            *err = *failed;
            return false;
        }
    }
    if (!table->make(making, ret_table, err))
        return false;
    table_tell_input(ret_table, making->reading->cut, &making->reading->files, making->arena);
    return true;
}
