/* What a file is that nobody reads, by its first bytes: so that whoever gives the wrong one is
 * told which one it is and what can be done with it.
 */
#ifndef INGEST_SOURCE_SNIFF_H
#define INGEST_SOURCE_SNIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the bytes are of that is read. */
enum sniffed_kind {
    SNIFFED_NOTHING, /* known; an XPlane file if any */
    SNIFFED_TRACE,   /* in Chrome's JSON */
    SNIFFED_EXPORT,  /* of Nsight Systems: an SQLite database */
    SNIFFED_REPORT,  /* of Nsight Systems, which its own tool has to export: `other` says so */
    SNIFFED_MEMORY,  /* a pprof profile */
    SNIFFED_TABLE    /* of xprof: as it exports them, or as they are stored beside a profile */
};

struct sniffed {
    /* A sentence without subject and full stop ("is a zip archive: …"); NULL when the bytes may be
     * a profile, or nothing is known of them. Static. */
    const char *other;
    enum sniffed_kind kind;
    int failure;      /* errno: it could not be looked at now; 0: it was */
    bool is_summary;  /* or may be one: JSON that is nothing else that is known */
    bool is_empty;    /* it has no byte */
    bool says_little; /* empty, or some text: such files lie everywhere */
};

/* bytes[length] are the first of the file; gzip is opened. */
struct sniffed sniff_bytes(const uint8_t *bytes, size_t length);

/* The same of a file; nothing is known of what is no regular file. */
struct sniffed sniff_file(const char *path);

#endif
