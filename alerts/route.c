/* Reads routes by a table of keys, and matches them. */
#include "alerts/route.h"
#include "ops/net/section.h"
#include "ops/runtime/text.h"

#include <stdio.h>
#include <string.h>

static const char section_word[] = "route ";

enum {
    MINUTES_OF_DAY = 24 * 60,
    DAY_S = 86400,
    REMIND_MAX_S = 366 * DAY_S,
    MS_PER_S = 1000,
    COUNT_MAX = 100000
};

static const int64_t us_per_minute = INT64_C(60) * 1000000, ms_per_minute = 60000;

char *route_next_name(const char **list, struct arena *arena)
{
    while (**list != '\0') {
        const char *start = *list;
        size_t length = strcspn(start, ",");
        *list += length + (start[length] == ',');
        text_strip(&start, &length);
        if (length > 0)
            return arena_strndup(arena, start, length);
    }
    return NULL;
}

/* ---- keys ---- */

/* A list of names as bits of their places in a table. */
static bool words_read(const char *value, const char *const *names, size_t count,
                       unsigned *ret_bits, struct err *err)
{
    unsigned bits = 0;
    for (const char *p = value; *p != '\0';) {
        const char *start = p;
        size_t part = strcspn(p, ","), length = part, i = 0;
        text_strip(&start, &length);
        while (i < count && (strlen(names[i]) != length || strncmp(names[i], start, length) != 0))
            i++;
        if (i == count)
            return err_set(err, ERR_USAGE, "'%.*s' is unknown", (int)length, start);
        bits |= 1U << i;
        p += part + (p[part] == ',');
    }
    *ret_bits = bits;
    return true;
}

static bool status_set(void *target, const struct conf_entry *entry, struct arena *arena,
                       struct err *err)
{
    (void)arena;
    struct route *route = target;
    const char *value = entry->value;
    return words_read(value, verdict_status_names, VERDICT_STATUS_COUNT, &route->statuses, err) ||
           err_prefix(err, "'%s' must be of pass, warn, fail, inconclusive, incomparable", value);
}

static bool change_set(void *target, const struct conf_entry *entry, struct arena *arena,
                       struct err *err)
{
    (void)arena;
    struct route *route = target;
    const char *value = entry->value;
    return words_read(value, alert_phase_names, PHASE_COUNT, &route->changes, err) ||
           err_prefix(err,
                      "'%s' must be of firing, repeated, worsened, flapping, reopened, resolved, "
                      "none",
                      value);
}

static bool quiet_set(void *target, const struct conf_entry *entry, struct arena *arena,
                      struct err *err)
{
    (void)arena;
    struct route *route = target;
    const char *value = entry->value;
    int from_h, from_m, to_h, to_m, used = 0;
    bool read = sscanf(value, "%2d:%2d-%2d:%2d%n", &from_h, &from_m, &to_h, &to_m, &used) == 4 &&
                (value[used] == '\0' || strcmp(value + used, " UTC") == 0);
    if (!read || from_h < 0 || from_h > 23 || to_h < 0 || to_h > 23 || from_m < 0 || from_m > 59 ||
        to_m < 0 || to_m > 59)
        return err_set(err, ERR_USAGE, "'%s' must be like 22:00-07:00 (UTC)", value);
    route->quiet_from_min = from_h * 60 + from_m;
    route->quiet_to_min = to_h * 60 + to_m;
    return true;
}

static bool rate_set(void *target, const struct conf_entry *entry, struct arena *arena,
                     struct err *err)
{
    struct route *route = target;
    const char *value = entry->value;
    size_t length = strcspn(value, "/");
    const char *count = arena_strndup(arena, value, length);
    int64_t window_s;
    if (value[length] != '/' || !text_parse_i64(count, &route->rate_count) ||
        !text_parse_i64(value + length + 1, &window_s) || route->rate_count < 1 ||
        route->rate_count > COUNT_MAX || window_s < 1 || window_s > DAY_S)
        return err_set(err, ERR_USAGE, "'%s' must be MESSAGES/SECONDS, like 10/600", value);
    route->rate_window_ms = window_s * MS_PER_S;
    return true;
}

static const struct section_key keys[] = {
    SECTION_KEY_TEXT("project", struct route, project, "shell pattern; default: all"),
    SECTION_KEY_TEXT("workload", struct route, workload, "shell pattern; default: all"),
    SECTION_KEY_TEXT("branch", struct route, branch, "shell pattern; default: all"),
    SECTION_KEY_OWN("status", status_set,
                    "pass, warn, fail, inconclusive, incomparable; default: all but pass"),
    SECTION_KEY_OWN("change", change_set,
                    "firing, repeated, worsened, flapping, reopened, resolved, none; default: all"),
    SECTION_KEY_FLAG("improved", struct route, improved,
                     "yes: passes that are surely faster are told too; default: no"),
    SECTION_KEY_TEXT("to", struct route, to, "destinations, comma-separated"),
    SECTION_KEY_OWN("quiet_hours", quiet_set, "messages wait then, such as 22:00-07:00 UTC"),
    SECTION_KEY_NUMBER("group_s", struct route, group_ms, 1, DAY_S, MS_PER_S,
                       "so long messages wait for others to be joined with"),
    SECTION_KEY_NUMBER("digest_s", struct route, digest_ms, 1, DAY_S, MS_PER_S,
                       "one message of all in so many seconds"),
    SECTION_KEY_OWN("rate_limit", rate_set, "MESSAGES/SECONDS, such as 10/600"),
    SECTION_KEY_NUMBER("remind_s", struct route, remind_ms, 1, REMIND_MAX_S, MS_PER_S,
                       "an open alert that nobody looks after is told again after so long"),
};

struct section_keys route_keys(void)
{
    return SECTION_KEYS(keys);
}

/* ---- sections ---- */

static const struct route standard = {
    .statuses = ~(1U << VERDICT_PASS),
    .changes = ~0U,
};

static struct route *route_named(struct route_list *routes, const char *name)
{
    for (size_t i = 0; i < routes->count; i++)
        if (strcmp(routes->items[i].name, name) == 0)
            return &routes->items[i];
    struct route *route = &routes->items[routes->count++];
    *route = standard;
    route->name = name;
    return route;
}

bool route_read(const struct conf *conf, struct arena *arena, struct route_list *ret_routes,
                struct err *err)
{
    struct route_list routes = {0};
    routes.items = arena_array(arena, struct route, conf->sections.count + 1);
    const char *notify = conf_text(conf, CONF_notify);
    if (notify[strspn(notify, " ,\t")] != '\0')
        route_named(&routes, "notify = ")->to = notify;
    for (size_t i = 0; i < conf->sections.count; i++) {
        const struct conf_entry *entry = &conf->sections.entries[i];
        const size_t skip = sizeof section_word - 1;
        if (strncmp(entry->section, section_word, skip) != 0)
            continue;
        const char *name = entry->section + skip + strspn(entry->section + skip, " \t");
        const struct section section = {.what = arena_printf(arena, "route '%s'", name),
                                        .keys = SECTION_KEYS(keys),
                                        .target = route_named(&routes, name)};
        if (!section_apply(&section, entry, arena, err))
            return false;
    }
    for (size_t i = 0; i < routes.count; i++)
        if (routes.items[i].to == NULL)
            return err_set(err, ERR_USAGE, "route '%s' has no `to`: name its destinations",
                           routes.items[i].name);
    *ret_routes = routes;
    return true;
}

/* ---- matching ---- */

bool route_covers(const struct route *route, const struct verdict *verdict)
{
    return text_fits_patterns(route->project, verdict->project) &&
           text_fits_patterns(route->workload, verdict->workload) &&
           text_fits_patterns(route->branch, verdict->candidate.branch);
}

bool route_tells(const struct route *route, const struct notice *notice, bool shows_state)
{
    if (shows_state)
        return true;
    if (route->improved && verdict_improved(notice->verdict))
        return true;
    if ((route->changes & 1U << notice->phase) == 0)
        return false;
    return notice->phase == PHASE_RESOLVED || notice->phase == PHASE_FLAPPING ||
           (route->statuses & 1U << notice->verdict->status) != 0;
}

/* ---- waiting ---- */

static int64_t quiet_left_ms(const struct route *route, int64_t now_us)
{
    if (route->quiet_from_min == route->quiet_to_min)
        return 0;
    int64_t minute = now_us / us_per_minute % MINUTES_OF_DAY;
    int64_t since = (minute - route->quiet_from_min + MINUTES_OF_DAY) % MINUTES_OF_DAY;
    int64_t length =
        (route->quiet_to_min - route->quiet_from_min + MINUTES_OF_DAY) % MINUTES_OF_DAY;
    return since < length ? (length - since) * ms_per_minute : 0;
}

struct route_wait route_wait_of(const struct route *route, int64_t now_us, int64_t recent_count)
{
    struct route_wait wait = {.ms = route->group_ms, .in_digest = route->group_ms > 0};
    int64_t now_ms = now_us / 1000, quiet = quiet_left_ms(route, now_us);
    bool over = route->rate_count > 0 && recent_count >= route->rate_count;
    int64_t period = route->digest_ms > 0 ? route->digest_ms : over ? route->rate_window_ms : 0;
    if (period > 0) {
        wait.in_digest = true;
        if (period - now_ms % period > wait.ms)
            wait.ms = period - now_ms % period;
    }
    if (quiet > wait.ms)
        wait = (struct route_wait){quiet, true};
    return wait;
}
