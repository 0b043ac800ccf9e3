/* Connect, give a sign of life, do, wait. */
#include "ops/serve/process/service_loop.h"

#include "history/lease/lease.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/log.h"
#include "ops/serve/process/ledger_link.h"
#include "ops/serve/process/signals.h"
#include "ops/serve/process/worker.h"

#include <unistd.h>

enum { POLL_MS = 1000, SIGN_MS = 10000 };

struct state {
    const struct service_loop *loop;
    struct ledger_link link;
    int64_t sign_ms;
    char name[WORKER_NAME_BYTES];
};

static bool sign_give(struct state *state, struct err *err)
{
    int64_t now = clock_monotonic_ms();
    if (now < state->sign_ms)
        return true;
    state->sign_ms = now + SIGN_MS;
    const struct worker_heartbeat heartbeat = {state->name, state->loop->kind, 1, 0};
    return worker_seen(state->link.db, &heartbeat, err);
}

static void turn(struct state *state)
{
    struct err err = {0};
    const struct service_loop *loop = state->loop;
    if (!ledger_link_ready(&state->link, NULL, &err))
        return;
    if (!sign_give(state, &err) || !loop->turn(loop, state->link.db, state->name, &err))
        (void)ledger_link_check(&state->link, &err);
}

bool service_loop_run(const struct service_loop *loop, struct err *err)
{
    struct signals signals;
    struct state state = {.loop = loop, .link.conninfo = loop->conninfo};
    if (!signals_open(&signals, err))
        return false;
    worker_name_make(state.name);
    log_event(LOG_INFO, LOG_worker_started, "kind", loop->kind, "worker", state.name, NULL);
    while (!signals.stop) {
        turn(&state);
        signals_wait(&signals, NULL, 0, POLL_MS);
    }
    if (state.link.db != NULL)
        (void)worker_gone(state.link.db, state.name, NULL);
    ledger_link_close(&state.link);
    (void)close(signals.fd);
    log_event(LOG_INFO, LOG_worker_stopped, "kind", loop->kind, "worker", state.name, NULL);
    return true;
}
