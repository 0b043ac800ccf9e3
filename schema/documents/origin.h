/* Where an entry comes from that another ledger recorded first. */
#ifndef SCHEMA_DOCUMENTS_ORIGIN_H
#define SCHEMA_DOCUMENTS_ORIGIN_H

/* When and by whom something was recorded in the ledger that it was exported from. */
struct origin {
    const char *recorded_at_utc;
    const char *by; /* NULL = unknown */
};

#endif
