/* Claim, judge, record what failed; the loop is that of ops/serve/process/service_loop.c. */
#include "ops/serve/workers/workers.h"

#include "ops/runtime/clock.h"
#include "ops/runtime/log.h"
#include "ops/runtime/retry.h"
#include "ops/flow/judge/judge.h"
#include "ops/serve/process/process.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    TURN_MS = 4000, /* then the loop looks whether it is to stop, and shows that it lives */
    KEPT_BYTES = 1 << 20,
};

/* A failed attempt that could not be recorded, since the server was away: its lease is long, and
 * nobody else may take the candidate before. */
struct unrecorded {
    struct arena arena;         /* of the subject's names */
    struct judgement judgement; /* id 0 = there is none */
    struct err failure;
};

struct comparing {
    const struct compare_setting *setting;
    struct unrecorded *unrecorded; /* NULL: it runs once */
    struct db *db;
    struct judgement_lease lease;
    struct retry_policy policy;
    struct compare_counts *counts;
};

static struct comparing comparing_make(const struct compare_setting *setting, struct db *db,
                                       const char *worker, struct compare_counts *counts)
{
    const struct conf *conf = setting->conf;
    return (struct comparing){
        .setting = setting,
        .db = db,
        .lease = {worker, conf_int(conf, CONF_judge_lease_ms), conf_int(conf, CONF_judge_settle_ms),
                  conf_int(conf, CONF_queue_attempts)},
        .policy = {.base_ms = conf_int(conf, CONF_queue_base_ms),
                   .cap_ms = conf_int(conf, CONF_queue_cap_ms)},
        .counts = counts,
    };
}

static void subject_log(enum log_level level, enum log_event event,
                        const struct judgement *judgement, const char *why)
{
    const struct judgement_subject *subject = &judgement->subject;
    log_event(level, event, "project", subject->project, "workload", subject->workload, "candidate",
              subject->candidate, "why", why, NULL);
}

/* ---- one candidate --------------------------------------------------------------------------- */

static bool failure_record(struct comparing *comparing, const struct judgement *judgement,
                           const struct err *failure, struct err *err)
{
    bool aside;
    /* A policy or destination that is written wrong is the configuration's fault, and all
     * candidates meet it: they wait until it is mended. */
    const struct queue_failure ended = {
        .ending =
            failure->kind == ERR_USAGE ? QUEUE_RELEASE : attempt_ending(failure, judgement->fence),
        .kind = err_kind_name(failure->kind),
        .text = failure->text,
        .delay_ms = retry_delay_ms(&comparing->policy, (int)judgement->fence, retry_random()),
    };
    static const struct {
        enum log_level level;
        enum log_event event;
    } logs[] = {
        [QUEUE_RETRY] = {LOG_WARN, LOG_job_failed},
        [QUEUE_SET_ASIDE] = {LOG_ERROR, LOG_job_set_aside},
        [QUEUE_RELEASE] = {LOG_WARN, LOG_job_released},
    };
    struct compare_counts *counts = comparing->counts;
    int64_t *const counters[] = {[QUEUE_RETRY] = &counts->retried,
                                 [QUEUE_SET_ASIDE] = &counts->aside,
                                 [QUEUE_RELEASE] = &counts->released};
    if (!judgement_fail(comparing->db, judgement, &ended, &aside, err))
        return false;
    enum queue_ending ending = aside ? QUEUE_SET_ASIDE : ended.ending;
    ++*counters[ending];
    subject_log(logs[ending].level, logs[ending].event, judgement, failure->text);
    return true;
}

static bool candidate_end(struct comparing *comparing, const struct judgement *judgement,
                          const struct err *failure, struct err *err)
{
    struct err fault = {0};
    bool is_lost = judgement_is_lost(failure);
    if (!is_lost && failure->kind == ERR_MISSING) {
        if (judgement_end_void(comparing->db, judgement, failure, &fault)) {
            comparing->counts->without++;
            subject_log(LOG_INFO, LOG_job_done, judgement, failure->text);
            return true;
        }
    } else if (!is_lost && failure_record(comparing, judgement, failure, &fault))
        return true;
    if (!is_lost && attempt_may_pass(&fault)) {
        *err = fault;
        return false;
    }
    comparing->counts->lost++;
    subject_log(LOG_WARN, LOG_lease_lost, judgement, is_lost ? failure->text : fault.text);
    return true;
}

static void unrecorded_keep(struct unrecorded *kept, const struct judgement *judgement,
                            const struct err *failure)
{
    const struct judgement_subject *subject = &judgement->subject;
    arena_init(&kept->arena, KEPT_BYTES);
    kept->judgement = *judgement;
    kept->failure = *failure;
    kept->judgement.subject = (struct judgement_subject){
        .project = arena_strdup(&kept->arena, subject->project),
        .workload = arena_strdup(&kept->arena, subject->workload),
        .candidate = arena_strdup(&kept->arena, subject->candidate),
    };
}

static void unrecorded_drop(struct unrecorded *kept)
{
    arena_done(&kept->arena);
    *kept = (struct unrecorded){0};
}

/* *ret_found false: none is due. false: the database failed. */
static bool candidate_take(struct comparing *comparing, bool *ret_found, struct err *err)
{
    int64_t verdict_id;
    struct judgement judgement;
    struct err failure = {0};
    scoped_arena arena;
    const struct compare_setting *setting = comparing->setting;
    arena_init_within(&arena, setting->memory);
    if (!judgement_claim(comparing->db, &comparing->lease, &arena, &judgement, ret_found, err))
        return false;
    if (!*ret_found)
        return true;
    const struct flow flow = {setting->conf, comparing->db, &arena, setting->memory};
    if (judge_candidate(&flow, &judgement, &verdict_id, &failure)) {
        char verdict[24];
        (void)snprintf(verdict, sizeof verdict, "v%" PRId64, verdict_id);
        comparing->counts->judged++;
        subject_log(LOG_INFO, LOG_verdict_recorded, &judgement, verdict);
        return true;
    }
    if (candidate_end(comparing, &judgement, &failure, err))
        return true;
    if (comparing->unrecorded != NULL)
        unrecorded_keep(comparing->unrecorded, &judgement, &failure);
    return false;
}

/* ---- the loops ------------------------------------------------------------------------------- */

static bool candidates_take(struct comparing *comparing, int64_t deadline_ms, struct err *err)
{
    bool found = true;
    struct unrecorded *kept = comparing->unrecorded;
    if (kept != NULL && kept->judgement.id != 0) {
        if (!candidate_end(comparing, &kept->judgement, &kept->failure, err))
            return false;
        unrecorded_drop(kept);
    }
    int64_t count;
    if (!judgement_reap(comparing->db, comparing->lease.max_attempts, &count, err))
        return false;
    while (found && clock_monotonic_ms() < deadline_ms)
        if (!candidate_take(comparing, &found, err))
            return false;
    return true;
}

bool worker_compare_once(const struct compare_setting *setting, struct db *db,
                         struct compare_counts *ret_counts, struct err *err)
{
    char worker[WORKER_NAME_BYTES];
    *ret_counts = (struct compare_counts){0};
    worker_name_make(worker);
    struct comparing comparing = comparing_make(setting, db, worker, ret_counts);
    comparing.lease.settle_ms = 0;
    return candidates_take(&comparing, INT64_MAX, err);
}

struct compare_loop {
    const struct compare_setting *setting;
    struct unrecorded unrecorded;
};

static bool turn(const struct service_loop *loop, struct db *db, const char *name, struct err *err)
{
    struct compare_counts counts = {0};
    struct compare_loop *own = loop->context;
    struct comparing comparing = comparing_make(own->setting, db, name, &counts);
    comparing.unrecorded = &own->unrecorded;
    return candidates_take(&comparing, clock_monotonic_ms() + TURN_MS, err);
}

bool worker_compare_run(const struct compare_setting *setting, struct err *err)
{
    struct compare_loop own = {.setting = setting};
    const struct service_loop loop = {.kind = "compare",
                                      .conf = setting->conf,
                                      .conninfo = setting->conninfo,
                                      .turn = turn,
                                      .context = &own};
    bool done = service_loop_run(&loop, err);
    unrecorded_drop(&own.unrecorded);
    return done;
}
