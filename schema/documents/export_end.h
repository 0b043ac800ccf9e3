/* The last line of an export.v1: how many lines of what it has, and the manifest that seals them.
 * It shows whether the file is whole and as it was written; the signature, by whom.
 */
#ifndef SCHEMA_DOCUMENTS_EXPORT_END_H
#define SCHEMA_DOCUMENTS_EXPORT_END_H

#include "ops/runtime/text.h"
#include "schema/documents/record.h"

/* Lines of one type that follow each other. */
struct export_part {
    const char *type; /* "profile" */
    int64_t lines;
    const char *sha256; /* hex, of their bytes with the ends of lines */
};

struct export_end {
    const char *type; /* "end" */
    int64_t profiles, verdicts, decisions, deliveries, tracks;
    struct export_part *parts; /* all lines but this one, in their order */
    size_t part_count;         /* 0: an older program wrote it */
    const char *signature;     /* base64 of an Ed25519 signature over the statement; NULL */
    const char *public_key;    /* base64 of the 32 bytes of its key; NULL */
};

/* The table of its members, which the JSON schema is checked against. */
extern const struct record export_end_record;

/* What is signed: "export.v1", then type, lines and sha256 of each part, each part on a line. */
void export_end_statement(const struct export_end *end, struct text *out);

#endif
