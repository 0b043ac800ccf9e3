/* Alerts and what people decide: moves in the life of an alert, acceptances, re-baselines, change
 * points.
 */
#ifndef HISTORY_ALERT_ALERT_H
#define HISTORY_ALERT_ALERT_H

#include "history/alert/alert_change.h"
#include "history/alert/alert_log.h"
#include "history/alert/alert_state.h"
#include "history/alert/alert_response.h"
#include "history/alert/change_points.h"
#include "history/alert/decision.h"

#endif
