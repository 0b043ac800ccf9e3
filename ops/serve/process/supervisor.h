/* The supervisor of `serve`: starts the workers as processes of this very program, starts them
 * again when they end, stops them in order.
 *
 * It holds no connection and does no work of its own, so nothing can take it down with it; it dies
 * last. When it is killed its workers stop by themselves.
 */
#ifndef OPS_SERVE_PROCESS_SUPERVISOR_H
#define OPS_SERVE_PROCESS_SUPERVISOR_H

#include "ops/runtime/conf.h"
#include "ops/runtime/err.h"

#include <stddef.h>

/* One kind of child. */
struct supervised {
    const char *kind;        /* for people, and `work KIND` */
    int count;               /* how many of it; 0 = none */
    const char *const *more; /* further arguments, ended by NULL; NULL = none */
};

struct supervisor_setting {
    const struct conf *conf;
    const char *conninfo;    /* given to the children in their environment; NULL = embedded */
    const char *config_file; /* --config, NULL = none */
    const char *log_level;   /* --log-level, NULL = none */
    const struct supervised *kinds;
    size_t kind_count;
};

/* Waits until the database answers, starts the children, tells the service manager READY, and goes
 * on until SIGTERM or SIGINT; SIGHUP stops the children in order and starts them with the
 * configuration of then. A child that ends is started again after a backoff that forgets after a
 * minute. false: it cannot begin. */
bool supervisor_run(const struct supervisor_setting *setting, struct err *err);

#endif
