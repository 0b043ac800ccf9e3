/* Tables that are made of what reading a whole profile tells, host by host: each is a function, and
 * a line of MADE_TABLES.
 */
#ifndef INGEST_MADE_TABLES_H
#define INGEST_MADE_TABLES_H

#include "ingest/data_tables/data_tables.h"
#include "ingest/ingest.h"

/* What a table is made of. */
struct table_making {
    const struct table_request *request;
    const struct profile_files *profile;
    const struct ingest_options *options;
    struct arena *arena; /* of the table */
};

/* Makes the table. ERR_INPUT: the profile holds nothing for it, and why; else as ingest_ask. */
typedef bool table_make_fn(const struct table_making *making, struct data_table *ret_table,
                           struct err *err);

#define MADE_TABLE_DECLARE(name, help) table_make_fn name##_table_make;
MADE_TABLES(MADE_TABLE_DECLARE)
#undef MADE_TABLE_DECLARE

/* Whether a table is one of the ops, and makes it of a summary, of which the making asks no files;
 * name is what the user calls it. Errors as of table_make_fn. */
bool op_table_is(const char *table);
bool op_table_of_summary(const struct table_making *making, const struct summary *summary,
                         const char *name, struct data_table *ret_table, struct err *err);

/* Makes a table of those that xprof made of a profile, which are all there is of it. */
bool xprof_table_show(const struct table_making *making, struct data_table *ret_table,
                      struct err *err);

/* What is asked of each host's file, once its summary is made: the profile is still open and good
 * for nothing else afterwards; what is to stay is copied. */
struct profile;
typedef bool host_read_fn(struct profile *profile, const struct summary *summary, void *context,
                          struct err *err);
struct host_question {
    host_read_fn *read;
    void *context;
};

/* Reads each host's file for that. Errors as of ingest_summarize. */
bool ingest_ask(const struct profile_files *profile, const struct ingest_options *options,
                const struct host_question *question, struct arena *arena, struct err *err);

#endif
