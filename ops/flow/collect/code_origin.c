/* Asks the sources in order; each is a list of facts. What CI systems say is in code_origin_ci.c.
 */
#include "ops/flow/collect/code_origin.h"

#include "ops/flow/collect/program.h"
#include "ops/runtime/log.h"
#include "ops/runtime/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char git_source[] = "git of ";

/* ---- git ------------------------------------------------------------------------------------- */

/* Whether files of the working tree were changed: "yes", "no", or NULL and why it is not known.
 * `status` runs what filters name for files that may have changed, and a submodule's configuration
 * is its own: filters of the folder's configuration keep it from being asked (`git lfs install`
 * without --local writes the user's own), and of submodules only the commit counts. */
static bool changes_ask(const char *folder, struct arena *arena, const char **ret_dirty,
                        struct err *err)
{
    static const char *const filters[] = {"config",       "--show-scope", "--name-only",
                                          "--get-regexp", "^filter[.]",   NULL};
    static const char *const status[] = {"status", "--porcelain", "--untracked-files=no",
                                         "--ignore-submodules=dirty", NULL};
    const char *text;
    struct err late = {0};
    *ret_dirty = NULL;
    if (!git_ask(folder, filters, arena, &text, err))
        return false;
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += line[0] == '\n';
        if (strncmp(line, "local", 5) == 0 || strncmp(line, "worktree", 8) == 0) {
            log_event(LOG_WARN, LOG_input_warning, "file", folder, "why",
                      "whether files were changed is not known: the repository's own configuration "
                      "has filters, which are programs, and they are not run",
                      NULL);
            return true;
        }
    }
    if (git_ask(folder, status, arena, &text, &late)) {
        if (text != NULL)
            *ret_dirty = text[0] != '\0' ? "yes" : "no";
        return true;
    }
    if (late.kind == ERR_INPUT)
        *ret_dirty = "yes"; /* a MiB of names */
    else if (late.kind == ERR_UNAVAILABLE)
        log_event(LOG_WARN, LOG_input_warning, "file", folder, "why", late.text, NULL);
    else
        *err = late;
    return late.kind == ERR_INPUT || late.kind == ERR_UNAVAILABLE;
}

bool origin_of_repository(const char *folder, struct arena *arena, struct fact *facts,
                          size_t *ret_count, struct err *err)
{
    static const char *const head[] = {"rev-parse", "HEAD", NULL};
    static const char *const branch[] = {"symbolic-ref", "--short", "HEAD", NULL};
    const char *commit, *name, *dirty;
    *ret_count = 0;
    if (!git_ask(folder, head, arena, &commit, err))
        return false;
    if (commit == NULL)
        return true;
    char real[PATH_MAX];
    const char *place = realpath(folder, real);
    const char *source = arena_printf(arena, "%s%s", git_source, place != NULL ? place : folder);
    if (source == NULL)
        return arena_failed(arena, "git", err);
    if (!git_ask(folder, branch, arena, &name, err) || !changes_ask(folder, arena, &dirty, err))
        return false;
    facts[(*ret_count)++] = (struct fact){ORIGIN_COMMIT_FACT, commit, source};
    if (name != NULL)
        facts[(*ret_count)++] = (struct fact){ORIGIN_BRANCH_FACT, name, source};
    if (dirty != NULL)
        facts[(*ret_count)++] = (struct fact){ORIGIN_DIRTY_FACT, dirty, source};
    return true;
}

/* ---- all sources ----------------------------------------------------------------------------- */

struct finding {
    struct arena *arena;
    struct code_origin *origin;
    bool is_implied; /* what is taken now */
};

static struct told *told_of(struct code_origin *origin, const char *name)
{
    if (strcmp(name, ORIGIN_COMMIT_FACT) == 0)
        return &origin->commit;
    if (strcmp(name, ORIGIN_BRANCH_FACT) == 0)
        return &origin->branch;
    return strcmp(name, ORIGIN_DIRTY_FACT) == 0 ? &origin->dirty : NULL;
}

/* One commit has one name, however its digits are written; another name stays as it is. NULL
 * without memory. */
static const char *value_keep(const char *name, const char *value, struct arena *arena)
{
    enum { ABBREVIATED_DIGITS = 4 };
    size_t length = strlen(value);
    if (strcmp(name, ORIGIN_COMMIT_FACT) != 0 || length < ABBREVIATED_DIGITS ||
        strspn(value, "0123456789abcdefABCDEF") != length)
        return value;
    char *lower = arena_strdup(arena, value);
    for (char *at = lower; at != NULL && *at != '\0'; at++)
        *at = (char)(*at >= 'A' && *at <= 'F' ? *at - 'A' + 'a' : *at);
    return lower;
}

/* A commit may be said by its start. */
static bool agree(const char *name, const char *left, const char *right)
{
    size_t length = strlen(left), other = strlen(right);
    if (strcmp(name, ORIGIN_COMMIT_FACT) != 0)
        return strcmp(left, right) == 0;
    return strncmp(left, right, length < other ? length : other) == 0;
}

static bool conflict_add(struct finding *finding, const struct told *held, const struct fact *fact,
                         struct err *err)
{
    struct string_list *list = &finding->origin->conflicts;
    const char **items = arena_array(finding->arena, const char *, list->count + 1);
    const char *line =
        arena_printf(finding->arena, "%s: %s says %s, %s says %s; the first is kept", fact->name,
                     held->source, held->value, fact->source, fact->value);
    if (items == NULL || line == NULL)
        return arena_failed(finding->arena, "the origin of a run", err);
    if (list->count > 0)
        memcpy(items, list->items, list->count * sizeof *items);
    items[list->count] = line;
    *list = (struct string_list){items, list->count + 1};
    return true;
}

/* "git of PATH", also as an env-file tells it. */
static bool is_of_git(const struct fact *fact)
{
    return strncmp(fact->source, git_source, sizeof git_source - 1) == 0;
}

static bool facts_take(struct finding *finding, const struct fact *facts, size_t count,
                       struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        struct told *told = told_of(finding->origin, facts[i].name);
        if (told == NULL)
            continue;
        const char *value = value_keep(facts[i].name, facts[i].value, finding->arena);
        if (value == NULL)
            return arena_failed(finding->arena, "the origin of a run", err);
        if (told->value == NULL)
            *told =
                (struct told){value, facts[i].source, finding->is_implied, is_of_git(&facts[i])};
        else if (agree(facts[i].name, told->value, value))
            told->is_of_git &= is_of_git(&facts[i]);
        else if (strncmp(told->source, "option ", 7) != 0 &&
                 !conflict_add(finding, told, &facts[i], err))
            return false;
    }
    return true;
}

/* Names that another commit has tomorrow: what is pooled by them would be runs of several. */
static bool moves(const char *commit)
{
    return commit[strspn(commit, "0")] == '\0' || /* git's name for none */
           commit[0] == '@' || strncmp(commit, "HEAD", 4) == 0 ||
           strncmp(commit, "refs/", 5) == 0 || strpbrk(commit, "~^ \t\n") != NULL;
}

static const char *given(const char *option)
{
    return option != NULL && option[0] != '\0' ? option : NULL;
}

bool code_origin_find(const struct origin_request *request, struct arena *arena,
                      struct code_origin *ret_origin, struct err *err)
{
    struct code_origin origin = {
        .commit = {.value = given(request->commit), .source = "option --commit"},
        .branch = {.value = given(request->branch), .source = "option --branch"},
    };
    struct finding finding = {.arena = arena, .origin = &origin};
    struct fact facts[ORIGIN_CI_FACTS];
    size_t count = 0;
    if (origin.commit.value != NULL)
        origin.commit.value = value_keep(ORIGIN_COMMIT_FACT, origin.commit.value, arena);
    if (origin.commit.value == NULL && given(request->commit) != NULL)
        return arena_failed(arena, "the origin of a run", err);
    if (!facts_take(&finding, request->facts, request->fact_count, err))
        return false;
    finding.is_implied = true;
    if ((request->asks_ci && !origin_of_ci(arena, facts, &count, err)) ||
        !facts_take(&finding, facts, count, err))
        return false;
    if (origin.commit.value != NULL && moves(origin.commit.value))
        return err_set(
            err, ERR_USAGE,
            "%s: '%.100s' names no commit that stays; give its SHA (`git rev-parse %.100s`)",
            origin.commit.source, origin.commit.value,
            origin.commit.value[0] == '0' ? "HEAD" : origin.commit.value);
    *ret_origin = origin;
    return true;
}
