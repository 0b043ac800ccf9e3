/* Downloads: small documents, and the files of a bucket or another source into a folder.
 */
#ifndef OPS_NET_FETCH_FETCH_H
#define OPS_NET_FETCH_FETCH_H

#include "ops/net/fetch/fetch_bucket.h"
#include "ops/net/fetch/fetch_folder.h"
#include "ops/net/fetch/fetch_path.h"
#include "ops/net/fetch/fetch_store.h"
#include "ops/net/fetch/fetch_text.h"

#endif
