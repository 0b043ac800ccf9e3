/* Checks of what people give as names, before anything is stored, for the files of history/ only.
 */
#ifndef HISTORY_PROFILES_IDENTITY_H
#define HISTORY_PROFILES_IDENTITY_H

#include "history/profiles/ledger.h"

/* Names are 1-200 bytes (branches 500) of valid UTF-8 without control characters; runs and labels
 * do not look like an id of the ledger (p12, v3). ERR_INPUT names the one that is wrong. */
bool identity_check(const struct profile_identity *identity, struct err *err);

/* Of names that somebody gives now, those not NULL: project, workload, run and label hold no
 * character that does not show (harmless_hides), so that no two look alike. Branches are git's to
 * name, and what has an origin is imported as an older ledger holds it. ERR_INPUT as above. */
bool identity_shows(const struct profile_identity *given, struct err *err);

/* "s3" -> 3; not set for NULL. ERR_INPUT: not the name of a series. */
bool identity_series(const char *name, struct opt_i64 *ret_number, struct err *err);

/* true for "p12", "v3" and "s4". */
bool identity_is_entry_id(const char *name);

#endif
