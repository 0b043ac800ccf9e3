/* Numbers for what files name by texts and large ids.
 */
#ifndef INGEST_LOOKUP_LOOKUP_H
#define INGEST_LOOKUP_LOOKUP_H

#include "ingest/lookup/byte_keys.h"
#include "ingest/lookup/counter.h"
#include "ingest/lookup/id_map.h"
#include "ingest/lookup/sorted.h"
#include "ingest/lookup/strings.h"

#endif
