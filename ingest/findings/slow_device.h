/* The device that others wait for.
 */
#ifndef INGEST_FINDINGS_SLOW_DEVICE_H
#define INGEST_FINDINGS_SLOW_DEVICE_H

#include "ingest/findings/findings.h"

/* Whether one device of a settled list takes longest in nearly all steady steps for what it does
 * before it exchanges data: in a collective fast devices wait for it, so that steps of all last as
 * long. One that takes twice as long does other work. Texts beyond the budget stay NULL. */
bool slow_device(const struct step_list *steps, struct finding *finding);

#endif
