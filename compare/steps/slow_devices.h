/* Did all devices slow down, or one? Internal to compare/. */
#ifndef COMPARE_STEPS_SLOW_DEVICES_H
#define COMPARE_STEPS_SLOW_DEVICES_H

#include "compare/judgement/judgement.h"

/* One sentence for the verdict; NULL when the devices of both sides cannot be matched. When half of
 * them or fewer are slower, or work longer while the others wait for them, that is also a reason,
 * `devices_differ`, and the verdict's cause: what a change does, it does to most. */
const char *slow_devices_text(struct gate_state *judgement);

/* The most that one device is busy longer in a step, us; absent when the devices of both sides
 * cannot be matched. A mean over devices hides the one that is slow alone. */
struct opt_f64 devices_busy_gain(struct gate_state *judgement);

#endif
