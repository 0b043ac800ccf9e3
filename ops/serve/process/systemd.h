/* Telling the service manager (systemd) how we are: the datagram protocol of sd_notify(3), without
 * its library. Does nothing when NOTIFY_SOCKET is not set. */
#ifndef OPS_SERVE_PROCESS_SYSTEMD_H
#define OPS_SERVE_PROCESS_SYSTEMD_H

#include <stdint.h>

/* Sends assignments such as "READY=1\nSTATUS=…". A manager that does not listen is no error. */
void systemd_tell(const char *assignments);

/* How often it wants to hear WATCHDOG=1, ms: half of what it waits; 0 = never. */
int64_t systemd_watchdog_ms(void);

#endif
