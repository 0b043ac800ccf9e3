/* What `check` says of alerts: a wrong destination or route would show when a verdict is to be
 * told, which is too late. */
#include "ops/cli/cli.h"
#include "ops/cli/service/check_findings.h"

#include "alerts/channels.h"
#include "alerts/deliver.h"
#include "alerts/forge/forge.h"
#include "alerts/route.h"
#include "compare/policy/policy.h"
#include "history/lease/lease.h"
#include "history/reading/reading.h"
#include "ops/flow/reports/reports.h"
#include "ops/net/forge/forge.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/text_harmless.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int64_t REACH_MS = 5000;
static const int64_t LATE_MS = INT64_C(15) * 60 * 1000;

enum { LINE_MAX_BYTES = 2048 };

void check_find(struct check *check, const char *format, ...)
{
    va_list arguments;
    char line[LINE_MAX_BYTES];
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    check->findings++;
    harmless_line(check->out, "! %s", line);
}

/* ---- the configuration ---- */

static const char credential_form[] = "credential:";

/* Only the service itself is given its credentials. */
static bool is_out_of_sight(const char *reference)
{
    return reference != NULL &&
           strncmp(reference, credential_form, sizeof credential_form - 1) == 0 &&
           getenv("CREDENTIALS_DIRECTORY") == NULL;
}

static bool secrets_check(struct check *check, const struct destination *to, struct arena *arena)
{
    struct err fault = {0};
    if (is_out_of_sight(to->url_ref) || is_out_of_sight(to->secret_ref))
        return false;
    const char *why = NULL;
    if (!deliver_check(to, arena, &fault) ||
        (!check->is_offline && !deliver_reach(to, REACH_MS, arena, &why, &fault)))
        check_find(check, "destination '%s': %s", to->name, fault.text);
    else if (why != NULL)
        check_find(check, "destination '%s' cannot be reached: %s", to->name, why);
    return true;
}

static void name_check(struct check *check, const struct conf *conf, const char *who,
                       const char *name, struct arena *arena)
{
    struct string_list names = destination_names(conf, arena);
    for (size_t i = 0; i < names.count; i++)
        if (strcmp(names.items[i], name) == 0)
            return;
    check_find(check, "%s leads to '%s', which is no [destination %s]", who, name, name);
}

static void destination_check(struct check *check, const struct conf *conf, const char *name,
                              struct arena *arena)
{
    struct destination to;
    struct err fault = {0};
    if (!destination_find(conf, name, arena, &to, &fault)) {
        check_find(check, "%s", fault.text);
        return;
    }
    int before = check->findings;
    bool seen = secrets_check(check, &to, arena);
    if (to.on_dead != NULL)
        name_check(check, conf, arena_printf(arena, "on_dead of destination '%s'", name),
                   to.on_dead, arena);
    if (check->findings == before)
        harmless_line(check->out, "  %-18s %s%s", name, to.kind,
                      seen ? "" : ", its secret is the service's alone");
}

void check_routing(struct check *check, const struct conf *conf, struct arena *arena)
{
    struct string_list names = destination_names(conf, arena);
    struct route_list routes = {0};
    struct err fault = {0};
    text_add(check->out, "destinations\n");
    if (!route_read(conf, arena, &routes, &fault))
        check_find(check, "%s", fault.text);
    for (size_t i = 0; i < names.count; i++)
        destination_check(check, conf, names.items[i], arena);
    for (size_t i = 0; i < routes.count; i++) {
        const char *rest = routes.items[i].to;
        const char *who = rest == conf_text(conf, CONF_notify)
                              ? "notify"
                              : arena_printf(arena, "route '%s'", routes.items[i].name);
        for (char *name; (name = route_next_name(&rest, arena)) != NULL;)
            name_check(check, conf, who, name, arena);
    }
    if (names.count == 0)
        text_add(check->out, "  none: nobody is told of verdicts\n");
}

/* ---- reports ---- */

void check_policy(struct check *check, const char *who, const char *path, struct arena *arena)
{
    struct err err = {0};
    struct conf_file file = {0};
    struct string_list faults = {0};
    const struct policy_scope scope = {0};
    if (path == NULL || path[0] == '\0')
        return;
    if (!conf_file_read(path, arena, &file, &err) ||
        !gate_policy_faults(&file, &scope, arena, &faults, &err))
        check_find(check, "%s: %s", who, err.text);
    for (size_t i = 0; i < faults.count; i++)
        check_find(check, "%s: %s", who, faults.items[i]);
}

/* What is no forge's address is the folder of a clone, or of a bare one. */
static void check_clone(struct check *check, const struct report_section *section,
                        struct arena *arena)
{
    const char *repository = section->repository;
    if (repository == NULL || repository[0] == '\0' || forge_is_place(repository))
        return;
    const char *inside = arena_printf(arena, "%s/.git", repository),
               *bare = arena_printf(arena, "%s/objects", repository);
    if (access(inside, F_OK) != 0 && access(bare, F_OK) != 0)
        check_find(
            check,
            "report '%s': repository: %s is no clone of git (nor a forge's address): commits "
            "would have no subjects",
            section->name, repository);
}

void check_reports(struct check *check, const struct conf *conf, struct arena *arena)
{
    struct err fault = {0};
    struct report_section_list reports = {0};
    if (!report_sections_read(conf, arena, &reports, &fault))
        check_find(check, "%s", fault.text);
    if (reports.count > 0)
        text_add(check->out, "reports\n");
    for (size_t i = 0; i < reports.count; i++) {
        char next[CLOCK_ISO_BYTES];
        const struct report_section *section = &reports.items[i];
        if (section->fault != NULL) {
            check_find(check, "%s", section->fault);
            continue;
        }
        struct destination to;
        const struct channel *channel;
        const char *rest = section->to;
        const char *who = arena_printf(arena, "report '%s'", section->name);
        for (char *name; rest != NULL && (name = route_next_name(&rest, arena)) != NULL;) {
            name_check(check, conf, who, name, arena);
            if (destination_find(conf, name, arena, &to, NULL) &&
                channel_find(to.kind, &channel, NULL) && channel->shows_state)
                check_find(
                    check,
                    "report '%s' goes to '%s', a %s, where a report has no place: name a chat, "
                    "a mail, a webhook or W&B",
                    section->name, name, to.kind);
        }
        check_policy(check, who, section->policy, arena);
        check_clone(check, section, arena);
        harmless_line(check->out, "  %-18s of %s, each %s, next at %.16sZ, to %s", section->name,
                      section->project, section->period,
                      clock_iso(cron_next(&section->cron, clock_wall_us()), next),
                      section->to != NULL ? section->to : "nobody (it is kept)");
    }
}

/* ---- comments ---- */

enum { PROFILES_RECENT = 200 };

/* One that is told where to comment by the branch alone. */
static bool follows_branch(const struct conf *conf, const char *name, struct arena *arena)
{
    struct destination to;
    const struct channel *channel;
    return destination_find(conf, name, arena, &to, NULL) &&
           channel_find(to.kind, &channel, NULL) && channel->at_request && to.issue == NULL;
}

/* A branch other than the baseline's that is no request; NULL as soon as one is. */
static const char *branch_astray(const struct conf *conf, const struct string_list *branches)
{
    const char *found = NULL;
    for (size_t i = 0; i < branches->count; i++) {
        const char *branch = branches->items[i];
        if (forge_is_request(branch))
            return NULL;
        if (found == NULL && strcmp(branch, conf_text(conf, CONF_judge_baseline_branch)) != 0)
            found = branch;
    }
    return found;
}

bool check_comments(struct check *check, const struct conf *conf, struct db *db,
                    struct arena *arena, struct err *err)
{
    struct string_list names = destination_names(conf, arena), branches;
    if (!branches_recent(db, PROFILES_RECENT, arena, &branches, err))
        return false;
    const char *branch = branch_astray(conf, &branches);
    for (size_t i = 0; branch != NULL && i < names.count; i++)
        if (follows_branch(conf, names.items[i], arena))
            check_find(check,
                       "destination '%s' comments at pull and merge requests, and none of the last "
                       "profiles is of one (the newest is of branch %s): pass --branch "
                       "pull/NUMBER or mr/NUMBER, or set its issue",
                       names.items[i], branch);
    return true;
}

/* ---- projects ---- */

bool check_projects(struct check *check, const struct conf *conf, struct db *db,
                    struct arena *arena, struct err *err)
{
    struct err fault = {0}; /* is told where reports are checked */
    struct report_section_list reports = {0};
    if (!report_sections_read(conf, arena, &reports, &fault))
        return true;
    for (size_t i = 0; i < reports.count; i++) {
        bool is_there;
        const struct report_section *section = &reports.items[i];
        if (section->fault != NULL)
            continue;
        if (!ledger_project_is_there(db, section->project, &is_there, err))
            return false;
        if (!is_there)
            check_find(check,
                       "%s:%d: report '%s': the ledger has no project '%s' (`stepledger list "
                       "projects`), so that it is made of nothing until a run of it comes",
                       section->file, section->line, section->name, section->project);
    }
    return true;
}

/* ---- the outbox ---- */

bool check_outbox(struct check *check, struct db *db, struct arena *arena, struct err *err)
{
    struct destination_page failing;
    struct destination_states states;
    if (!destinations_failing(db, arena, &failing, err) ||
        !destinations_read(db, arena, &states, err))
        return false;
    for (size_t i = 0; i < failing.count; i++) {
        const struct destination_row *row = &failing.items[i];
        if (row->disabled_why != NULL)
            check_find(check,
                       "destination '%s' is disabled until %s, %" PRId64
                       " messages wait: %s (`stepledger alert retry %s` opens it)",
                       row->name, row->disabled_until_utc, row->waiting, row->disabled_why,
                       row->name);
    }
    for (size_t i = 0; i < states.count; i++) {
        const struct destination_state *state = &states.items[i];
        char age[AGE_BYTES], messages[FORMAT_COUNTED_BYTES];
        if (state->dead > 0)
            check_find(check,
                       "given up within a day: %s to '%s' (`stepledger alert list --state dead` "
                       "shows what, `alert retry %s` sends again)",
                       format_counted(state->dead, "message", messages), state->name, state->name);
        if (state->oldest_ms > LATE_MS && !state->disabled)
            check_find(check,
                       "waiting: %s to '%s', the oldest for %s: is `stepledger serve` or "
                       "`stepledger work alert` running?",
                       format_counted(state->waiting, "message", messages), state->name,
                       age_text(state->oldest_ms, age));
    }
    return true;
}
