/* The tables `memory` and `memory_timeline`. */
#include "ingest/allocators/allocators.h"
#include "ingest/made_tables.h"

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
