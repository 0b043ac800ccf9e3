/* Verifying the ledger: every chain is walked, every content is read again and hashed, and the
 * heads are compared with checkpoints.
 *
 * What is found: an entry that was changed, taken out, put in or moved; rows that were changed,
 * that are gone, or that have no entry; a chain that ends before a checkpoint says it did. Who can
 * write the whole database and computes all hashes anew is found by a checkpoint kept elsewhere
 * only.
 */
#ifndef HISTORY_VERIFY_VERIFY_H
#define HISTORY_VERIFY_VERIFY_H

#include "history/db.h"
#include "history/verify/checkpoints.h"
#include "history/verify/proofs.h"
#include "schema/documents/checkpoint.h"

enum { VERIFY_FINDINGS_MAX = 100 };

struct verify_finding {
    const char *chain; /* NULL: on none */
    int64_t position;
    const char *entry; /* "p12"; NULL = unknown */
    const char *what;  /* one sentence */
};

struct verify_report {
    int64_t entry_count, chain_count, subject_count;
    int64_t finding_count; /* all of them; the first VERIFY_FINDINGS_MAX are kept */
    struct verify_finding findings[VERIFY_FINDINGS_MAX];
};

/* Adds a finding of the caller's own; texts are copied to the arena of the report. */
void verify_add(struct verify_report *report, struct arena *arena,
                const struct verify_finding *finding);

/* Checkpoints that were kept elsewhere, and whose roots were checked
 * (history/verify/checkpoints.h). */
struct verify_against {
    const struct checkpoint *items;
    size_t count;
};

/* Reads everything in one snapshot, and compares the heads of chains with those of the ledger's own
 * last checkpoint, and of `against` (may be NULL). The report lives in the arena. False only when
 * the ledger could not be read. */
bool ledger_verify(struct db *db, const struct verify_against *against, struct arena *arena,
                   struct verify_report **ret_report, struct err *err);

/* The same of what was appended since a checkpoint that was verified then: its entries, their rows,
 * and what was put in behind them. What was changed before is the whole verification's to find. */
bool ledger_verify_since(struct db *db, const struct checkpoint *since, struct arena *arena,
                         struct verify_report **ret_report, struct err *err);

/* Whether every chain still holds what a checkpoint saw. *ret_fault: a sentence that says which
 * does not, in the arena; NULL = all do. */
bool ledger_holds(struct db *db, const struct checkpoint *checkpoint, struct arena *arena,
                  const char **ret_fault, struct err *err);

#endif
