/* The formats that can be read: a table. A new one is a file that fills a summary, and a line. */
#ifndef INGEST_FORMATS_H
#define INGEST_FORMATS_H

#include "ingest/ingest.h"

struct profile_format {
    const char *name;   /* summary.source_format */
    const char *suffix; /* of its files */
    const char *what;   /* for messages */
    /* Fills all members of the summary but those that all formats share (summarize.c). */
    bool (*summarize)(const struct profile_files *files, const struct ingest_options *options,
                      struct arena *arena, struct summary *summary, struct err *err);
};

extern const struct profile_format profile_formats[];
extern const size_t profile_format_count;

/* The format of a file by its name; NULL when it is none of them. */
const struct profile_format *format_of_path(const char *path);

/* XPlane: formats[0], also for files of any other name. */
bool xplane_summarize(const struct profile_files *files, const struct ingest_options *options,
                      struct arena *arena, struct summary *summary, struct err *err);

#endif
