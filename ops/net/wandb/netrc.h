/* The password of a host in a netrc file, read by ourselves: libcurl's own
 * reading is off, since it would send the credential also to storage behind signed URLs. Pure. */
#ifndef OPS_NET_WANDB_NETRC_H
#define OPS_NET_WANDB_NETRC_H

#include <stdbool.h>
#include <stddef.h>

/* Where in text the password of `machine` ("host" or "host:port") stands. false when there is no
 * entry of just that name, or it has no password, or the text is malformed before it: that is no
 * error, the file is other programs' too. `default` entries do not count. */
bool netrc_find(const char *text, const char *machine, const char **ret_start, size_t *ret_length);

#endif
