/* Reads [destination NAME] sections: a table of their own keys, each with the function that checks
 * and keeps its value. */
#include "alerts/destination.h"
#include "alerts/channels.h"
#include "alerts/section.h"
#include "alerts/url.h"
#include "ops/runtime/text.h"

#include <string.h>

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
    return section_is_reference(value) ||
           err_set(err, ERR_USAGE, "say where the secret is kept, as env:NAME or file:/PATH");
}

static const struct section_key keys[] = {
    {"kind", kind_set}, {"url", url_set}, {"secret", secret_set}};

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

static bool unknown_destination(const struct conf *conf, const char *name, struct arena *arena,
                                struct err *err)
{
    const struct conf_file *all = &conf->sections;
    const char **names = arena_array(arena, const char *, all->count + 1);
    if (names == NULL)
        return arena_failed(arena, "a destination", err);
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        names[count] = section_name(all->entries[i].section);
        count += names[count] != NULL;
    }
    const char *near = text_nearest(name, names, count);
    return err_set(err, ERR_USAGE,
                   "destination '%s' is not configured%s%s%s (a section [destination %s] with kind "
                   "and url is needed)",
                   name, near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                   near != NULL ? "'?" : "", name);
}

/* What only the whole section can show. */
static bool destination_check(const struct destination *destination, const struct conf_entry *last,
                              struct err *err)
{
    const char *missing = destination->kind == NULL      ? "kind"
                          : destination->url_ref == NULL ? "url"
                                                         : NULL;
    if (missing != NULL)
        return err_set(err, ERR_USAGE, "%s:%d: destination '%s' has no %s", last->file, last->line,
                       destination->name, missing);
    return section_is_reference(destination->url_ref) ||
           url_check(destination->url_ref, destination->policy.allow_http, err) ||
           err_prefix(err, "%s:%d: destination '%s'", last->file, last->line, destination->name);
}

bool destination_find(const struct conf *conf, const char *name, struct arena *arena,
                      struct destination *ret_destination, struct err *err)
{
    struct destination found = {.name = arena_strdup(arena, name),
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
    if (last == NULL)
        return unknown_destination(conf, name, arena, err);
    if (!destination_check(&found, last, err))
        return false;
    *ret_destination = found;
    return true;
}
