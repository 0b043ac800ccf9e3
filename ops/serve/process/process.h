/* A process that works until it is told to stop. */
#ifndef OPS_SERVE_PROCESS_PROCESS_H
#define OPS_SERVE_PROCESS_PROCESS_H

#include "ops/serve/process/ledger_link.h"
#include "ops/serve/process/signals.h"
#include "ops/serve/process/service_loop.h"
#include "ops/serve/process/supervisor.h"
#include "ops/serve/process/worker.h"

#endif
