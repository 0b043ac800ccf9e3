/* Reads [destination NAME] sections: a table of their own keys, each with the function that checks
 * and keeps its value. */
#include "alerts/destination.h"
#include "alerts/channels.h"
#include "alerts/mail/mail.h"
#include "ops/net/secret.h"
#include "ops/net/section.h"
#include "ops/net/url.h"
#include "ops/runtime/text.h"

#include <stddef.h>
#include <string.h>

enum { INTERVAL_MAX_MS = 3600000 };

static const char section_word[] = "destination ";

/* ---- one function per key ---- */

static bool kind_set(void *target, const char *value, struct arena *arena, struct err *err)
{
    (void)arena;
    struct destination *to = target;
    const struct channel *channel;
    to->kind = value;
    return channel_find(value, &channel, err);
}

static bool url_set(void *target, const char *value, struct arena *arena, struct err *err)
{
    (void)arena, (void)err;
    struct destination *to = target;
    to->url_ref = value; /* a literal one is checked at the end, when allow_http is known */
    return true;
}

static bool secret_set(void *target, const char *value, struct arena *arena, struct err *err)
{
    (void)arena;
    struct destination *to = target;
    to->secret_ref = value;
    return secret_is_reference(value) ||
           err_set(err, ERR_USAGE, "say where the secret is kept, as " SECRET_FORMS);
}

static bool ambiguity_set(void *target, const char *value, struct arena *arena, struct err *err)
{
    (void)arena;
    struct destination *to = target;
    to->gives_up_in_doubt = strcmp(value, "give_up") == 0;
    return to->gives_up_in_doubt || strcmp(value, "retry") == 0 ||
           err_set(err, ERR_USAGE, "'%s' must be retry or give_up", value);
}

static bool interval_set(void *target, const char *value, struct arena *arena, struct err *err)
{
    (void)arena;
    struct destination *to = target;
    return section_number(value, 0, INTERVAL_MAX_MS, &to->min_interval_ms, err);
}

static bool issue_set(void *target, const char *value, struct arena *arena, struct err *err)
{
    (void)arena;
    struct destination *to = target;
    int64_t number;
    to->issue = value;
    return section_number(value, 1, INT32_MAX, &number, err);
}

/* Goes into the path of a URL. */
static bool repository_set(void *target, const char *value, struct arena *arena, struct err *err)
{
    (void)arena;
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/";
    struct destination *to = target;
    to->repository = value;
    return (value[strspn(value, allowed)] == '\0' && strstr(value, "..") == NULL &&
            value[0] != '/') ||
           err_set(err, ERR_USAGE, "'%s' must be OWNER/NAME, or a project's number", value);
}

#define TEXT_SETTER(name) \
    static bool name##_set(void *target, const char *value, struct arena *arena, struct err *err) \
    { \
        (void)arena, (void)err; \
        ((struct destination *)target)->name = value; \
        return true; \
    }
TEXT_SETTER(channel)
TEXT_SETTER(login)
TEXT_SETTER(context)
TEXT_SETTER(on_dead)
#undef TEXT_SETTER

static bool from_set(void *target, const char *value, struct arena *arena, struct err *err)
{
    struct smtp_envelope ignored;
    ((struct destination *)target)->from = value;
    return mail_envelope_read(value, value, arena, &ignored, err);
}

static bool helo_set(void *target, const char *value, struct arena *arena, struct err *err)
{
    (void)arena;
    ((struct destination *)target)->helo = value;
    return smtp_name_fits(value) ||
           err_set(err, ERR_USAGE,
                   "'%s' must be a full name such as ledger.example.com, or an address such as "
                   "[192.0.2.7]",
                   value);
}

static bool to_set(void *target, const char *value, struct arena *arena, struct err *err)
{
    struct destination *to = target;
    struct smtp_envelope ignored;
    to->to = value;
    return mail_envelope_read("sender@localhost", value, arena, &ignored, err);
}

static const struct section_key keys[] = {
    {"kind", kind_set, "what is there: see `stepledger help alerts`"},
    {"url", url_set, "where it is; a secret one as env:NAME, file:/PATH or credential:NAME"},
    {"secret", secret_set,
     "token, key or USER:PASSWORD, as env:NAME, file:/PATH or credential:NAME"},
    {"channel", channel_set, "of Slack: its id"},
    {"repository", repository_set, "OWNER/NAME of a forge, ENTITY/PROJECT of W&B"},
    {"issue", issue_set, "comments go to this one, whatever the branch"},
    {"login", login_set, "user of the comments that are kept up to date"},
    {"context", context_set, "name of a commit status or check"},
    {"from", from_set, "sender of mail"},
    {"to", to_set, "recipients of mail, comma-separated"},
    {"helo", helo_set,
     "full name by which mail servers are greeted; default: this machine's, else its address"},
    {"on_dead", on_dead_set, "destination that is told when a message is given up here"},
    {"on_ambiguity", ambiguity_set,
     "when an answer was lost: retry, or give_up (rather one lost than one twice)"},
    {"min_interval_ms", interval_set, "between two messages"},
};

struct section_keys destination_keys(void)
{
    return (struct section_keys){keys, sizeof keys / sizeof keys[0]};
}

/* ---- sections ---- */

/* The name behind "destination ", NULL for a section of another kind. */
static const char *section_name(const char *section)
{
    size_t length = sizeof section_word - 1;
    if (strncmp(section, section_word, length) != 0)
        return NULL;
    return section + length + strspn(section + length, " \t");
}

static bool entry_apply(struct destination *to, const struct conf_entry *entry, struct arena *arena,
                        struct err *err)
{
    const char *what = arena_printf(arena, "destination '%s'", to->name);
    if (what == NULL)
        return arena_failed(arena, "a destination", err);
    const struct section section = {.what = what,
                                    .keys = keys,
                                    .key_count = sizeof keys / sizeof keys[0],
                                    .target = to,
                                    .policy = &to->policy};
    return section_apply(&section, entry, arena, err);
}

bool destination_names(const struct conf *conf, struct arena *arena, struct string_list *ret_names,
                       struct err *err)
{
    const struct conf_file *all = &conf->sections;
    struct string_list names = {arena_array(arena, const char *, all->count), 0};
    if (names.items == NULL)
        return arena_failed(arena, "the destinations", err);
    for (size_t i = 0; i < all->count; i++) {
        const char *name = section_name(all->entries[i].section);
        bool known = name == NULL;
        for (size_t n = 0; n < names.count && !known; n++)
            known = strcmp(names.items[n], name) == 0;
        if (!known)
            names.items[names.count++] = name;
    }
    *ret_names = names;
    return true;
}

/* The keys that a kind can need. */
static const struct {
    enum channel_need need;
    const char *key;
    size_t offset;
} needs[] = {
    {NEEDS_URL, "url", offsetof(struct destination, url_ref)},
    {NEEDS_SECRET, "secret", offsetof(struct destination, secret_ref)},
    {NEEDS_CHANNEL, "channel", offsetof(struct destination, channel)},
    {NEEDS_REPOSITORY, "repository", offsetof(struct destination, repository)},
    {NEEDS_ADDRESSES, "from", offsetof(struct destination, from)},
    {NEEDS_ADDRESSES, "to", offsetof(struct destination, to)},
};

static const char *missing_key(const struct destination *destination, unsigned needed)
{
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        const char *value;
        memcpy(&value, (const char *)destination + needs[i].offset, sizeof value);
        if ((needed & needs[i].need) != 0 && value == NULL)
            return needs[i].key;
    }
    return NULL;
}

static bool literal_check(const struct destination *destination, const struct channel *channel,
                          struct err *err)
{
    bool smtps;
    return channel->is_mail ? url_mail_check(destination->url_ref, &smtps, err)
                            : url_check(destination->url_ref, destination->policy.allow_http, err);
}

bool destination_find(const struct conf *conf, const char *name, struct arena *arena,
                      struct destination *ret_destination, struct err *err)
{
    struct destination found = {.name = arena_strdup(arena, name),
                                .context = "stepledger",
                                .min_interval_ms = -1,
                                .policy = {.timeout_ms = SECTION_TIMEOUT_DEFAULT_MS}};
    if (found.name == NULL)
        return arena_failed(arena, "a destination", err);
    const struct conf_entry *last = NULL;
    for (size_t i = 0; i < conf->sections.count; i++) {
        const struct conf_entry *entry = &conf->sections.entries[i];
        const char *section = section_name(entry->section);
        if (section == NULL || strcmp(section, name) != 0)
            continue;
        last = entry;
        if (!entry_apply(&found, entry, arena, err))
            return false;
    }
    if (last == NULL) {
        struct string_list names;
        if (!destination_names(conf, arena, &names, err))
            return false;
        return err_set(err, ERR_USAGE,
                       "destination '%s' is not configured%s (a section [destination %s] with kind "
                       "and url is needed)",
                       name, text_suggestion(name, names.items, names.count).words, name);
    }
    /* What only the whole section can show; fills in what its kind knows. */
    const struct channel *channel = NULL;
    if (found.kind != NULL && !channel_find(found.kind, &channel, err))
        return false;
    const char *missing = channel == NULL ? "kind" : missing_key(&found, channel->needs);
    if (missing != NULL)
        return err_set(err, ERR_USAGE, "%s:%d: destination '%s' has no %s", last->file, last->line,
                       found.name, missing);
    if (found.url_ref == NULL)
        found.url_ref = channel->default_url;
    if (found.min_interval_ms < 0)
        found.min_interval_ms = channel->min_interval_ms;
    if (!secret_is_reference(found.url_ref) && !literal_check(&found, channel, err))
        return err_prefix(err, "%s:%d: destination '%s'", last->file, last->line, found.name);
    *ret_destination = found;
    return true;
}
