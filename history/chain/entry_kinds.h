/* The kinds of entries, and the sections that each one's content is made of, for the files of
 * history/ only. A new kind is a line of the table and its statements. */
#ifndef HISTORY_CHAIN_ENTRY_KINDS_H
#define HISTORY_CHAIN_ENTRY_KINDS_H

#include "history/chain/canonical.h"
#include "history/client/client.h"

enum entry_kind {
    ENTRY_PROFILE,
    ENTRY_EVENT, /* where known bytes belong */
    ENTRY_VERDICT,
    ENTRY_DELIVERY,
    ENTRY_ACCEPTANCE,
    ENTRY_REBASELINE,
    ENTRY_ALERT, /* a move in the life of an alert */
    ENTRY_TRACK, /* a record of `track` from a file */
    ENTRY_CHECKPOINT,
    ENTRY_CHANGE_POINT,
    ENTRY_AMENDMENT, /* a correction of a profile */
    ENTRY_ARCHIVE,   /* what became of a month */
    ENTRY_PROJECT,
    ENTRY_SERIES,
    ENTRY_POLICY,
    ENTRY_SILENCE,
    ENTRY_REPORT, /* of what moved in a project */
    ENTRY_KIND_COUNT
};

/* Sections of a profile, in the order of its content. */
enum profile_section {
    PROFILE_HEADER,
    PROFILE_SUMMARY,
    PROFILE_FILES,
    PROFILE_HOSTS,
    PROFILE_FACTS,
    PROFILE_PROGRAMS,
    PROFILE_DEVICES,
    PROFILE_STEPS,
    PROFILE_SPANS,
    PROFILE_OPS,
    PROFILE_SIGNATURES, /* the ops that the dictionary did not hold before */
    PROFILE_MEASURES,
    PROFILE_FINDINGS,
    PROFILE_ORIGIN,
    PROFILE_CAPTURE,
    PROFILE_SECTION_COUNT
};

enum { SECTIONS_MAX = 16 };

/* The statement takes the first and the last subject's id and gives their rows in order. */
struct entry_section {
    const char *name;
    enum query_id id;
    bool monthly;          /* its rows may be in an archive (history/archive/archive.h) */
    enum query_id restore; /* brings them back, when they are monthly */
    bool later; /* added to the kind when there were entries: without a row it is not hashed */
};

struct entry_kind_info {
    const char *name, *prefix;            /* prefix: "p" of p12 */
    const struct entry_section *sections; /* the first holds one row per subject */
    size_t section_count;
};

extern const struct entry_kind_info entry_kinds[ENTRY_KIND_COUNT];

/* The kind of that name; ENTRY_KIND_COUNT when there is none. */
enum entry_kind entry_kind_of(const char *name);

/* The content's hash from the digests of its sections. */
void content_digest(enum entry_kind kind, const struct section_digest *sections,
                    uint8_t out[SHA256_BYTES]);

#endif
