/* What services say of themselves, where people read it: without secrets.
 */
#ifndef OPS_NET_REMOTE_WORDS_H
#define OPS_NET_REMOTE_WORDS_H

#include "ops/runtime/text.h"

/* Appends a service's own words made fit to be shown: clean, at most 300 characters, no key, no
 * query of a URL, nothing as long and as random as a credential. key may be NULL. */
void remote_words_add(struct text *out, const char *words, const char *key);

#endif
