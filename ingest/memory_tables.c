/* The tables `memory` and `memory_timeline`, and `program_memory`: what the program of most of the
 * time holds of a device's memory at its peak, as compiled. */
#include "ingest/allocators/allocators.h"
#include "ingest/made_tables.h"
#include "ingest/timeline/timeline.h"

#include <string.h>
#include "ingest/op_tables/op_tables.h"
#include "ingest/hlo_proto/hlo_proto.h"

/* What the allocators of all hosts say; ERR_INPUT: nothing. */
static bool log_read(const struct table_making *making, struct allocator_log *log, struct err *err)
{
    *log = making->reading->allocators;
    return log->count > 0 ||
           err_set(
               err, ERR_INPUT,
               "no table '%s': '%s' holds no event of an allocator (MemoryAllocation, "
               "MemoryDeallocation): the host was not traced, its client tells none, as most of "
               "JAX's do not, or it is no XPlane file. `allocations` of a memory.prof "
               "(jax.profiler.save_device_memory_profile) tells what is in use",
               making->request->name, making->profile->path);
}

bool memory_table_make(const struct table_making *making, struct data_table *ret_table,
                       struct err *err)
{
    struct allocator_log log;
    struct made_rows rows;
    made_rows_init(&rows, allocator_columns, allocator_column_count, making->arena);
    return log_read(making, &log, err) && allocator_rows(&log, &rows, err) &&
           made_table(&rows, making->request->name, making->request->limit, making->reading->format,
                      ret_table, err);
}

bool memory_timeline_table_make(const struct table_making *making, struct data_table *ret_table,
                                struct err *err)
{
    struct allocator_log log;
    struct made_rows rows;
    made_rows_init(&rows, allocator_event_columns, allocator_event_column_count, making->arena);
    return log_read(making, &log, err) && allocator_event_rows(&log, &rows, err) &&
           made_table(&rows, making->request->name, making->request->limit, making->reading->format,
                      ret_table, err);
}

/* ---- programs -------------------------------------------------------------------------------- */

enum { HELD_KIND, HELD_INSTRUCTION, HELD_SHAPES, HELD_PATH, HELD_BYTES, HELD_COLUMNS };

static const struct data_column held_columns[HELD_COLUMNS] = {
    [HELD_KIND] = {"kind", "what", "", DATA_TEXT},
    [HELD_INSTRUCTION] = {"instruction", "instruction", "", DATA_TEXT},
    [HELD_SHAPES] = {"shapes", "shapes", "", DATA_TEXT},
    [HELD_PATH] = {"op_name", "path", "", DATA_TEXT},
    [HELD_BYTES] = {"bytes", "bytes", "bytes", DATA_INTEGER},
};

bool program_subject_add(struct program_subject *subject, struct profile *profile, struct err *err)
{
    scoped_hlo_programs programs = {0};
    struct op_list ops;
    struct hlo_memory memory;
    struct program_buffer *buffers;
    const char *name;
    uint64_t id;
    op_list_init(&ops, &profile->catalog.strings, profile->arena);
    if (!op_list_collect(&ops, profile, err))
        return false;
    op_list_finish(&ops);
    if (!op_list_main_program(&ops, &id, &name))
        return true;
    if (!hlo_programs_open(profile, profile->arena, &programs, err) ||
        !hlo_programs_memory(&programs, id, name, profile->arena, &memory, err))
        return false;
    if (!memory.known || (subject->memory.known && memory.peak_bytes <= subject->memory.peak_bytes))
        return true;
    subject->memory = memory;
    subject->program = name == NULL ? NULL : arena_strdup(subject->rows.arena, name);
    if (!hlo_programs_held(&programs, &memory, memory.held_count, subject->rows.arena, &buffers,
                           err))
        return false;
    made_rows_init(&subject->rows, held_columns, HELD_COLUMNS, subject->rows.arena);
    for (size_t i = 0; i < memory.held_count; i++) {
        const struct program_buffer *buffer = &buffers[i];
        struct data_value *row = made_row(&subject->rows);
        row[HELD_KIND] = data_text(buffer->kind);
        row[HELD_INSTRUCTION] = data_text(buffer->instruction);
        row[HELD_SHAPES] = data_text(buffer->shapes);
        row[HELD_PATH] = data_text(buffer->op_path);
        row[HELD_BYTES] = data_integer(buffer->bytes);
    }
    return true;
}

bool program_memory_table_make(const struct table_making *making, struct data_table *ret_table,
                               struct err *err)
{
    struct program_subject *subject = &making->reading->program;
    if (!subject->memory.known)
        return err_set(err, ERR_INPUT,
                       "no table '%s': '%s' holds no program with its buffer assignment that an op "
                       "names: it is no XPlane file, or its programs were left out of it "
                       "(/host:metadata)",
                       making->request->name, making->profile->path);
    made_property(&subject->rows, "program", "", data_text(subject->program));
    made_property(&subject->rows, "peak_bytes", "bytes", data_integer(subject->memory.peak_bytes));
    made_property(&subject->rows, "allocated_bytes", "bytes",
                  data_integer(subject->memory.allocated_bytes));
    return made_table(&subject->rows, making->request->name, making->request->limit,
                      making->reading->format, ret_table, err);
}
