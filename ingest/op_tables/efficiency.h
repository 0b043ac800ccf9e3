/* What a step reaches of what its devices could do: MFU and throughput, with what each was computed
 * from; or the reason why it cannot be known. Formulas: ingest/README.md, "Rates and the roof".
 */
#ifndef INGEST_OP_TABLES_EFFICIENCY_H
#define INGEST_OP_TABLES_EFFICIENCY_H

#include "ingest/op_tables/op_tables.h"

struct efficiency {
    struct opt_f64 mfu;     /* of 1 */
    const char *mfu_of;     /* what it was computed from … */
    const char *mfu_absent; /* … or why there is none */
    struct opt_f64 tokens_per_second_per_device;
    const char *tokens_absent;
};

/* Of the summary and its ops, and of what the request states. */
struct efficiency efficiency_of(const struct op_table_input *input);

#endif
