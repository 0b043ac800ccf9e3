/* Summarizes XPlane bytes that a test holds in memory, through the public face of ingest/. */
#ifndef TESTS_SUPPORT_BYTES_SUMMARY_H
#define TESTS_SUPPORT_BYTES_SUMMARY_H

#include "ingest/ingest.h"
#include "ops/runtime/text.h"

#include <stddef.h>

/* Makes a file of bytes[length], which lives in memory only; ends the test when it cannot. The
 * caller closes the descriptor. path has room for BYTES_PATH_MOST. */
enum { BYTES_PATH_MOST = 32 };
int bytes_file_open(const void *bytes, size_t length, char *path);

/* ingest_summarize of that file. */
bool bytes_summarize(const struct text *bytes, const struct ingest_options *options,
                     struct arena *arena, struct summary *ret_summary, struct err *err);

#endif
