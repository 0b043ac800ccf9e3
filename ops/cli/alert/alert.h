/* What other commands print of alerts. */
#ifndef OPS_CLI_ALERT_ALERT_H
#define OPS_CLI_ALERT_ALERT_H

#include "ops/cli/alert/failing.h"

#endif
