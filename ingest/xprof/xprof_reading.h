/* What reading the forms of tables has in common. */
#ifndef INGEST_XPROF_XPROF_READING_H
#define INGEST_XPROF_XPROF_READING_H

#include "ingest/wire/wire.h"
#include "ingest/xprof/xprof.h"

/* One file while it is read. */
struct xprof_file {
    const char *path;
    struct whole_text text;
    struct xprof_tables *tables;
};

/* Whether the file is the one that tells of the role: not when another one does already. ERR_INPUT:
 * the other one tells it of another host. */
bool xprof_claim(const struct xprof_file *file, enum xprof_role role, enum xprof_origin origin,
                 bool *ret_taken, struct err *err);

/* Whether a file is of all hosts, as xprof names what it has added up. */
bool xprof_is_of_all(const char *path);

/* Adds rows that were made, as a table. */
void xprof_add(struct xprof_tables *tables, enum xprof_role role, enum xprof_origin origin,
               const struct made_rows *rows);

/* The forms. */
bool xprof_json_read(const struct xprof_file *file, struct err *err);
bool xprof_op_stats_read(const struct xprof_file *file, struct err *err);
bool xprof_kernels_read(const struct xprof_file *file, const struct wire_field *database,
                        enum xprof_origin origin, struct err *err);
bool xprof_overview_read(const struct xprof_file *file, const struct wire_field *page,
                         struct err *err);
bool xprof_pipeline_read(const struct xprof_file *file, const struct wire_field *pipeline,
                         enum xprof_origin origin, struct err *err);

/* ERR_INPUT: byte `at` of a stored table. */
bool xprof_malformed(const struct xprof_file *file, const uint8_t *at, struct err *err);

/* Hands over the fields of a message, groups left out. ERR_INPUT: malformed; else what `take` says.
 */
typedef bool xprof_field_fn(const struct xprof_file *file, const struct wire_field *field,
                            void *context, struct err *err);
bool xprof_walk(const struct xprof_file *file, const struct wire_field *message,
                xprof_field_fn *take, void *context, struct err *err);

/* A text of the arena. */
const char *xprof_text(const struct xprof_file *file, const struct wire_field *field);

/* The ops as summaries have them: one of several programs that share a signature keeps its
 * program's name in it, and what is left with one signature is added up. */
void xprof_ops_sum(const struct xprof_tables *tables, struct arena *arena, struct summary *summary);

/* What speaks against tables being of a profile, a sentence each that names both. */
struct xprof_match {
    bool compared; /* there was something to compare */
    struct notes doubts;
};
void xprof_match(const struct xprof_tables *tables, const struct summary *summary,
                 struct arena *arena, struct xprof_match *ret_match);

/* A number of a cell: a number, or a text that is one. */
struct opt_f64 xprof_number(const struct data_value *value);

/* A property as text; NULL: there is none, or it is empty. */
const char *xprof_property(const struct data_table *table, const char *name);

#endif
