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
    size_t conflict_capacity;
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

/* One commit has one name, however its digits are written; another name stays as it is. */
static const char *value_keep(const char *name, const char *value, struct arena *arena)
{
    enum { ABBREVIATED_DIGITS = 4 };
    size_t length = strlen(value);
    if (strcmp(name, ORIGIN_COMMIT_FACT) != 0 || length < ABBREVIATED_DIGITS ||
        strspn(value, "0123456789abcdefABCDEF") != length)
        return value;
    char *lower = arena_strdup(arena, value);
    for (char *at = lower; *at != '\0'; at++)
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

/* "git of PATH", also as an env-file tells it. */
static bool is_of_git(const struct fact *fact)
{
    return strncmp(fact->source, git_source, sizeof git_source - 1) == 0;
}

static void facts_take(struct finding *finding, const struct fact *facts, size_t count)
{
    struct string_list *conflicts = &finding->origin->conflicts;
    for (const struct fact *fact = facts; fact < facts + count; fact++) {
        struct told *told = told_of(finding->origin, fact->name);
        if (told == NULL)
            continue;
        const char *value = value_keep(fact->name, fact->value, finding->arena);
        if (told->value == NULL) {
            *told = (struct told){value, fact->source, finding->is_implied, is_of_git(fact)};
        } else if (agree(fact->name, told->value, value)) {
            told->is_of_git &= is_of_git(fact);
        } else if (strncmp(told->source, "option ", 7) != 0) {
            conflicts->items = arena_grow(finding->arena, conflicts->items, conflicts->count,
                                          &finding->conflict_capacity, sizeof *conflicts->items);
            conflicts->items[conflicts->count++] =
                arena_printf(finding->arena, "%s: %s says %s, %s says %s; the first is kept",
                             fact->name, told->source, told->value, fact->source, fact->value);
        }
    }
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
    facts_take(&finding, request->facts, request->fact_count);
    finding.is_implied = true;
    if (request->asks_ci && !origin_of_ci(arena, facts, &count, err))
        return false;
    facts_take(&finding, facts, count);
    if (origin.commit.value != NULL && moves(origin.commit.value))
        return err_set(
            err, ERR_USAGE,
            "%s: '%.100s' names no commit that stays; give its SHA (`git rev-parse %.100s`)",
            origin.commit.source, origin.commit.value,
            origin.commit.value[0] == '0' ? "HEAD" : origin.commit.value);
    *ret_origin = origin;
    return true;
}
