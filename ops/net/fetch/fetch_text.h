/* A small remote document as text: listings of buckets, manifests. And the one rule by which
 * downloads follow a redirect. */
#ifndef OPS_NET_FETCH_FETCH_TEXT_H
#define OPS_NET_FETCH_FETCH_TEXT_H

#include "ops/net/fetch/fetch_folder.h"
#include "ops/runtime/text.h"

enum { FETCH_REDIRECTS_MAX = 3 };

struct fetch_ask {
    const char *name; /* for messages: "the listing of gs://b/p" */
    const struct http_policy *policy;
    const struct retry_policy *retry; /* NULL = it is asked once */
    struct pace_gate *gate;
    struct fetch_place place;
    bool stays; /* a redirect to another scheme, host or port is not followed */
};

/* Appends the document to out (whose max_bytes bounds it), over redirects and with retries.
 * ERR_UNAVAILABLE: not reached or failing after all retries; ERR_MISSING: 404; ERR_INPUT: refused;
 * ERR_LIMIT: too long; ERR_USAGE: refused by our policy. */
bool fetch_text(const struct fetch_ask *ask, struct text *out, struct err *err);

/* Moves the place to where Location points, which may be relative; the credential stays behind when
 * scheme, host or port change. false: it does not say where to. */
bool fetch_redirect(const char *location, struct fetch_place *place, struct arena *arena);

#endif
