/* What a command is given: a database, entries by their names, pairs, profiles, times, reasons. */
#ifndef OPS_CLI_OPERAND_OPERAND_H
#define OPS_CLI_OPERAND_OPERAND_H

#include "ops/cli/operand/connect.h"
#include "ops/cli/operand/decide.h"
#include "ops/cli/operand/moment.h"
#include "ops/cli/operand/pair.h"
#include "ops/cli/operand/ranked.h"
#include "ops/cli/operand/recorded.h"
#include "ops/cli/operand/reference.h"
#include "ops/cli/operand/summarize.h"

#endif
