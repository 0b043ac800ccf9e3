/* Values that may be absent in a document (JSON null), and lists of strings. */
#ifndef SCHEMA_DOCUMENTS_OPTIONAL_H
#define SCHEMA_DOCUMENTS_OPTIONAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct opt_i64 {
    bool set;
    int64_t value;
};

struct opt_f64 {
    bool set;
    double value;
};

struct string_list {
    const char **items;
    size_t count;
};

static inline struct opt_i64 some_i64(int64_t value)
{
    return (struct opt_i64){true, value};
}

static inline struct opt_f64 some_f64(double value)
{
    return (struct opt_f64){true, value};
}

/* Adds to a count that stays unset while there is nothing to count. */
static inline void opt_count_add(struct opt_i64 *count, int64_t more)
{
    if (more > 0)
        *count = some_i64(count->value + more);
}

/* (after - before) / before in percent; absent when a side is absent or before is not above 0. */
static inline struct opt_f64 change_percent(struct opt_f64 before, struct opt_f64 after)
{
    if (!before.set || !after.set || !(before.value > 0))
        return (struct opt_f64){false, 0};
    return some_f64((after.value - before.value) / before.value * 100);
}

#endif
