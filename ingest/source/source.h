/* What is known of a capture beside its events: where its files lie, what they are, which belong
 * together, and what people should be told.
 */
#ifndef INGEST_SOURCE_SOURCE_H
#define INGEST_SOURCE_SOURCE_H

#include "ingest/source/copies.h"
#include "ingest/source/facts.h"
#include "ingest/source/join.h"
#include "ingest/source/notes.h"
#include "ingest/source/place.h"
#include "ingest/source/sniff.h"

#endif
