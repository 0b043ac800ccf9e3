/* The whole ledger as lines of JSON: export.v1. */
#ifndef OPS_CLI_EXPORT_LINES_H
#define OPS_CLI_EXPORT_LINES_H

#include "history/profiles/profiles.h"
#include "ops/cli/export_manifest.h"

#include <jansson.h>

#include <stddef.h>
#include <stdint.h>

struct export
{
    struct db *db;
    const char *path; /* NULL = standard output */
    int fd;
    struct arena *memory; /* whose budget counts for one line */
    const struct conf *conf;
    struct export_manifest manifest; /* arena: the caller's; the rest is filled */
};

/* Writes all lines, in the caller's snapshot. ERR_FULL, ERR_LIMIT, ERR_UNAVAILABLE; ERR_INPUT: the
 * key that signs is none. */
bool export_lines(struct export *export, struct err *err);

/* "p12" of 'p' and 12. */
json_t *export_name(char letter, int64_t id);

/* Writes one line that says when and by whom what it tells was recorded first; takes it over. */
bool export_recorded(struct export *export, json_t *line, const struct origin *origin,
                     struct err *err);

/* Writes one line; takes it over; NULL: there was no memory for it. */
bool export_line(struct export *export, json_t *line, struct err *err);

#endif
