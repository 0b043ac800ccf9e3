/* The W&B client: settings and key, runs and artifacts by name, documents, files up and down.
 */
#ifndef OPS_NET_WANDB_WANDB_H
#define OPS_NET_WANDB_WANDB_H

#include "ops/net/wandb/config_facts.h"
#include "ops/net/wandb/loose_json.h"
#include "ops/net/wandb/wandb_artifact.h"
#include "ops/net/wandb/wandb_client.h"
#include "ops/net/wandb/wandb_config.h"
#include "ops/net/wandb/wandb_digest.h"
#include "ops/net/wandb/wandb_failure.h"
#include "ops/net/wandb/wandb_run.h"
#include "ops/net/wandb/wandb_target.h"
#include "ops/net/wandb/wandb_upload.h"

#endif
