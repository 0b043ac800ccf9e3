/* The tables `memory` and `memory_timeline`, and `program_memory`: what the program of most of the
 * time holds of a device's memory at its peak, as compiled. */
#include "ingest/allocators/allocators.h"
#include "ingest/made_tables.h"
#include "ingest/timeline/timeline.h"

#include <string.h>
#include "ingest/op_tables/op_tables.h"
#include "ingest/hlo_proto/hlo_proto.h"

/* What reading the hosts leaves. */
struct memory_reading {
    struct allocator_log log;
    const char *format;
};

static bool host_read(struct profile *profile, const struct summary *summary, void *context,
                      struct err *err)
{
    struct memory_reading *reading = context;
    reading->format = arena_strdup(reading->log.arena, summary->source_format);
    return allocators_read(profile, &reading->log, err);
}

static bool memory_read(const struct table_making *making, struct memory_reading *reading,
                        struct err *err)
{
    const struct host_question question = {host_read, reading};
    *reading = (struct memory_reading){.log = {.arena = making->arena}};
    if (!ingest_ask(making->profile, making->options, &question, making->arena, err))
        return false;
    return reading->log.count > 0 ||
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
    struct memory_reading reading;
    struct made_rows rows;
    made_rows_init(&rows, allocator_columns, allocator_column_count, making->arena);
    return memory_read(making, &reading, err) && allocator_rows(&reading.log, &rows, err) &&
           made_table(&rows, making->request->name, making->request->limit, reading.format,
                      ret_table, err);
}

bool memory_timeline_table_make(const struct table_making *making, struct data_table *ret_table,
                                struct err *err)
{
    struct memory_reading reading;
    struct made_rows rows;
    made_rows_init(&rows, allocator_event_columns, allocator_event_column_count, making->arena);
    return memory_read(making, &reading, err) && allocator_event_rows(&reading.log, &rows, err) &&
           made_table(&rows, making->request->name, making->request->limit, reading.format,
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

/* Of the host whose program needs most. */
struct program_reading {
    struct made_rows rows;
    const char *format;
    struct hlo_memory memory;
    const char *program;
};

static bool rows_add(struct program_reading *reading, const struct program_buffer *buffers,
                     struct err *err)
{
    struct arena *arena = reading->rows.arena;
    made_rows_init(&reading->rows, held_columns, HELD_COLUMNS, arena);
    for (size_t i = 0; i < reading->memory.held_count; i++) {
        const struct program_buffer *buffer = &buffers[i];
        struct data_value *row = made_row(&reading->rows);
        if (row == NULL)
            return arena_failed(arena, "the rows of a table", err);
        row[HELD_KIND] = data_text(buffer->kind);
        row[HELD_INSTRUCTION] = data_text(buffer->instruction);
        row[HELD_SHAPES] = data_text(buffer->shapes);
        row[HELD_PATH] = data_text(buffer->op_path);
        row[HELD_BYTES] = data_integer(buffer->bytes);
    }
    return true;
}

static bool program_host_read(struct profile *profile, const struct summary *summary, void *context,
                              struct err *err)
{
    struct program_reading *reading = context;
    scoped_hlo_programs programs = {0};
    struct op_list ops;
    struct hlo_memory memory;
    struct program_buffer *buffers;
    const char *name;
    uint64_t id;
    reading->format = arena_strdup(reading->rows.arena, summary->source_format);
    if (!op_list_init(&ops, profile->arena, err) || !op_list_collect(&ops, profile, err) ||
        !op_list_finish(&ops, err))
        return false;
    if (!op_list_main_program(&ops, &id, &name))
        return true;
    if (!hlo_programs_open(profile, profile->arena, &programs, err) ||
        !hlo_programs_memory(&programs, id, name, profile->arena, &memory, err))
        return false;
    if (!memory.known || (reading->memory.known && memory.peak_bytes <= reading->memory.peak_bytes))
        return true;
    reading->memory = memory;
    reading->program = name == NULL ? NULL : arena_strdup(reading->rows.arena, name);
    return hlo_programs_held(&programs, &memory, memory.held_count, reading->rows.arena, &buffers,
                             err) &&
           rows_add(reading, buffers, err);
}

bool program_memory_table_make(const struct table_making *making, struct data_table *ret_table,
                               struct err *err)
{
    struct program_reading reading = {.rows = {.arena = making->arena}};
    const struct host_question question = {program_host_read, &reading};
    struct ingest_options asked = *making->options;
    asked.tells_launches = true;
    if (!ingest_ask(making->profile, &asked, &question, making->arena, err))
        return false;
    if (!reading.memory.known)
        return err_set(err, ERR_INPUT,
                       "no table '%s': '%s' holds no program with its buffer assignment that an op "
                       "names: it is no XPlane file, or its programs were left out of it "
                       "(/host:metadata)",
                       making->request->name, making->profile->path);
    made_property(&reading.rows, "program", "", data_text(reading.program));
    made_property(&reading.rows, "peak_bytes", "bytes", data_integer(reading.memory.peak_bytes));
    made_property(&reading.rows, "allocated_bytes", "bytes",
                  data_integer(reading.memory.allocated_bytes));
    return made_table(&reading.rows, making->request->name, making->request->limit, reading.format,
                      ret_table, err);
}
