/* worker_alert_once again and again. A delivery that is under way when the process is told to stop
 * is ended first: at most its time-out later. */
#include "ops/serve/alert_loop.h"

#include "ops/serve/steady_loop.h"
#include "ops/serve/worker_alert.h"

static bool outbox_work(const struct steady_loop *loop, struct db *db, const char *name,
                        struct err *err)
{
    struct worker_report report;
    (void)name;
    return worker_alert_once(db, loop->conf, &report, err);
}

bool alert_loop_run(const struct conf *conf, const char *conninfo, struct err *err)
{
    const struct steady_loop loop = {
        .kind = "alert", .conf = conf, .conninfo = conninfo, .turn = outbox_work};
    return steady_loop_run(&loop, err);
}
