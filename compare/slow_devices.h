/* Did all devices slow down, or one? Internal to compare/. */
#ifndef COMPARE_SLOW_DEVICES_H
#define COMPARE_SLOW_DEVICES_H

#include "compare/judgement.h"

/* One sentence for the verdict; NULL when the devices of both sides cannot be matched. When some
 * are slower and others are not it is also a reason, `devices_differ`. */
const char *slow_devices_text(struct judgement *judgement);

#endif
