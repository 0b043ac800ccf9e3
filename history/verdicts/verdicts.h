/* Verdicts in the ledger, appended once, never changed. The id that people see is "v<number>". */
#ifndef HISTORY_VERDICTS_VERDICTS_H
#define HISTORY_VERDICTS_VERDICTS_H

#include "history/alert/alert.h"
#include "history/lease/lease.h"
#include "history/verdicts/briefs.h"
#include "history/verdicts/commit_runs.h"
#include "schema/documents/origin.h"

/* The number that the next verdict will have: its messages are built before it is appended and name
 * it. A number that is never used stays a hole. */
bool ledger_reserve_verdict(struct db *db, int64_t *ret_id, struct err *err);

struct verdict_entry {
    int64_t id; /* from ledger_reserve_verdict */
    const struct verdict *verdict;
    const char *document; /* verdict_to_json's text */
    const char *request;  /* gate_request.v1, so that it can be made again; NULL: it cannot */
    const char *policy;   /* the canonical text that verdict->policy_sha256 is of; with a request */
    const struct outbox_message *messages;
    size_t message_count;
    const struct alert_change
        *alert; /* as alert_decide said in this transaction; NULL: not asked */
    const struct judgement *judgement; /* that it ends (history/lease/judgement.h); NULL: none */
    const struct origin *origin;       /* of an import; NULL: it is recorded now */
};

/* Appends the verdict, the profiles it rests on, its request and policy, what it does to its alert,
 * and its outbox rows in one transaction. A message whose dedupe key is known at its destination is
 * not enqueued again. */
bool ledger_append_verdict(struct db *db, const struct verdict_entry *entry, struct err *err);

/* The same in the caller's transaction. */
bool ledger_append_verdict_within(struct db *db, const struct verdict_entry *entry,
                                  struct err *err);

/* The verdict's document as it was appended. ERR_MISSING when there is none; ERR_INPUT when it is
 * not what was recorded. */
bool ledger_load_verdict(struct db *db, int64_t id, struct arena *arena, char **ret_document,
                         struct err *err);

/* The same, read: its texts are in the arena. ret_document: NULL, or where its document goes. */
bool ledger_read_verdict(struct db *db, int64_t id, struct arena *arena, const char **ret_document,
                         struct verdict *ret_verdict, struct err *err);

/* The document as it stands there, for who makes it again and compares. ERR_MISSING. */
bool ledger_load_verdict_unchecked(struct db *db, int64_t id, struct arena *arena,
                                   char **ret_document, struct err *err);

/* What the verdict was made from. ERR_MISSING when there is no such verdict, or it was recorded
 * without. */
struct verdict_source {
    const char *request, *policy;
};
bool ledger_load_request(struct db *db, int64_t id, struct arena *arena,
                         struct verdict_source *ret_source, struct err *err);

/* When it was recorded, and the text of the policy by which it was made; NULL: that was not kept.
 * ERR_MISSING. */
struct verdict_moment {
    int64_t recorded_us;
    const char *policy;
};
bool ledger_verdict_moment(struct db *db, int64_t id, struct arena *arena,
                           struct verdict_moment *ret_moment, struct err *err);

/* "p3 of the baseline (a noisy host), p9 of the candidate (...)" in the arena, of the profiles of
 * the verdict that were retracted, they or what took their place; NULL: all of them count. */
bool verdict_retraction(struct db *db, int64_t verdict_id, struct arena *arena,
                        const char **ret_text, struct err *err);

#endif
