/* What is written on a run beside its artifacts: metrics in its summary, tags, an alert. Summary
 * and tags are whole values at the service, so each is read, merged and written back; nothing else
 * of the run is sent. */
#ifndef ALERTS_WANDB_WANDB_ANNOTATE_H
#define ALERTS_WANDB_WANDB_ANNOTATE_H

#include "alerts/wandb/wandb_publication.h"
#include "ops/net/wandb/wandb.h"

/* Writes metrics (object; NULL or nulls = nothing) as perf/NAME into the run's summary. is_own: the
 * run is ours; of any other one that has not ended this is ERR_CONFLICT, since its own client would
 * write over it. Sends nothing when nothing changes. Errors as wandb_call. */
bool wandb_metrics_write(struct wandb_client *client, const struct wandb_run_name *run,
                         const json_t *metrics, bool is_own, struct err *err);

/* Adds tags to those of the run, in order, each once. Sends nothing when all are there. */
bool wandb_tags_add(struct wandb_client *client, const struct wandb_run_name *run,
                    const struct string_list *tags, struct err *err);

/* Sends an alert of the run. */
bool wandb_alert_send(struct wandb_client *client, const struct wandb_run_name *run,
                      const struct wandb_alert *alert, struct err *err);

#endif
