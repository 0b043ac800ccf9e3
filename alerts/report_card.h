/* A report of trends as a card: what moved, by which ops, what stopped, what to do. */
#ifndef ALERTS_REPORT_CARD_H
#define ALERTS_REPORT_CARD_H

#include "alerts/card.h"
#include "schema/documents/trend_report.h"

/* ERR_LIMIT. */
bool report_card_make(const struct trend_report *report, const char *link, struct arena *arena,
                      struct card *ret_card, struct err *err);

#endif
