/* Publishing to W&B: verdicts and summaries as artifacts, metrics and alerts of a run.
 */
#ifndef ALERTS_WANDB_WANDB_H
#define ALERTS_WANDB_WANDB_H

#include "alerts/wandb/wandb_publication.h"
#include "alerts/wandb/wandb_publish.h"

#endif
