/* What a file that is no XPlane file is, by its first bytes: so that whoever gives the wrong one is
 * told which one it is and what can be done with it.
 */
#ifndef INGEST_SOURCE_SNIFF_H
#define INGEST_SOURCE_SNIFF_H

#include <stddef.h>
#include <stdint.h>

/* A sentence without subject and full stop ("is a Chrome trace (JSON): …"); NULL when the bytes may
 * be an XPlane file, or nothing is known of them. bytes[length] are the first of the file; gzip is
 * opened. Static. */
const char *sniff_bytes(const uint8_t *bytes, size_t length);

/* The same of a file; NULL also for what is no regular file or cannot be read. */
const char *sniff_file(const char *path);

#endif
