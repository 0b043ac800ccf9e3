/* An export from first table to last: what is known of who, what threads did, what devices did. */
#include "ingest/nsight/nsight.h"
#include "ingest/nsight/nsight_reading.h"

#include <string.h>

enum { SAID_BYTES_MAX = 64 * 1024 };

/* ---- the whole ------------------------------------------------------------------------------- */

/* A table that ends early is read as far as it goes, unless nothing came of the file. */
static bool end_judge(struct nsight_reading *reading, const struct ingest_options *options,
                      struct err *err)
{
    const char *path = reading->space->input.path;
    const bool broken = reading->db.broken_count > 0;
    if (reading->traced == 0)
        return err_set(err, ERR_INPUT,
                       "'%s' is an SQLite database without a table of events as `nsys export` "
                       "writes them; give the export of a report: nsys export --type sqlite FILE",
                       path);
    if (broken && reading->event_count == 0)
        return err_set(err, ERR_INPUT, "'%s' is broken before its first event; export it again",
                       path);
    if (broken && options->strict_input)
        return err_set(err, ERR_INPUT,
                       "'%s' is broken: %s Export it again, or read what is whole without "
                       "--strict-input",
                       path, reading->said.items[0]);
    return true;
}

bool nsight_open(const char *path, const struct index_options *index, struct arena *arena,
                 struct xspace *ret_space, struct err *err)
{
    struct nsight_reading *reading = arena_new(arena, struct nsight_reading);
    *ret_space = (struct xspace){.input.fd = -1};
    if (!input_open(path, &ret_space->input, err))
        return false;
    bool read = nsight_reading_open(reading, ret_space, index, arena, err) &&
                nsight_facts_read(reading, err) && nsight_threads_read(reading, err) &&
                nsight_devices_read(reading, err) && end_judge(reading, index->options, err) &&
                event_store_finish(&reading->store, err);
    if (read)
        nsight_space_fill(reading);
    read = read && arena_ok(arena, "the events of a profile", err);
    nsight_reading_close(reading);
    if (!read)
        xspace_close(ret_space);
    else if (index->progress != NULL)
        progress_add(index->progress, ret_space->input.size_bytes);
    return read;
}

bool nsight_may_be_export(const char *path)
{
    static const char *const tables[] = {"StringIds", "CUPTI_ACTIVITY_KIND_KERNEL", "NVTX_EVENTS"};
    struct input input;
    struct export_db db = {0};
    struct err ignored;
    scoped_arena arena;
    struct notes said = {.arena = &arena};
    arena_init(&arena, SAID_BYTES_MAX);
    if (!input_open(path, &input, &ignored))
        return true;
    bool opened = export_db_open(&db, &input, &said, &ignored), has = false;
    for (size_t i = 0; opened && !has && i < sizeof tables / sizeof tables[0]; i++)
        opened = export_db_has(&db, tables[i], &has, &ignored);
    export_db_close(&db);
    input_close(&input);
    return has || !opened;
}
