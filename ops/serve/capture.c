/* The rule that ingest, gate and the workers share. */
#include "ops/serve/capture.h"

bool capture_check(const struct summary *summary, struct err *err)
{
    return summary->trace_overview.num_complete_events > 0 ||
           err_set(err, ERR_INPUT,
                   "'%s' holds no timeline events: the process that wrote it was probably killed "
                   "before the end of the capture; capture again",
                   summary->source_path);
}
