/* Publishing at W&B: from the run that is made for it to the version that others can fetch.
 *
 * Every call may be repeated, also by another process after a crash: run id and client ids are made
 * from what is published, so that the same publication meets what an earlier attempt left. Content
 * that is there already makes no new version.
 */
#ifndef ALERTS_WANDB_WANDB_PUBLISH_H
#define ALERTS_WANDB_WANDB_PUBLISH_H

#include "alerts/wandb/wandb_publication.h"
#include "ops/net/wandb/wandb.h"

struct wandb_receipt {
    const char *entity, *project;      /* as the service spells them */
    const char *artifact_id, *version; /* "v3" */
    bool unchanged;                    /* the content was there before, as this version */
    const char *run, *run_url;         /* of the publishing run */
    struct string_list warnings;       /* what beside the artifact did not work */
    int64_t asked_ms; /* how long the service asks to be left alone; -1 = it does not */
};

/* Publishes. True only when the service has said that the version is committed. Errors as
 * wandb_call and wandb_publication_check; ERR_CONFLICT: other writers were faster three times;
 * ERR_UNAVAILABLE: call again later with the same publication. Then *ret_receipt holds asked_ms
 * alone. */
bool wandb_publish(const struct wandb_config *config, const struct wandb_publication *publication,
                   struct arena *arena, struct wandb_receipt *ret_receipt, struct err *err);

#endif
