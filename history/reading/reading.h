/* What the ledger holds, in lists, courses and lines of an export.
 */
#ifndef HISTORY_READING_READING_H
#define HISTORY_READING_READING_H

#include "history/reading/courses.h"
#include "history/reading/health.h"
#include "history/reading/interchange.h"
#include "history/reading/ledger_log.h"
#include "history/reading/list.h"
#include "history/reading/project_state.h"
#include "history/reading/trend.h"

#endif
