/* The forge that a report asks for the subjects of commits. It is asked while the report is made,
 * so for some seconds in all; whatever it answers, there is a report. */
#include "alerts/destination.h"
#include "ops/flow/reports/making.h"
#include "ops/net/url.h"
#include "ops/runtime/clock.h"

#include <string.h>

static const int64_t asked_for_ms = 15000;

void report_forge_done(struct report_forge *forge)
{
    secret_done(&forge->token);
}

/* What the report says instead of commits; trouble of ours is a failure. */
static bool why_say(const struct err *fault, const char *hint, struct arena *arena,
                    const char **ret_why, struct err *err)
{
    if (fault->kind == ERR_BUG || fault->kind == ERR_FULL) {
        *err = *fault;
        return false;
    }
    *ret_why = arena_printf(arena, "%s%s", fault->text, hint);
    return true;
}

/* ---- how it is asked ------------------------------------------------------------------------- */

/* The section that names the same repository, also when the command line named it; NULL: none. */
static bool section_find(const struct report_request *request, struct arena *arena,
                         const struct report_section **ret_section, struct err *err)
{
    struct report_section_list list;
    *ret_section = NULL;
    if (!report_sections_read(request->conf, arena, &list, err))
        return false;
    for (size_t i = 0; i < list.count && *ret_section == NULL; i++)
        if (list.items[i].repository != NULL &&
            strcmp(list.items[i].repository, request->repository) == 0)
            *ret_section = &list.items[i];
    const char *fault = *ret_section != NULL ? (*ret_section)->fault : NULL;
    return fault == NULL || err_set(err, ERR_USAGE, "%s", fault);
}

static enum forge_kind kind_of_channel(const char *kind)
{
    return strncmp(kind, "github_", strlen("github_")) == 0   ? FORGE_GITHUB
           : strncmp(kind, "gitlab_", strlen("gitlab_")) == 0 ? FORGE_GITLAB
                                                              : FORGE_UNKNOWN;
}

/* The destination of that forge lends its address, its network and its token; one of the same
 * repository rather than another. A token goes to the host that it is for alone. */
static void destination_take(const struct conf *conf, const struct forge_place *place,
                             struct arena *arena, struct report_forge *forge)
{
    bool is_public = strcasecmp(place->host, "github.com") == 0, is_same = false;
    const char *const hosts[] = {place->host, "api.github.com"};
    struct string_list names = destination_names(conf, arena);
    for (size_t i = 0; i < names.count && !is_same; i++) {
        struct destination to;
        scoped_secret url = {0};
        if (!destination_find(conf, names.items[i], arena, &to, NULL) ||
            kind_of_channel(to.kind) == FORGE_UNKNOWN ||
            !secret_read(to.url_ref, "url", SECRET_LITERAL_ALLOWED, &url, NULL) ||
            !url_host_is(url.text, hosts, is_public ? 2 : 1))
            continue;
        is_same = strcasecmp(to.repository, place->path) == 0;
        if (forge->lender != NULL && !is_same)
            continue;
        while (url.length > 0 && url.text[url.length - 1] == '/')
            url.length--;
        forge->lender = to.name;
        forge->secret_ref = to.secret_ref;
        forge->ask.kind = kind_of_channel(to.kind);
        forge->ask.api = arena_strndup(arena, url.text, url.length);
        forge->ask.policy = to.policy;
    }
}

/* Fills in whom to ask, with what; err is what the operator can mend. */
static bool forge_find(const struct report_request *request, struct arena *arena,
                       struct report_forge *forge, struct err *err)
{
    struct forge_place place;
    const struct report_section *section;
    if (!forge_place_read(request->repository, arena, &place, err) ||
        !section_find(request, arena, &section, err))
        return false;
    forge->ask = (struct forge_ask){.kind = place.kind,
                                    .path = place.path,
                                    .policy = {.timeout_ms = SECTION_TIMEOUT_DEFAULT_MS},
                                    .until_ms = clock_monotonic_ms() + asked_for_ms};
    if (section != NULL)
        forge->ask.policy = section->network;
    destination_take(request->conf, &place, arena, forge);
    if (section != NULL && section->forge != FORGE_UNKNOWN)
        forge->ask.kind = section->forge;
    if (section != NULL && section->secret_ref != NULL) {
        forge->secret_ref = section->secret_ref;
        forge->lender = NULL;
    }
    if (forge->ask.kind == FORGE_UNKNOWN)
        return err_set(err, ERR_USAGE,
                       "whether %s is of GitHub or GitLab cannot be told by its name: say `forge = "
                       "github` or `forge = gitlab` in the report's section",
                       place.host);
    if (forge->ask.api == NULL)
        forge->ask.api = forge_api(&place, forge->ask.kind, arena);
    if (forge->secret_ref == NULL)
        return true;
    if (!secret_read(forge->secret_ref, "secret", SECRET_LITERAL_REFUSED, &forge->token, err))
        return false;
    forge->ask.token = forge->token.text;
    return true;
}

bool report_forge_open(const struct report_request *request, struct arena *arena,
                       struct report_forge *ret_forge, struct err *err)
{
    struct err fault = {0};
    *ret_forge = (struct report_forge){0};
    return forge_find(request, arena, ret_forge, &fault) ||
           why_say(&fault, "", arena, &ret_forge->why, err);
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* What a refusal may come from; a forge says "not found" of what a token may not see. */
static const char *hint_of(const struct report_forge *forge, const struct err *fault,
                           struct arena *arena)
{
    if (fault->kind != ERR_INPUT && fault->kind != ERR_MISSING)
        return "";
    if (forge->ask.token == NULL)
        return " (asked without a token: `secret` in the report's section names one)";
    return forge->lender == NULL
               ? " (with the report's own `secret`)"
               : arena_printf(arena,
                              " (with the token of destination '%s'; `secret` in the report's "
                              "section names another)",
                              forge->lender);
}

bool report_forge_ask(struct report_forge *forge, struct arena *arena, struct report_change *change,
                      struct err *err)
{
    struct err fault = {0};
    struct forge_range range;
    if (forge->why != NULL) {
        change->commits_why = forge->why;
        return true;
    }
    if (forge_commits(&forge->ask, change->after_commit, change->until_commit, arena, &range,
                      &fault)) {
        change->commits = range.commits;
        change->commit_count = range.count;
        change->commits_in_range = range.in_range;
        return true;
    }
    const char *hint = hint_of(forge, &fault, arena);
    if (!why_say(&fault, hint, arena, &change->commits_why, err))
        return false;
    /* a range that it does not know says nothing of the others; all else would come again */
    if (fault.kind != ERR_MISSING)
        forge->why = change->commits_why;
    return true;
}
