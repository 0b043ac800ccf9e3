/* What is in use on devices at one moment, as a device memory profile tells it. Sizes that are not
 * known are 0 and counted apart. */
#ifndef SCHEMA_DOCUMENTS_MEMORY_SUMMARY_H
#define SCHEMA_DOCUMENTS_MEMORY_SUMMARY_H

#include "schema/documents/capture.h"

struct memory_row {
    const char *device, *kind; /* "buffer", "executable"; "" when the profile does not say */
    const char *source;        /* "train.py:41": the innermost line that is none of a package */
    const char *function;
    int64_t bytes, count;  /* of allocations */
    int64_t unknown_count; /* of those, how many have no known size */
};

/* The same of all rows of one device, or of one kind. */
struct memory_share {
    const char *name;
    int64_t bytes, count, unknown_count;
};

struct memory_summary {
    int64_t bytes, count, unknown_count; /* of all rows */
    struct memory_share *devices;        /* most bytes first; "" holds what is of no device */
    size_t device_count;
    struct memory_share *kinds;
    size_t kind_count;
    struct memory_row *allocations; /* most bytes first */
    size_t allocation_count;
    struct source_file *sources; /* the files that tell it */
    size_t source_count;
};

/* What a program holds of a device's memory at its peak. */
struct program_buffer {
    const char *kind;                           /* parameter, constant, output, temporary */
    const char *instruction, *shapes, *op_path; /* that makes it; NULL: not told */
    int64_t bytes;
};

#endif
