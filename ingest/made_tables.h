/* Tables that are made of what reading a whole profile tells, host by host: each is a function, and
 * a line of MADE_TABLES. What hosts are asked is shared: a subject is read once for all tables that
 * are made of it at one reading of the files.
 */
#ifndef INGEST_MADE_TABLES_H
#define INGEST_MADE_TABLES_H

#include "ingest/allocators/allocators.h"
#include "ingest/breakdown/breakdown.h"
#include "ingest/data_tables/data_tables.h"
#include "ingest/findings/findings.h"
#include "ingest/hlo_proto/hlo_proto.h"
#include "ingest/ingest.h"
#include "ingest/op_tables/op_tables.h"

/* What is asked of each host's file, once its summary is made: the profile is still open and good
 * for nothing else afterwards; what is to stay is copied. */
typedef bool host_read_fn(struct profile *profile, const struct summary *summary, void *context,
                          struct err *err);
struct host_question {
    host_read_fn *read;
    void *context;
    bool measures; /* the summary is to have its figures, too … */
    bool programs; /* … or to tell its ops as its programs do, all of which are read then */
};

/* Says of which file a failure is, unless it does. Returns false. */
bool failure_name(const char *path, struct err *err);

/* As ingest_summarize; *ret_told are the files that it was made of, and what was left. */
bool capture_summarize(const struct profile_files *profile, const struct ingest_options *options,
                       struct arena *arena, struct profile_files *ret_told,
                       struct summary *ret_summary, struct err *err);

/* Whether the profile holds programs, which know what its kernels do where these say what launched
 * them; asked before lines are streamed. */
bool measured_needs_launches(const struct profile *profile);

/* Fills summary->measured, what the figures of a step need beyond the sums that a summary is made
 * of, and how long each step waited for input. Reads events again only where their names say that
 * they tell it and the profile is not large. ERR_INPUT, ERR_LIMIT, ERR_FULL. */
bool measured_build(struct profile *profile, struct summary *summary, struct err *err);

/* What tables are made of. */
enum table_subject {
    SUBJECT_STEPS,
    SUBJECT_INPUT_OPS,
    SUBJECT_OPS,
    SUBJECT_ALLOCATORS,
    SUBJECT_PROGRAM, /* memory of the main one */
    SUBJECT_FINDINGS,
    SUBJECT_LAUNCHES, /* rows of the table `kernels` */
    SUBJECT_COUNT
};

/* The main program of the host whose program needs most memory. */
struct program_subject {
    struct made_rows rows;
    struct hlo_memory memory;
    const char *program;
};

/* What all hosts have said of the subjects that were asked. */
struct table_reading {
    unsigned asked;                   /* a bit for each subject */
    bool asks_groups;                 /* of collectives: which devices exchange */
    struct err failed[SUBJECT_COUNT]; /* ERR_INPUT: what of it the file has is broken */
    struct arena *arena;
    const char *format;
    const char *cut;            /* that a file was cut off, the first one; NULL: none was */
    struct profile_files files; /* what was read, and what was left */
    struct step_list steps;     /* settled */
    struct input_ops input_ops;
    struct op_list ops; /* finished */
    struct allocator_log allocators;
    struct program_subject program;
    struct examination examination; /* not settled */
    struct grouped_rows launches;
    struct summary summary; /* of the capture, without its figures */
};

/* What a table is made of; the reading is that of the table's subject, and shared: nothing of it is
 * changed but what a table of its own subject alone has. */
struct table_making {
    const struct table_request *request;
    const struct profile_files *profile;
    const struct ingest_options *options;
    struct table_reading *reading;
    struct arena *arena; /* of the table */
};

/* Makes the table. ERR_INPUT: the profile holds nothing for it, and why; ERR_LIMIT. */
typedef bool table_make_fn(const struct table_making *making, struct data_table *ret_table,
                           struct err *err);

#define MADE_TABLE_DECLARE(name, subject, help) table_make_fn name##_table_make;
MADE_TABLES(MADE_TABLE_DECLARE)
#undef MADE_TABLE_DECLARE

/* Whether a table is one of the ops, and makes it of them, or of a summary, of which the making
 * asks no files; name is what the user calls it. Errors as of table_make_fn. */
bool op_table_is(const char *table);
bool op_table_show(const struct table_making *making, const struct op_list *ops,
                   const struct summary *summary, struct data_table *ret_table, struct err *err);
bool op_table_of_summary(const struct table_making *making, const struct summary *summary,
                         const char *name, struct data_table *ret_table, struct err *err);

/* MFU and throughput of what is stated, as facts of a table that reads no ops. */
void stated_figures_add(const struct table_making *making, struct made_rows *rows);

/* Makes a table of those that xprof made of a profile, which are all there is of it. */
bool xprof_table_show(const struct table_making *making, struct data_table *ret_table,
                      struct err *err);

/* A table, what it is made of, and how. */
struct made_table {
    const char *name;
    enum table_subject subject;
    table_make_fn *make;
};
enum { MADE_TABLES_MOST = 32 };
extern const struct made_table made_tables[];
extern const size_t made_table_count;
const struct made_table *made_table_find(const char *name); /* NULL: there is none */

/* Nothing is asked yet. table_reading_done accepts a zeroed struct. */
void table_reading_init(struct table_reading *reading, struct arena *arena);
void table_reading_done(struct table_reading *reading);

/* Says in a table that what it is of was cut off, where `cut` says so, and which files of the
 * profile (NULL: all) it is not of, and why. */
void table_tell_input(struct data_table *table, const char *cut, const struct profile_files *files,
                      struct arena *arena);

/* Asks for what a table is made of. */
void table_reading_ask(struct table_reading *reading, const struct made_table *table);

/* Reads each host's file once for all that was asked, and the capture's summary, with its figures
 * where `measures`. Errors as of ingest_summarize. */
bool table_reading_take(struct table_reading *reading, const struct profile_files *profile,
                        const struct ingest_options *options, bool measures,
                        struct summary *ret_summary, struct err *err);

/* Makes the table of a reading that was asked for it. Errors as of table_make_fn, and what was
 * broken of its subject. */
bool made_table_make(const struct table_making *making, const struct made_table *table,
                     struct data_table *ret_table, struct err *err);

#define scoped_table_reading __attribute__((cleanup(table_reading_done))) struct table_reading

/* Reads the program whose ops take most of the time, and its memory. Errors as of op_list_collect
 * and hlo_programs_memory. */
bool program_subject_add(struct program_subject *subject, struct profile *profile, struct err *err);

#endif
