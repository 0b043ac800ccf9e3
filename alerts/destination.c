/* Reads [destination NAME] sections by a table of their keys. */
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

/* ---- keys: what a table cannot check ---- */

static bool kind_check(void *target, const struct conf_entry *entry, struct arena *arena,
                       struct err *err)
{
    (void)target, (void)arena;
    const struct channel *ignored;
    return channel_find(entry->value, &ignored, err);
}

static bool ambiguity_set(void *target, const struct conf_entry *entry, struct arena *arena,
                          struct err *err)
{
    (void)arena;
    struct destination *to = target;
    to->gives_up_in_doubt = strcmp(entry->value, "give_up") == 0;
    return to->gives_up_in_doubt || strcmp(entry->value, "retry") == 0 ||
           err_set(err, ERR_USAGE, "'%s' must be retry or give_up", entry->value);
}

static bool issue_check(void *target, const struct conf_entry *entry, struct arena *arena,
                        struct err *err)
{
    (void)target, (void)arena;
    int64_t ignored;
    return section_number(entry->value, 1, INT32_MAX, &ignored, err);
}

/* Goes into the path of a URL. */
static bool repository_check(void *target, const struct conf_entry *entry, struct arena *arena,
                             struct err *err)
{
    (void)target, (void)arena;
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-/";
    const char *value = entry->value;
    return (value[strspn(value, allowed)] == '\0' && strstr(value, "..") == NULL &&
            value[0] != '/') ||
           err_set(err, ERR_USAGE, "'%s' must be OWNER/NAME, or a project's number", value);
}

static bool from_check(void *target, const struct conf_entry *entry, struct arena *arena,
                       struct err *err)
{
    (void)target;
    struct smtp_envelope ignored;
    return mail_envelope_read(entry->value, entry->value, arena, &ignored, err);
}

static bool helo_check(void *target, const struct conf_entry *entry, struct arena *arena,
                       struct err *err)
{
    (void)target, (void)arena;
    return smtp_name_fits(entry->value) ||
           err_set(err, ERR_USAGE,
                   "'%s' must be a full name such as ledger.example.com, or an address such as "
                   "[192.0.2.7]",
                   entry->value);
}

static bool to_check(void *target, const struct conf_entry *entry, struct arena *arena,
                     struct err *err)
{
    (void)target;
    struct smtp_envelope ignored;
    return mail_envelope_read("sender@localhost", entry->value, arena, &ignored, err);
}

#define TEXT(key, field, ...) SECTION_KEY_TEXT(key, struct destination, field, __VA_ARGS__)
static const struct section_key keys[] = {
    TEXT("kind", kind, "what is there: see `stepledger help alerts`", .check = kind_check),
    /* A literal one is checked at the end, when allow_http is known. */
    TEXT("url", url_ref, "where it is; a secret one as env:NAME, file:/PATH or credential:NAME"),
    SECTION_KEY_REFERENCE("secret", struct destination, secret_ref,
                          "token, key or USER:PASSWORD, as env:NAME, file:/PATH or "
                          "credential:NAME"),
    TEXT("channel", channel, "of Slack: its id"),
    TEXT("repository", repository, "OWNER/NAME of a forge, ENTITY/PROJECT of W&B",
         .check = repository_check),
    TEXT("issue", issue, "comments go to this one, whatever the branch", .check = issue_check),
    TEXT("login", login, "user of the comments that are kept up to date"),
    TEXT("context", context, "name of a commit status or check"),
    TEXT("from", from, "sender of mail", .check = from_check),
    TEXT("to", to, "recipients of mail, comma-separated", .check = to_check),
    TEXT("helo", helo,
         "full name by which mail servers are greeted; default: this machine's, else its address",
         .check = helo_check),
    TEXT("on_dead", on_dead, "destination that is told when a message is given up here"),
    SECTION_KEY_OWN("on_ambiguity", ambiguity_set,
                    "when an answer was lost: retry, or give_up (rather one lost than one twice)"),
    SECTION_KEY_NUMBER("min_interval_ms", struct destination, min_interval_ms, 0, INTERVAL_MAX_MS,
                       1, "between two messages"),
};
#undef TEXT

struct section_keys destination_keys(void)
{
    return SECTION_KEYS(keys);
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

struct string_list destination_names(const struct conf *conf, struct arena *arena)
{
    const struct conf_file *all = &conf->sections;
    struct string_list names = {arena_array(arena, const char *, all->count), 0};
    for (size_t i = 0; i < all->count; i++) {
        const char *name = section_name(all->entries[i].section);
        bool known = name == NULL;
        for (size_t n = 0; n < names.count && !known; n++)
            known = strcmp(names.items[n], name) == 0;
        if (!known)
            names.items[names.count++] = name;
    }
    return names;
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
    const struct section keyed = {.what = arena_printf(arena, "destination '%s'", name),
                                  .keys = SECTION_KEYS(keys),
                                  .target = &found,
                                  .policy = &found.policy};
    const struct conf_entry *last = NULL;
    for (size_t i = 0; i < conf->sections.count; i++) {
        const struct conf_entry *entry = &conf->sections.entries[i];
        const char *section = section_name(entry->section);
        if (section == NULL || strcmp(section, name) != 0)
            continue;
        last = entry;
        if (!section_apply(&keyed, entry, arena, err))
            return false;
    }
    if (last == NULL) {
        struct string_list names = destination_names(conf, arena);
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
