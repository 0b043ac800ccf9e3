/* What devices can do at most, as the user states it.
 */
#ifndef OPS_CLI_FILES_PEAKS_FILE_H
#define OPS_CLI_FILES_PEAKS_FILE_H

#include "ops/cli/cli.h"
#include "schema/documents/chip_peaks.h"

#define CLI_PEAKS(help) CLI_OPTION("peaks", CLI_TEXT, "FILE", NULL, help)

/* Reads `tflops = N` and `hbm_gb_per_s = N` of one device; what is not there stays unset. The path
 * is the source of both and must stay. ERR_INPUT names the line; ERR_MISSING. */
bool peaks_file_read(const char *path, struct arena *arena, struct device_limits *ret_limits,
                     struct err *err);

#endif
