/* Tables that lie in a profile's own files: which there are, and rows that are grouped by what they
 * are and added up.
 */
#ifndef INGEST_DATA_TABLES_DATA_TABLES_H
#define INGEST_DATA_TABLES_DATA_TABLES_H

#include "ingest/data_tables/grouped_rows.h"
#include "ingest/data_tables/made_rows.h"
#include "ingest/data_tables/table_kinds.h"

#endif
