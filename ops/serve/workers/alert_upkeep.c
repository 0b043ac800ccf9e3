/* Implements digests and news of troubles; each in one transaction. */
#include "ops/serve/workers/alert_upkeep.h"

#include "alerts/channels.h"
#include "alerts/route.h"
#include "history/lease/lease.h"
#include "ops/runtime/clock.h"

#include "ops/runtime/text.h"

#include <inttypes.h>
#include <string.h>

enum { DIGEST_MAX = 50, DIGEST_BYTES = 32 << 10, MEMORY_BYTES = 16 << 20 };

/* Messages about messages have order keys of their own. */
static const char digest_key[] = "digest", dead_key[] = "dead-letters", disabled_key[] = "disabled",
                  verify_key[] = "verify";

/* A message that rests on no verdict. `parts` tell it from all others. */
struct upkeep_note {
    const char *destination, *order_key;
    const struct notice *notice;
    const char *const *parts;
    size_t part_count;
};

static bool note_enqueue(struct db *db, const struct conf *conf, const struct upkeep_note *note,
                         struct arena *arena, struct err *err)
{
    struct destination to;
    struct message built;
    char dedupe[SHA256_HEX_BYTES];
    bool is_new;
    if (!destination_find(conf, note->destination, arena, &to, err) ||
        !message_build(note->notice, &to, arena, &built, err))
        return false;
    message_digest(note->parts, note->part_count, dedupe);
    const struct outbox_message message = {
        .destination = to.name,
        .order_key = note->order_key,
        .dedupe_key = dedupe,
        .content_type = built.content_type,
        .body = built.body,
        .body_length = built.length,
        .max_attempts = (int)conf_int(conf, CONF_delivery_attempts),
        .headline = note->notice->headline,
    };
    return outbox_enqueue(db, 0, &message, &is_new, err);
}

/* Whether the destination is there and shows no state of something: a note has a place there. */
static bool takes_notes(const struct conf *conf, const char *name, struct arena *arena)
{
    struct destination to;
    const struct channel *channel;
    return destination_find(conf, name, arena, &to, NULL) &&
           channel_find(to.kind, &channel, NULL) && !channel->shows_state && !channel->keeps_record;
}

/* ---- digests ---- */

/* *ret_made false when nothing is due. */
static bool digest_make(struct db *db, const struct conf *conf, bool *ret_made, struct err *err)
{
    scoped_arena arena;
    struct outbox_page page;
    arena_init(&arena, MEMORY_BYTES);
    if (!outbox_digest_due(db, DIGEST_MAX, &arena, &page, err))
        return false;
    *ret_made = page.count > 1 && takes_notes(conf, page.items[0].destination, &arena);
    if (!*ret_made)
        return true;
    scoped_text lines, ids;
    text_init(&lines, DIGEST_BYTES);
    text_init(&ids, DIGEST_BYTES);
    for (size_t i = 0; i < page.count; i++) {
        text_addf(&lines, "- %s\n",
                  page.items[i].headline != NULL ? page.items[i].headline : "a message");
        text_addf(&ids, "%" PRId64 " ", page.items[i].id);
    }
    char messages[FORMAT_COUNTED_BYTES];
    const char *headline = arena_printf(&arena, "%s since the last one",
                                        format_counted((int64_t)page.count, "message", messages));
    if (!text_ok(&lines, "a digest", err) || !text_ok(&ids, "a digest", err))
        return false;
    const struct notice notice = {.headline = headline, .details = text_string(&lines)};
    const char *const parts[] = {digest_key, page.items[0].destination, text_string(&ids)};
    const struct upkeep_note note = {page.items[0].destination, digest_key, &notice, parts, 3};
    return note_enqueue(db, conf, &note, &arena, err) && outbox_join(db, &page, &arena, err);
}

/* ---- the dead ---- */

/* Who is told of the trouble with a destination; NULL = nobody. */
static const char *teller_of(const struct conf *conf, const char *destination, struct arena *arena)
{
    struct destination to;
    if (!destination_find(conf, destination, arena, &to, NULL) || to.on_dead == NULL ||
        strcmp(to.on_dead, to.name) == 0 || !takes_notes(conf, to.on_dead, arena))
        return NULL;
    return to.on_dead;
}

static bool dead_tell(struct db *db, const struct conf *conf, bool *ret_told, struct err *err)
{
    scoped_arena arena;
    struct outbox_row row;
    arena_init(&arena, MEMORY_BYTES);
    if (!outbox_dead_untold(db, &arena, &row, ret_told, err))
        return false;
    if (!*ret_told)
        return true;
    bool of_news = strcmp(row.order_key, dead_key) == 0;
    const char *teller = of_news ? NULL : teller_of(conf, row.destination, &arena);
    if (teller == NULL)
        return outbox_dead_told(db, row.id, err);
    const char *id = arena_printf(&arena, "%" PRId64, row.id);
    const char *headline =
        arena_printf(&arena,
                     "message %" PRId64 " to '%s' is given up; `stepledger alert retry %" PRId64
                     "` tries it again",
                     row.id, row.destination, row.id);
    const char *details =
        arena_printf(&arena, "it said: %s\nwhy: %s\n", row.headline != NULL ? row.headline : "-",
                     row.last_error != NULL ? row.last_error : "-");
    const struct notice notice = {.headline = headline, .details = details};
    const char *const parts[] = {dead_key, row.destination, id, row.last_error};
    const struct upkeep_note note = {teller, dead_key, &notice, parts, 4};
    return note_enqueue(db, conf, &note, &arena, err) && outbox_dead_told(db, row.id, err);
}

/* ---- the disabled ---- */

static bool disabled_tell(struct db *db, const struct conf *conf, bool *ret_told, struct err *err)
{
    scoped_arena arena;
    struct destination_row row;
    arena_init(&arena, MEMORY_BYTES);
    if (!destination_disabled_untold(db, &arena, &row, ret_told, err))
        return false;
    if (!*ret_told)
        return true;
    const char *teller = teller_of(conf, row.name, &arena);
    if (teller == NULL)
        return destination_disabled_told(db, row.name, err);
    const char *headline =
        arena_printf(&arena,
                     "destination '%s' is disabled until %s; `stepledger alert retry %s` opens it "
                     "again",
                     row.name, row.disabled_until_utc, row.name);
    char messages[FORMAT_COUNTED_BYTES];
    const char *details =
        arena_printf(&arena, "waiting: %s\nwhy: %s\n",
                     format_counted(row.waiting, "message", messages), row.disabled_why);
    const struct notice notice = {.headline = headline, .details = details};
    const char *const parts[] = {disabled_key, row.name, row.disabled_until_utc};
    const struct upkeep_note note = {teller, disabled_key, &notice, parts, 3};
    return note_enqueue(db, conf, &note, &arena, err) &&
           destination_disabled_told(db, row.name, err);
}

/* ---- what verifying found ---- */

enum { FINDINGS_TOLD = 10 };

/* The destinations of verify_notify; all that take notes when it is empty. */
static struct string_list findings_tellers(const struct conf *conf, struct arena *arena)
{
    const char *rest = conf_text(conf, CONF_verify_notify);
    size_t most = strlen(rest) / 2 + 1;
    if (rest[0] == '\0')
        return destination_names(conf, arena);
    struct string_list names = {.items = arena_array(arena, const char *, most)};
    for (char *name; (name = route_next_name(&rest, arena)) != NULL && names.count < most;)
        names.items[names.count++] = name;
    return names;
}

bool alert_findings_tell(struct db *db, const struct conf *conf, const struct verify_report *report,
                         struct err *err)
{
    scoped_arena arena;
    scoped_text details;
    arena_init(&arena, MEMORY_BYTES);
    struct string_list tellers = findings_tellers(conf, &arena);
    text_init(&details, DIGEST_BYTES);
    for (int64_t i = 0; i < report->finding_count && i < FINDINGS_TOLD; i++) {
        const struct verify_finding *finding = &report->findings[i];
        text_add(&details, "- ");
        if (finding->chain != NULL)
            text_addf(&details, "%s %" PRId64 " ", finding->chain, finding->position);
        if (finding->entry != NULL)
            text_addf(&details, "(%s) ", finding->entry);
        text_addf(&details, "%s\n", finding->what != NULL ? finding->what : "");
    }
    if (!text_ok(&details, "the findings", err))
        return false;
    const char *headline = arena_printf(
        &arena, "the ledger is not what was recorded: `stepledger verify` found %" PRId64 " %s",
        report->finding_count, report->finding_count == 1 ? "thing" : "things");
    const struct notice notice = {.headline = headline, .details = text_string(&details)};
    char day[CLOCK_ISO_BYTES];
    clock_iso(clock_wall_us(), day);
    day[sizeof "2026-11-22" - 1] = '\0';
    scoped_transaction *open = NULL;
    if (!transaction_open(db, &open, err))
        return false;
    for (size_t i = 0; i < tellers.count; i++) {
        const char *name = tellers.items[i];
        const char *const parts[] = {verify_key, name, day, notice.details};
        const struct upkeep_note note = {name, verify_key, &notice, parts, 4};
        if (takes_notes(conf, name, &arena) && !note_enqueue(db, conf, &note, &arena, err))
            return false;
    }
    return transaction_close(&open, err);
}

/* ---- one transaction each, until there is no more ---- */

typedef bool upkeep_step(struct db *db, const struct conf *conf, bool *ret_done, struct err *err);

static bool steps_run(struct db *db, const struct conf *conf, upkeep_step *step, bool *ret_any,
                      struct err *err)
{
    *ret_any = false;
    for (bool done = true; done; *ret_any |= done) {
        scoped_transaction *open = NULL;
        if (!transaction_open(db, &open, err) || !step(db, conf, &done, err) ||
            !transaction_close(&open, err))
            return false;
    }
    return true;
}

bool alert_digests_make(struct db *db, const struct conf *conf, struct err *err)
{
    bool any;
    return steps_run(db, conf, digest_make, &any, err);
}

bool alert_troubles_tell(struct db *db, const struct conf *conf, bool *ret_told, struct err *err)
{
    bool disabled;
    if (!steps_run(db, conf, dead_tell, ret_told, err) ||
        !steps_run(db, conf, disabled_tell, &disabled, err))
        return false;
    *ret_told |= disabled;
    return true;
}
