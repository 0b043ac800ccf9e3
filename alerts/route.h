/* Routes: the [route NAME] sections of the configuration, which say who is told of what, and when.
 *
 *     [route main-regressions]
 *     project = llm, vision-*        # patterns (* and ?), comma-separated; default: all
 *     workload = *
 *     branch = main
 *     status = fail, warn            # default: all but pass
 *     change = firing, reopened, resolved   # of firing, repeated, worsened, flapping, reopened,
 *                                    # resolved, none; default: all
 *     improved = yes                 # and passes that are surely faster (step_median_improved),
 *                                    # whatever status and change say; default: no
 *     to = team-slack, ops-mail      # destinations
 *     quiet_hours = 22:00-07:00 UTC  # messages wait for the end
 *     group_s = 30                   # messages wait so long, and those that are then due together
 *                                    # become one
 *     rate_limit = 10/600            # more than 10 in 600 s become one digest at their end
 *     digest_s = 3600                # one message per hour at most, with all that came
 *     remind_s = 86400               # an alert that nobody looks after is told again; default:
 * never
 *
 * `notify = a, b` is the simplest route: everything that is not a pass, and the end of alerts.
 * Destinations that show a state (commit statuses, checks, sticky comments) take a pass as well,
 * and never wait: a merge hangs on them. A destination that several routes name is told once, as
 * the first of them says.
 */
#ifndef ALERTS_ROUTE_H
#define ALERTS_ROUTE_H

#include "alerts/message.h"
#include "ops/net/section.h"
#include "ops/runtime/conf.h"

struct route {
    const char *name;
    const char *project, *workload, *branch; /* patterns; NULL = all */
    unsigned statuses;                       /* bits 1 << enum verdict_status */
    unsigned changes;                        /* bits 1 << enum alert_phase */
    bool improved;                           /* improvements are wanted too */
    const char *to;                          /* comma-separated names */
    int quiet_from_min, quiet_to_min;        /* of the day, UTC; equal = none */
    int64_t group_ms, digest_ms, remind_ms;
    int64_t rate_count, rate_window_ms; /* 0 = no limit */
};

struct route_list {
    struct route *items;
    size_t count;
};

/* All routes, `notify` first when it names anyone. ERR_USAGE names file, line and key. */
bool route_read(const struct conf *conf, struct arena *arena, struct route_list *ret_routes,
                struct err *err);

/* The route is for verdicts of this project, workload and branch. */
bool route_covers(const struct route *route, const struct verdict *verdict);

/* And for this status and change, or an improvement that it wants. What shows a state takes every
 * change. The end of an alert is told to whom its beginning was, whatever the status. */
bool route_tells(const struct route *route, const struct notice *notice, bool shows_state);

/* How long a message waits from now_us on, and whether it may be joined with others then. */
struct route_wait {
    int64_t ms;
    bool in_digest;
};
struct route_wait route_wait_of(const struct route *route, int64_t now_us, int64_t recent_count);

/* The next name of a comma-separated list, without blanks around it; NULL at the end (or without
 * memory). */
char *route_next_name(const char **list, struct arena *arena);

/* The keys of its section, for those who explain them. */
struct section_keys route_keys(void);

#endif
