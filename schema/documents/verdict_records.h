/* The table that describes struct verdict, for its JSON form, its copies and the check of
 * verdict.schema.json. */
#ifndef SCHEMA_DOCUMENTS_VERDICT_RECORDS_H
#define SCHEMA_DOCUMENTS_VERDICT_RECORDS_H

#include "schema/documents/record.h"

/* verdict.v1 */
extern const struct record verdict_record;

#endif
