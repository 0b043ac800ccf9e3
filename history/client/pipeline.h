/* Several statements in one round trip (libpq's pipeline mode), for the files of history/ only.
 *
 *     scoped_pipeline pipeline = {0};
 *     return pipeline_begin(&pipeline, db, err) &&
 *            pipeline_add(&pipeline, Q_first, &first, err) &&
 *            pipeline_add(&pipeline, Q_second, &second, err) && pipeline_run(&pipeline, err);
 *
 * In the caller's transaction. None of them can see another's result; the first that fails ends
 * all, and its error is what pipeline_run reports. Meanwhile the connection takes nothing else.
 */
#ifndef HISTORY_CLIENT_PIPELINE_H
#define HISTORY_CLIENT_PIPELINE_H

#include "history/client/connection.h"

enum { PIPELINE_MAX = 16 };

struct pipeline { /* start with {0} */
    struct db *db;
    size_t count;
    struct {
        enum query_id id;
        bool prepares; /* it goes along with the statement's preparation */
        PGresult *result;
    } items[PIPELINE_MAX];
};

/* Nothing else may run on the connection until pipeline_run. */
bool pipeline_begin(struct pipeline *pipeline, struct db *db, struct err *err);

/* Sends a statement of history/sql; args may be NULL, and need not outlive the call. */
bool pipeline_add(struct pipeline *pipeline, enum query_id id, const struct args *args,
                  struct err *err);

/* Waits for all results and checks each as query_run does. */
bool pipeline_run(struct pipeline *pipeline, struct err *err);

/* The result of the statement that was added under this id, the last one if there are several;
 * lives as long as the pipeline. */
const PGresult *pipeline_result(const struct pipeline *pipeline, enum query_id id);

/* Waits for what was sent, and frees. Accepts a zeroed one. */
void pipeline_done(struct pipeline *pipeline);

#define scoped_pipeline __attribute__((cleanup(pipeline_done))) struct pipeline

#endif
