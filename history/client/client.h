/* The connection to the server, for the files of history/ only: statements, their parameters and
 * results, one that is sent ahead, several in one round trip, rows as they stream.
 */
#ifndef HISTORY_CLIENT_CLIENT_H
#define HISTORY_CLIENT_CLIENT_H

#include "history/client/args.h"
#include "history/client/connection.h"
#include "history/client/db_error.h"
#include "history/client/hex.h"
#include "history/client/rows.h"
#include "history/client/pg_types.h"
#include "history/client/pipeline.h"
#include "history/client/result.h"
#include "history/client/stream.h"

#endif
