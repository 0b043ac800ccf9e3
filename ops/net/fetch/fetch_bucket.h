/* Directories of object stores, gs://BUCKET/PREFIX and s3://BUCKET/PREFIX, as sources of a
 * download.
 *
 *     [gs]                                        [s3]
 *     token = env:GOOGLE_OAUTH_ACCESS_TOKEN       access_key = env:AWS_ACCESS_KEY_ID
 *                                                 secret_key = env:AWS_SECRET_ACCESS_KEY
 *                                                 session_token = env:AWS_SESSION_TOKEN
 *                                                 region = us-east-1
 *     base_url = https://storage.googleapis.com   base_url = https://s3.us-east-1.amazonaws.com
 *
 * and the keys of ops/net/section.h. These are the defaults; a variable that is not set means an
 * anonymous request. Listings: the JSON API of Google Cloud Storage (objects.list), ListObjectsV2
 * of S3 with buckets in the path. What it does not do: refresh tokens, metadata servers, profiles
 * of the vendors' own tools.
 */
#ifndef OPS_NET_FETCH_FETCH_BUCKET_H
#define OPS_NET_FETCH_FETCH_BUCKET_H

#include "ops/net/fetch/fetch_folder.h"
#include "ops/runtime/conf.h"

/* true for a URL whose scheme is one of these stores'. */
bool fetch_bucket_serves(const char *url);

/* Downloads all below the URL. ERR_MISSING: there is nothing; ERR_USAGE: a bad section or URL; else
 * as fetch_all. */
bool fetch_bucket(const struct conf *conf, const char *url, const struct fetch_target *target,
                  struct arena *arena, struct fetch_report *ret_report, struct err *err);

#endif
