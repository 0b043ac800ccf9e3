/* Hosts of a profile: one file each, with a name of its own. */
#ifndef INGEST_HOSTS_H
#define INGEST_HOSTS_H

#include "ingest/profile.h"

/* Names the host of each file: what the file says, else the file's name when there are several;
 * names that come twice get a number. */
bool hosts_name(struct profile *profile, struct err *err);

#endif
