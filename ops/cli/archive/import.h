/* An import in the making. */
#ifndef OPS_CLI_ARCHIVE_IMPORT_H
#define OPS_CLI_ARCHIVE_IMPORT_H

#include "history/profiles/profiles.h"
#include "history/reading/reading.h"
#include "ops/cli/cli.h"
#include "ops/runtime/file.h"

#include <jansson.h>

enum { IMPORT_LEFT_OUT = 0 }; /* in the place of our number */

/* A profile ('p') or verdict ('v') of the exporting ledger, and its number here. They ascend in an
 * export. */
struct import_pair {
    char letter;
    int64_t theirs, ours;
};

struct import {
    struct cli *cli;
    struct db *db;
    struct profile_identity
        identity;         /* of documents that do not say theirs; project NULL: unknown */
    struct arena *memory; /* whose budget counts for one line */
    struct arena *arena;  /* of the command */
    struct import_pair *pairs;
    size_t pair_count, pair_capacity;
    void *said;        /* a tree of what was said so far, and how often; import_done frees it */
    int64_t decisions; /* stored */
    int64_t profiles, verdicts, deliveries, tracks, known; /* stored, and known already */
    int64_t months;                                        /* brought back */
    int64_t documents;                                     /* of the file that is read, so far */
    int64_t left_out;        /* not stored: their contents were not in the export */
    bool takes_unsealed;     /* exports that nothing vouches for, too */
    bool takes_lines;        /* of exports: this file is one, and its manifest vouches for them */
    int64_t series, reports; /* theirs of the last line of each; 0: there was none that tells it */
    bool keeps_numbers; /* it tells its series, and all so far have the numbers that they had */
    bool tells_moves;   /* its lines say what became of alerts: verdicts do nothing to them */
};

/* ---- whether an export is whole and as it was written, before a line of it is stored ---- */

/* Of an export that was found whole: the hash of each of its lines, so that a file which is changed
 * while it is stored is not stored. */
struct import_seal {
    bool is_export; /* its first line is that of one; nothing is asked of other files */
    struct import_line_hash *hashes;
    size_t count, capacity; /* 0: nothing is known of its lines */
};

/* Reads the lines from their beginning to their end, and leaves them at their beginning; hashes
 * live in the arena. ERR_INPUT: an export that has no manifest, is cut off, was changed, or is not
 * signed as `checkpoint_trust` asks; ERR_LIMIT: one with a line beyond the budget. */
bool import_seal_check(struct file_lines *lines, const struct conf *conf, struct arena *arena,
                       struct import_seal *ret_seal, struct err *err);

/* Whether the present line is the one that was checked. ERR_INPUT. */
bool import_seal_line(const struct import_seal *seal, const struct file_lines *lines,
                      struct err *err);

/* ---- its lines ---- */

/* Before a series ('s'), profile, verdict or report ('r') of theirs is stored: where all before it
 * have the numbers that they had, it gets its own. */
bool import_number(struct import *import, char letter, int64_t theirs, struct err *err);

/* Says once that from here on numbers are other ones than in the exporting ledger. */
void import_number_given(struct import *import, struct import_pair pair, const char *name);

/* Keeps which number theirs has here. ERR_INPUT: it does not follow the one before it; ERR_LIMIT:
 * the export has more entries than the budget has room for. */
bool import_pair_add(struct import *import, struct import_pair pair, const char *name,
                     struct err *err);

/* Whether the ledger has what is said (held times) as often as the export up to here; counts it as
 * known then. `what` must stay. */
bool import_is_known(struct import *import, const char *what, int64_t held);

/* Frees what import_is_known keeps. */
void import_done(struct import *import);

/* A text of a line, or of what it holds; NULL: it has none. */
const char *import_text(const json_t *object, const char *member);

/* When and by whom a line says that something was recorded; an export of before does not say it. */
struct origin import_origin(const json_t *line);

/* Our number of an entry of the exporting ledger ("p12", "v3"). ERR_INPUT: the export does not hold
 * it. */
bool import_find(const struct import *import, const char *id, const char *name, int64_t *ret_ours,
                 struct err *err);

/* Says that the line is not stored: what it rests on had left the other ledger with its month.
 * Returns true. */
bool import_left_out(struct import *import, const char *name, const json_t *line);

/* Stores one document: a line of export.v1, a profile_summary.v1, or a record of `track`. name is
 * "file:line". ERR_INPUT names what is wrong with it. */
bool import_line(struct import *import, const json_t *line, const char *name, struct err *err);

/* Each takes a line of that type: what people and detectors decided, reports, moves of alerts and
 * receipts. What the ledger holds as often as the export says it is known; a move that does not fit
 * the alert of this ledger is left out, and said. */
typedef bool import_take(struct import *import, const json_t *line, const char *name,
                         struct err *err);
import_take import_acceptance, import_rebaseline, import_change_point, import_report,
    import_alert_move, import_delivery;

#endif
