/* The rows of one profile, copied again and again into tables without rules: what storing them
 * costs at the least. For benches.
 *
 * The bare tables have the columns, the storage and one index like those of the ledger, and neither
 * triggers nor foreign keys. Trouble ends the program.
 */
#ifndef TESTS_SUPPORT_BARE_COPY_H
#define TESTS_SUPPORT_BARE_COPY_H

#include <stdint.h>

/* Makes the bare tables as the owner of the schema, who is `conninfo`. */
void bare_tables_make(const char *conninfo);

enum bare_rows {
    BARE_OP_ROWS, /* the op table alone */
    BARE_ALL_ROWS /* every row that stands for a profile, its document and its entries too */
};

struct bare_copy; /* opaque */

/* Reads the rows of the ledger's first profile. */
struct bare_copy *bare_copy_open(const char *conninfo, enum bare_rows rows);
/* Writes them in one transaction, under a number that none of this connection had. */
void bare_copy_write(struct bare_copy *copy);
void bare_copy_close(struct bare_copy *copy);

#endif
