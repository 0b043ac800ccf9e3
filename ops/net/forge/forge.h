/* Forges as a source: which commits lie in a range, as GitHub and GitLab tell it.
 *
 * GitHub: GET /repos/OWNER/NAME/compare/A...B, `commits` oldest first in pages of 100 with
 * `total_commits`. GitLab: GET /projects/PATH/repository/compare?from=A&to=B, all `commits`, the
 * newest is `commit` too. Both mean what `git log A..B` does.
 */
#ifndef OPS_NET_FORGE_FORGE_H
#define OPS_NET_FORGE_FORGE_H

#include "ops/net/http.h"
#include "schema/documents/trend_report.h"

enum forge_kind { FORGE_UNKNOWN, FORGE_GITHUB, FORGE_GITLAB };

/* Where people see a repository: its web address, or what git clones it from. */
struct forge_place {
    enum forge_kind kind;    /* as the host's name tells it; FORGE_UNKNOWN: it does not */
    const char *origin;      /* "https://git.example.com:8443" */
    const char *host, *path; /* "git.example.com", "acme/train" */
};

/* true for a URL and for git's USER@HOST:PATH; a folder of this machine is neither. */
bool forge_is_place(const char *repository);

/* Takes it apart. ERR_USAGE: it holds a password, or leads to no repository. */
bool forge_place_read(const char *repository, struct arena *arena, struct forge_place *ret_place,
                      struct err *err);

/* "github", "gitlab"; ERR_USAGE. */
bool forge_kind_read(const char *name, enum forge_kind *ret_kind, struct err *err);

/* Where a forge of that kind answers programs: "https://api.github.com",
 * "https://git.example.com/api/v4". */
const char *forge_api(const struct forge_place *place, enum forge_kind kind, struct arena *arena);

struct forge_ask {
    enum forge_kind kind;
    const char *api;
    const char *path;  /* of the repository */
    const char *token; /* NULL: asked without one */
    struct http_policy policy;
    int64_t until_ms; /* of clock_monotonic_ms: nothing is waited for beyond it */
};

enum { FORGE_COMMITS_MAX = 20 };

struct forge_range {
    struct report_commit *commits; /* newest first */
    size_t count;
    int64_t in_range; /* may be more than are listed */
};

/* The newest commits, FORGE_COMMITS_MAX at most, that `until` has and `after` has not; both are
 * hexadecimal. It asks once, without another try. The errors are those of fetch_text, and ERR_INPUT
 * for an answer that is none. */
bool forge_commits(const struct forge_ask *ask, const char *after, const char *until,
                   struct arena *arena, struct forge_range *ret_range, struct err *err);

#endif
