/* Did all devices slow down, or one? Internal to compare/. */
#ifndef COMPARE_SLOW_DEVICES_H
#define COMPARE_SLOW_DEVICES_H

#include "compare/judgement.h"

/* One sentence for the verdict; NULL when the devices of both sides cannot be matched. When half of
 * them or fewer are slower it is also a reason, `devices_differ`: what a change does, it does to
 * most. */
const char *slow_devices_text(struct judgement *judgement);

#endif
