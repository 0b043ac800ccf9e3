/* The files that a profile of the ledger was read from, where they still lie as they were: for what
 * its summary does not keep.
 */
#ifndef OPS_CLI_OPERAND_RECORDED_H
#define OPS_CLI_OPERAND_RECORDED_H

#include "ingest/ingest.h"

/* The files by the paths that were recorded, and the options that they were read with, with
 * what was said of them (facts of figures and of --meta); what else options hold stays. Memory
 * profiles that are gone are left out. ERR_MISSING: a file is not there any more; ERR_INPUT: it
 * holds other bytes now; each a sentence on that file. */
bool recorded_files(const struct summary *summary, struct arena *arena,
                    struct profile_files *ret_profile, struct ingest_options *options,
                    struct err *err);

#endif
