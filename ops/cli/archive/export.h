/* An export in the making: its lines, and the manifest that vouches for them. */
#ifndef OPS_CLI_ARCHIVE_EXPORT_H
#define OPS_CLI_ARCHIVE_EXPORT_H

#include "history/db.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/digest.h"
#include "schema/documents/export_end.h"
#include "schema/documents/origin.h"

#include <jansson.h>

#include <stddef.h>
#include <stdint.h>

struct export_manifest {
    struct arena *arena;   /* of the parts */
    struct export_end end; /* counts are the writers'; parts and signature are filled here */
    size_t part_capacity;
    struct sha256 *state; /* of the last part; NULL = none is open */
};

struct export
{
    struct db *db;
    const char *path; /* NULL = standard output */
    int fd;
    struct arena *memory; /* whose budget counts for one line */
    const struct conf *conf;
    struct export_manifest manifest; /* arena: the caller's; the rest is filled */
};

/* "p12" of 'p' and 12. */
json_t *export_name(char letter, int64_t id);

/* Writes one line that says when and by whom what it tells was recorded first; takes it over. */
bool export_recorded(struct export *export, json_t *line, const struct origin *origin,
                     struct err *err);

/* Writes one line; takes it over; NULL: there was no memory for it. */
bool export_line(struct export *export, json_t *line, struct err *err);

/* Writes the last line, the manifest, signed when `checkpoint_key` is configured. ERR_INPUT: the
 * key that signs is none. */
bool export_end_line(struct export *export, struct err *err);

/* Defines a function that writes all rows of a table, page by page: `rows_after` reads a page of
 * those behind an id, `row_write` writes one. */
#define EXPORT_PAGES(name, page_type, rows_after, row_write) \
    static bool name(struct export *export, struct err *err) \
    { \
        size_t count; \
        int64_t after = 0; \
        bool done; \
        do { \
            struct page_type page; \
            scoped_arena arena; \
            arena_init_within(&arena, export->memory); \
            done = rows_after(export->db, after, &arena, &page, err); \
            count = done ? page.count : 0; \
            for (size_t i = 0; i < count && done; i++) \
                done = row_write(export, &page.items[i], err); \
            after = count > 0 ? page.items[count - 1].id : after; \
        } while (done && count > 0); \
        return done; \
    }

/* Frees what the manifest holds; accepts a zeroed one. */
void export_done(struct export *export);

#endif
