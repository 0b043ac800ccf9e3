/* A list as a document: JSON, a table for a terminal, CSV. */
#ifndef OPS_CLI_READING_LIST_PRINT_H
#define OPS_CLI_READING_LIST_PRINT_H

#include "history/reading/reading.h"
#include "ops/runtime/text.h"

/* list.v1. ERR_LIMIT. */
bool list_print_json(const struct list_query *query, const struct list *list, struct text *out,
                     struct err *err);

/* A table with short ids; long names are cut to the terminal's width. ERR_LIMIT. */
bool list_print_text(const struct list_query *query, const struct list *list, struct text *out,
                     struct err *err);

/* A header and the rows, everything in full. ERR_LIMIT. */
bool list_print_csv(const struct list_query *query, const struct list *list, struct text *out,
                    struct err *err);

#endif
