/* The table that describes struct verdict in JSON, for the writer, the reader and the check of
 * verdict.schema.json. */
#ifndef SCHEMA_DOCUMENTS_VERDICT_RECORDS_H
#define SCHEMA_DOCUMENTS_VERDICT_RECORDS_H

#include "schema/documents/record.h"

/* verdict.v1 */
extern const struct record verdict_record;

#endif
