/* Walks the chains, a page of entries at a time. */
#include "history/verify/verify_run.h"

#include "history/chain/chain.h"
#include "history/client/client.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WALK_PAGE = 10000, WALK_NAME_BYTES = 64 };

/* A clock that is set right by less than this is no finding (migration 0130 has the same bound). */
static const int64_t CLOCK_STEP_US = INT64_C(5) * 60 * 1000000;

/* The entry before the one that is looked at. */
struct walk {
    char chain[WALK_NAME_BYTES];
    int64_t position;
    int32_t version;
    int64_t recorded_us;
    uint8_t sha256[SHA256_BYTES];
};

/* A hash of another length than ours cannot be stored (CHECK), but constraints can be dropped. */
static const uint8_t *hash_at(const PGresult *page, int row, int column)
{
    static const uint8_t none[SHA256_BYTES];
    size_t length;
    const uint8_t *bytes = result_bytes(page, row, column, &length);
    return length == SHA256_BYTES ? bytes : none;
}

static void entry_check(struct verify_run *run, const struct walk *before,
                        const struct entry_link *link, const uint8_t *stored)
{
    uint8_t computed[SHA256_BYTES];
    enum entry_kind kind = entry_kind_of(link->kind);
    bool known = kind < ENTRY_KIND_COUNT;
    const struct verify_place place = {link->chain, link->position,
                                       known ? entry_kinds[kind].prefix : NULL, link->subject_id};
    entry_digest(link, computed);
    if (link->position != before->position + 1)
        verify_note(run, &place, "%" PRId64 " entries before it are missing: they were removed",
                    link->position - before->position - 1);
    else if (memcmp(link->previous_sha256, before->sha256, SHA256_BYTES) != 0)
        verify_note(run, &place,
                    "it does not follow the entry before it: one of the two was changed, moved or "
                    "put in");
    if (link->version < before->version)
        verify_note(run, &place, "it is of version %d behind one of version %d: it was put in",
                    link->version, before->version);
    if (memcmp(computed, stored, SHA256_BYTES) != 0)
        verify_note(run, &place, "the entry's hash is not that of what it says: it was changed");
    if (link->version == 1 && (link->recorded_by != NULL || link->on_behalf_of != NULL))
        verify_note(run, &place, "its author was put in: an entry of version 1 names none");
    if (link->recorded_us < before->recorded_us - CLOCK_STEP_US)
        verify_note(run, &place,
                    "it was recorded %" PRId64
                    " s before the entry that it follows: the server's clock was wrong, or one of "
                    "the two times is",
                    (before->recorded_us - link->recorded_us) / 1000000);
    if (!known || link->version < 1 || link->version > ENTRY_VERSION)
        verify_note(run, &place,
                    "kind \"%.40s\" of version %d is unknown here: a newer stepledger "
                    "wrote it, or it was forged",
                    link->kind, link->version);
}

static void page_walk(struct verify_run *run, const PGresult *page, struct walk *walk)
{
    for (int row = 0; row < PQntuples(page); row++) {
        const struct entry_link link = {
            .chain = result_text(page, row, C_entry_walk_chain),
            .position = result_i64(page, row, C_entry_walk_position),
            .kind = result_text(page, row, C_entry_walk_kind),
            .subject_id = result_i64(page, row, C_entry_walk_subject_id),
            .supersedes = result_opt_i64(page, row, C_entry_walk_supersedes),
            .version = result_i32(page, row, C_entry_walk_content_version),
            .content_sha256 = hash_at(page, row, C_entry_walk_content_sha256),
            .previous_sha256 = hash_at(page, row, C_entry_walk_previous_sha256),
            .recorded_us = result_wall_us(page, row, C_entry_walk_recorded_at),
            .recorded_by = result_text(page, row, C_entry_walk_recorded_by),
            .on_behalf_of = result_text(page, row, C_entry_walk_on_behalf_of),
        };
        if (strcmp(link.chain, walk->chain) != 0) {
            run->report->chain_count++;
            *walk = (struct walk){0};
            (void)snprintf(walk->chain, sizeof walk->chain, "%s", link.chain);
        }
        const uint8_t *stored = hash_at(page, row, C_entry_walk_entry_sha256);
        enum entry_kind kind = entry_kind_of(link.kind);
        entry_check(run, walk, &link, stored);
        if (kind < ENTRY_KIND_COUNT && run->from[kind] > link.subject_id)
            run->from[kind] = link.subject_id;
        walk->position = link.position;
        walk->version = link.version;
        walk->recorded_us = link.recorded_us;
        memcpy(walk->sha256, stored, SHA256_BYTES);
        run->report->entry_count++;
    }
}

bool verify_chains(struct verify_run *run, struct err *err)
{
    struct walk walk = {.chain = ""};
    for (;;) {
        scoped_result *page = NULL;
        if (!query_run(run->db, Q_entry_walk, ARGS(walk.chain, walk.position, arg_i64(WALK_PAGE)),
                       &page, err))
            return false;
        page_walk(run, page, &walk);
        if (PQntuples(page) < WALK_PAGE)
            return true;
    }
}

/* From a place that was verified before. */
static bool chain_walk(struct verify_run *run, const struct checkpoint_head *from, struct err *err)
{
    struct walk walk = {.position = from->position};
    (void)snprintf(walk.chain, sizeof walk.chain, "%s", from->chain);
    if (from->position > 0 && !hex_read(from->sha256, walk.sha256, sizeof walk.sha256))
        return err_set(err, ERR_INPUT, "the head of chain %.40s has no hash of 64 hex digits",
                       from->chain);
    for (int rows = WALK_PAGE; rows == WALK_PAGE;) {
        scoped_result *page = NULL;
        if (!query_run(run->db, Q_entry_walk_chain,
                       ARGS(walk.chain, walk.position, arg_i64(WALK_PAGE)), &page, err))
            return false;
        page_walk(run, page, &walk);
        rows = PQntuples(page);
    }
    run->report->chain_count++;
    return true;
}

bool verify_chains_since(struct verify_run *run, const struct checkpoint *since, struct err *err)
{
    size_t k = 0;
    scoped_result *heads = NULL;
    if (!query_run(run->db, Q_chain_heads, NULL, &heads, err))
        return false;
    for (int row = 0; row < PQntuples(heads); row++) {
        const char *chain = result_text(heads, row, C_chain_heads_chain);
        struct checkpoint_head from = {.chain = chain};
        while (k < since->head_count && strcmp(since->heads[k].chain, chain) < 0)
            k++;
        if (k < since->head_count && strcmp(since->heads[k].chain, chain) == 0)
            from = since->heads[k];
        if (from.position < result_i64(heads, row, C_chain_heads_position) &&
            !chain_walk(run, &from, err))
            return false;
    }
    return true;
}

static bool head_check(struct verify_run *run, const struct checkpoint *checkpoint,
                       const struct checkpoint_head *head, struct err *err)
{
    uint8_t wanted[SHA256_BYTES];
    const struct verify_place place = {.chain = head->chain, .position = head->position};
    scoped_result *found = NULL;
    if (!query_row(run->db, Q_entry_at, ARGS(head->chain, head->position), &found, err))
        return false;
    int64_t last = result_opt_i64(found, 0, C_entry_at_last_position).value;
    if (last < head->position)
        verify_note(run, &place,
                    "the chain ends at %" PRId64 ", checkpoint %.40s saw it here: its tail was cut",
                    last, checkpoint->id);
    else if (result_is_null(found, 0, C_entry_at_entry_sha256))
        verify_note(run, &place, "checkpoint %.40s saw an entry here: it was removed",
                    checkpoint->id);
    else if (!hex_read(head->sha256, wanted, sizeof wanted) ||
             memcmp(hash_at(found, 0, C_entry_at_entry_sha256), wanted, SHA256_BYTES) != 0)
        verify_note(run, &place, "checkpoint %.40s saw another entry here: the chain was made anew",
                    checkpoint->id);
    return true;
}

bool verify_heads(struct verify_run *run, const struct checkpoint *checkpoint, struct err *err)
{
    for (size_t i = 0; i < checkpoint->head_count; i++)
        if (!head_check(run, checkpoint, &checkpoint->heads[i], err))
            return false;
    return true;
}
