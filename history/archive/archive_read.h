/* The file that a month of the ledger goes into: archive.v1, read from front to end in constant
 * memory, for the files of history/ only. Nothing in it is believed before its hash agrees.
 *
 * Lines of JSON, with rows in between:
 *
 *     {"type": "archive", "schema_version": "archive.v1", "content_version": 1, "month": "2026-01"}
 *     {"type": "profile", "id": "p12", "chain": "s1", "position": 3, "content_sha256": ...,
 *      "entry_sha256": ..., "project", "workload", "run", "trace_sha256",
 *      "sections": [{"name": "ops", "rows": 500, "sha256": ...}, ...]}
 *     ... at most ARCHIVE_PAGE profiles, ids ascending; then the rows of all of them:
 *     {"type": "rows", "profile": "p12", "section": "ops"}
 *     the rows as history/chain/canonical.h has them, one after the other, and a newline
 *     ... the next profiles ...
 *     {"type": "end", "profiles": 1, "rows": 500}
 *
 * `sections` are all that the profile has; rows follow of those that have months (`monthly` in
 * history/chain/entry_kinds.c). Their digests make up content_sha256, which the profile's entry
 * holds: a file is verified against the chain alone, and against a checkpoint that was kept
 * elsewhere.
 */
#ifndef HISTORY_ARCHIVE_ARCHIVE_READ_H
#define HISTORY_ARCHIVE_ARCHIVE_READ_H

#include "history/archive/archive.h"
#include "history/chain/chain.h"

enum { ARCHIVE_PAGE = 100 };

extern const char archive_version[];

/* A profile of the file; its hashes agree with each other. */
struct archive_profile {
    int64_t id;
    uint8_t content_sha256[SHA256_BYTES];
    struct section_digest sections[PROFILE_SECTION_COUNT];
    uint32_t seen; /* one bit per section whose rows were read */
};

/* What a reader does with the parts, in their order; any may be NULL. false with *err filled ends
 * the reading. Rows are handed over before their digest is known: what was done with them must be
 * undone when the reading fails. */
struct archive_sink {
    void *context;
    bool (*profile)(void *context, const struct archive_profile *profile, struct err *err);
    /* Rows of a section begin. */
    bool (*rows)(void *context, int64_t profile_id, enum profile_section section, struct err *err);
    /* A row of so many columns begins, its bytes come, it ends. */
    bool (*row)(void *context, int column_count, struct err *err);
    bool (*bytes)(void *context, const void *bytes, size_t length, struct err *err);
    bool (*row_end)(void *context, struct err *err);
};

/* Reads the file to its end; sink NULL: only to see whether it is whole. ERR_INPUT says where it is
 * not, ERR_MISSING that there is none. */
bool archive_read(const char *path, const struct archive_sink *sink, struct archive_file *ret_file,
                  struct err *err);

#endif
