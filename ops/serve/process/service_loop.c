/* Connect, give a sign of life, do, wait. */
#include "ops/serve/process/service_loop.h"

#include "history/lease/lease.h"
#include "ops/runtime/log.h"
#include "ops/serve/process/ledger_link.h"
#include "ops/serve/process/signals.h"
#include "ops/serve/process/worker.h"

#include <unistd.h>

enum { POLL_MS = 1000 };

struct state {
    const struct service_loop *loop;
    struct ledger_link link;
    int64_t heartbeat_ms; /* when the next is due */
    char name[WORKER_NAME_BYTES];
};

static void turn(struct state *state)
{
    struct err err = {0};
    const struct service_loop *loop = state->loop;
    if (!ledger_link_ready(&state->link, NULL, &err))
        return;
    const struct worker_heartbeat heartbeat = {state->name, loop->kind, 1, 0};
    if (!worker_heartbeat_give(state->link.db, &heartbeat, &state->heartbeat_ms, &err) ||
        !loop->turn(loop, state->link.db, state->name, &err))
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
