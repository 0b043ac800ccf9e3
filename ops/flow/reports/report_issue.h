/* Reports that are due are made, kept and told. */
#ifndef OPS_FLOW_REPORTS_REPORT_ISSUE_H
#define OPS_FLOW_REPORTS_REPORT_ISSUE_H

#include "history/db.h"
#include "ops/flow/reports/report_sections.h"

/* Makes the report of each section whose time has come since its last one, from where that ended:
 * however many times were missed, it is one. The report, its entry and its messages are one
 * transaction, and there is one of a name and a time: who comes second appends nothing and tells
 * nobody. One that fails is tried again after five minutes, and keeps the others from nothing, nor
 * does a section that is wrong. The error is of the first one's kind and names all; ERR_CONFLICT:
 * none failed, some wait for that time. */
bool reports_issue(struct db *db, const struct conf *conf, int64_t now_us, int64_t *ret_count,
                   struct err *err);

#endif
