/* What allocators of devices say while a profile is recorded: how much was in use, when it was
 * most, and what each allocation made of it.
 */
#ifndef INGEST_ALLOCATORS_ALLOCATORS_H
#define INGEST_ALLOCATORS_ALLOCATORS_H

#include "ingest/data_tables/data_tables.h"
#include "ingest/timeline/timeline.h"

/* The state of an allocator behind one event of it. */
struct allocator_event {
    uint32_t allocator, host; /* of allocator_log */
    int64_t time_ps;          /* since the profile's base */
    int64_t place;            /* in the order of reading */
    bool frees;
    bool is_sample; /* of more events, of which a table of xprof keeps so many */
    struct opt_i64 stack, heap, free, lifetime_peak; /* bytes */
    struct opt_i64 requested, allocated;
    struct opt_i64 address; /* bits of an unsigned number */
    struct opt_f64 fragmentation;
    const char *op;
};

/* Those of all hosts. */
struct allocator_log {
    struct arena *arena;
    struct allocator_event *events;
    size_t count, capacity;
    const char **allocators, **hosts;
    size_t allocator_count, allocator_capacity, host_count, host_capacity;
};

/* Adds what the hosts of a profile, which was opened, say. ERR_INPUT: malformed; ERR_LIMIT. */
bool allocators_read(struct profile *profile, struct allocator_log *log, struct err *err);

/* Adds an event whose host has a number; the allocator's name lives on. ERR_LIMIT: also where path
 * tells of too many allocators. */
bool allocator_log_add(struct allocator_log *log, const struct allocator_event *event,
                       const char *allocator, const char *path, struct err *err);

/* The number of a host by its name, which may be NULL. */
uint32_t allocator_log_host(struct allocator_log *log, const char *name);

/* Whether any event of an allocator is there, by the names of what ran. */
bool allocators_tell(const struct profile *profile);

/* The most in use of an allocator of a device, whose name it gives (NULL: it has none); not set
 * when none tells. What an allocator of a host's memory says is no device's. */
struct opt_i64 allocators_peak(const struct allocator_log *log, const char **ret_allocator);

/* What is in use behind an event, stack and heap; whether an allocator's name speaks of a host's
 * memory. */
struct opt_i64 allocator_in_use(const struct allocator_event *event);
bool allocator_is_of_host(const char *allocator);

/* Puts events by host, allocator and time; the first event of the next allocator behind the one
 * `at` which a list in that order has. */
void allocator_log_order(struct allocator_log *log);
size_t allocator_log_next(const struct allocator_log *log, size_t at);

/* Memory of an allocator of which each window, from one on, leaves more in use than the one before:
 * as seen at the least of each. */
struct memory_growth {
    const char *allocator; /* NULL: it has no name */
    bool of_host;          /* its memory is that of a host */
    int64_t from_bytes, to_bytes;
    size_t windows, windows_before; /* that grow; that left it as it was, before them */
};

/* Whether any allocator grows from window to window, and the largest growth, of a device where one
 * grows. Each window begins at a bound and ends with the next: bounds[window_count + 1]. Orders the
 * log. */
bool allocators_grow(struct allocator_log *log, const int64_t *bounds, size_t window_count,
                     struct memory_growth *ret_growth);

/* A row per host and allocator, those with most in use first. */
bool allocator_rows(struct allocator_log *log, struct made_rows *rows, struct err *err);
extern const struct data_column allocator_columns[];
extern const size_t allocator_column_count;

/* A row per event, by host, allocator and time; of allocations whether they live at the peak. */
bool allocator_event_rows(struct allocator_log *log, struct made_rows *rows, struct err *err);
extern const struct data_column allocator_event_columns[];
extern const size_t allocator_event_column_count;

#endif
