/* Values that may be absent in a document (JSON null), and lists of strings. */
#ifndef SCHEMA_OPTIONAL_H
#define SCHEMA_OPTIONAL_H

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

#endif
