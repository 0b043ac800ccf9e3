/* One form of a question: how it is known, and who answers it. Inside ops/present. */
#ifndef OPS_PRESENT_QUERY_QUERY_FORM_H
#define OPS_PRESENT_QUERY_QUERY_FORM_H

#include "ops/present/query/answer.h"
#include "schema/documents/summary.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct query {
    const struct summary *summary;
    const struct summary *baseline; /* NULL = none was given */
    const char *question;           /* as asked */
    const char *lower;              /* the same in lower case */
    int64_t top_k;
    struct arena *arena;
};

enum { QUERY_NEEDS = 2 };

struct query_form {
    const char *example, *query_type, *answer; /* what `query --list` prints */
    /* Each is a list "a|b": one of its words is in the question. NULL = nothing is needed. */
    const char *needs[QUERY_NEEDS];
    bool (*fits)(const struct query *query); /* asked as well; NULL = always */
    json_t *(*make)(const struct query *query, const char *query_type);
};

/* A row of a table of them; its needs come last. */
#define QUERY_FORM(example, query_type, answer, fits, make, ...) \
    { \
        example, query_type, answer, {__VA_ARGS__}, fits, make \
    }

/* Rules 1 to 8, and 9, which answers everything. */
extern const struct query_form query_reference_forms[];
extern const size_t query_reference_form_count;
extern const struct query_form query_advice_form;

/* Ours, the first that fits answers. Their needs are starts of words; the reference's are
 * substrings. */
extern const struct query_form query_own_forms[];
extern const size_t query_own_form_count;

/* Ours that the reference's substrings would take for another question; asked before them, of
 * documents that hold what they need. */
extern const struct query_form query_first_forms[];
extern const size_t query_first_form_count;

/* Answers of ours that have a file of their own. */
json_t *query_step_json(const struct query *query, const struct step_row *row);
bool query_names_a_step(const struct query *query);
json_t *query_step(const struct query *query, const char *query_type);
json_t *query_step_alone(const struct query *query, const char *query_type);
json_t *query_device_memory(const struct query *query, const char *query_type);
json_t *query_phases(const struct query *query, const char *query_type);
json_t *query_mfu(const struct query *query, const char *query_type);
json_t *query_recomputation(const struct query *query, const char *query_type);
json_t *query_peak_memory(const struct query *query, const char *query_type);
bool query_bound_is_known(const struct query *query); /* what query_bound counts is there */
json_t *query_bound(const struct query *query, const char *query_type);
json_t *query_overlap(const struct query *query, const char *query_type);
json_t *query_transfers(const struct query *query, const char *query_type);
bool query_asks_of_waits(const struct query *query);
json_t *query_waits(const struct query *query, const char *query_type);
json_t *query_hosts(const struct query *query, const char *query_type);
json_t *query_throughput(const struct query *query, const char *query_type);
json_t *query_compilation(const struct query *query, const char *query_type);
json_t *query_what_changed(const struct query *query, const char *query_type);
json_t *query_time(const struct query *query, const char *query_type);
bool query_names_something(const struct query *query);
json_t *query_by_name(const struct query *query, const char *query_type);

/* Adds `self_us_per_step` and `share_of_step` of what took self_us in steady steps, of all devices
 * together: a mean by a mean, the steady step of a device. Null where it is not known. */
void query_op_time_add(struct answer *answer, const struct summary *summary,
                       struct opt_f64 self_us);

/* A figure of schema/documents/figures.h under its measure's name, with the reason where it is not
 * known, of a document that holds ours. */
void query_figure_add(struct answer *answer, const struct query *query, int figure);

#endif
