/* Profiles in the ledger: appending, correcting and reading them.
 */
#ifndef HISTORY_PROFILES_PROFILES_H
#define HISTORY_PROFILES_PROFILES_H

#include "history/profiles/amend.h"
#include "history/profiles/capture_hosts.h"
#include "history/profiles/identity.h"
#include "history/profiles/ledger.h"

#endif
