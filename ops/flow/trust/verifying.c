/* What is wrong with a checkpoint, here or there, is a finding; a ledger that cannot be read is an
 * error. */
#include "ops/flow/trust/verifying.h"

#include "history/verify/verify.h"
#include "ops/flow/trust/checkpoint_seal.h"
#include "ops/flow/trust/seen.h"
#include "ops/runtime/log.h"

#include <string.h>

static void note(const struct verifying *verifying, struct verify_report *report, const char *what)
{
    const struct verify_finding finding = {.chain = "ledger", .what = what};
    verify_add(report, verifying->arena, &finding);
}

/* Who rewrote it all could not sign. */
static bool seal_check(const struct verifying *verifying, const struct checkpoint *last,
                       struct verify_report *report, struct err *err)
{
    struct err trouble = {0};
    if (last == NULL) {
        if (conf_text(verifying->conf, CONF_checkpoint_trust)[0] != '\0')
            note(verifying, report,
                 "the ledger has no checkpoint, and checkpoint_trust asks for a signed one: they "
                 "were removed, or none was made yet (`stepledger checkpoint`)");
    } else if (!checkpoint_seal_check(verifying->conf, last, &trouble)) {
        if (trouble.kind != ERR_INPUT) {
            *err = trouble;
            return false;
        }
        note(verifying, report, trouble.text);
    }
    return true;
}

static void seen_check(const struct verifying *verifying, const struct seen *seen,
                       const struct checkpoint *last, struct verify_report *report)
{
    const struct checkpoint *newest = &seen->checkpoint;
    if (!seen->found || (last != NULL && !checkpoint_is_older(last, newest)))
        return;
    note(verifying, report,
         arena_printf(verifying->arena,
                      "the ledger's last checkpoint is %s%.40s, but this machine has seen %.40s of "
                      "%.40s: the ledger was rolled back. When it was on purpose (a backup, "
                      "another ledger at this address), remove %s",
                      last == NULL ? "none" : "", last == NULL ? "" : last->id, newest->id,
                      newest->recorded_at_utc, seen->path));
}

/* What was seen is one more checkpoint that was kept elsewhere. A file that is none is a finding:
 * it may have been changed so that it is none. One that could not be read just now, for want of
 * memory or descriptors, is no ground to verify without it. */
static bool against_all(const struct verifying *verifying, const struct verify_against *against,
                        struct seen *seen, struct verify_against *ret_all, struct err *fault,
                        struct err *err)
{
    struct checkpoint *items = arena_array(verifying->arena, struct checkpoint, against->count + 1);
    if (against->count > 0)
        memcpy(items, against->items, against->count * sizeof *items);
    *ret_all = (struct verify_against){items, against->count};
    if (seen_read(verifying->conf, verifying->db, SEEN_NEWEST, verifying->arena, seen, fault) &&
        seen->found)
        items[ret_all->count++] = seen->checkpoint;
    if (fault->kind == ERR_NONE || fault->kind == ERR_INPUT || fault->kind == ERR_USAGE)
        return true; /* ERR_USAGE: no folder to remember in, which newest_keep tells */
    *err = *fault;
    return false;
}

/* A machine that cannot remember can still verify. */
static void newest_keep(const struct verifying *verifying, enum seen_kind kind,
                        const struct checkpoint *last)
{
    struct err trouble = {0};
    if (!seen_keep(verifying->conf, verifying->db, kind, last, &trouble))
        log_event(LOG_WARN, LOG_checkpoint_not_kept, "why", trouble.text, NULL);
}

/* What is asked of the ledger's own last checkpoint; it is kept when nothing was found at all. */
static bool last_check(const struct verifying *verifying, const struct seen *seen,
                       struct verify_report *report, struct err *err)
{
    bool found;
    struct checkpoint last;
    if (!checkpoint_last(verifying->db, verifying->arena, &last, &found, err) ||
        !seal_check(verifying, found ? &last : NULL, report, err))
        return false;
    seen_check(verifying, seen, found ? &last : NULL, report);
    if (report->finding_count == 0 && found) {
        newest_keep(verifying, SEEN_NEWEST, &last);
        newest_keep(verifying, SEEN_VERIFIED, &last);
    }
    return true;
}

bool verifying_run(const struct verifying *verifying, const struct verify_against *against,
                   struct verify_report **ret_report, struct err *err)
{
    struct seen seen = {0};
    struct verify_report *report;
    struct verify_against all;
    struct err fault = {0};
    if (!against_all(verifying, against, &seen, &all, &fault, err))
        return false;
    if (!ledger_verify(verifying->db, &all, verifying->arena, &report, err))
        return false;
    if (fault.kind == ERR_INPUT)
        note(verifying, report, fault.text);
    *ret_report = report;
    return last_check(verifying, &seen, report, err);
}

bool verifying_new(const struct verifying *verifying, struct verify_report **ret_report,
                   struct err *err)
{
    struct seen verified, newest;
    struct verify_report *report;
    const struct conf *conf = verifying->conf;
    if (!seen_read(conf, verifying->db, SEEN_VERIFIED, verifying->arena, &verified, err) ||
        !seen_read(conf, verifying->db, SEEN_NEWEST, verifying->arena, &newest, err))
        return false;
    *ret_report = NULL;
    if (!verified.found)
        return true;
    if (!ledger_verify_since(verifying->db, &verified.checkpoint, verifying->arena, &report, err))
        return false;
    *ret_report = report;
    return last_check(verifying, &newest, report, err);
}
