/* The digests are kept beside each profile (migration 0140). They are a cache: where they do not
 * make the entry's hash, they are made from the rows. */
#include "history/chain/recorded.h"

#include "history/chain/content.h"
#include "history/client/client.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAGE_BUDGET_BYTES = 65536, MEASURES_PAGE = 500, MEASURES_BUDGET_BYTES = 4 << 20 };

void recorded_pack(const struct section_digest sections[PROFILE_SECTION_COUNT],
                   uint8_t out[RECORDED_BYTES])
{
    for (int i = 0; i < PROFILE_SECTION_COUNT; i++, out += RECORDED_SECTION_BYTES) {
        be_put(out, (uint64_t)sections[i].rows, 8);
        memcpy(out + 8, sections[i].sha256, SHA256_BYTES);
    }
}

/* A kind may have got sections since they were kept: those had no row. */
static void unpack(const uint8_t *kept, size_t length, struct section_digest *out)
{
    size_t count = length / RECORDED_SECTION_BYTES;
    memset(out, 0, PROFILE_SECTION_COUNT * sizeof *out);
    for (size_t i = 0; i < count && i < PROFILE_SECTION_COUNT; i++) {
        out[i].rows = (int64_t)be_get(kept, 8);
        memcpy(out[i].sha256, kept + 8, SHA256_BYTES);
        kept += RECORDED_SECTION_BYTES;
    }
}

/* What lets readers go on without the subject: of words the newest holds. */
static const char *const remedies[ENTRY_KIND_COUNT] = {
    [ENTRY_PROFILE] = "; `stepledger retract` leaves a profile out",
    [ENTRY_EVENT] = "; `stepledger amend` says anew what the profile is called",
    [ENTRY_AMENDMENT] = "; `stepledger amend`, `retract` or `retract --undo` of the profile says "
                        "anew what holds",
    [ENTRY_ACCEPTANCE] = "; `stepledger accept` says it anew",
    [ENTRY_REBASELINE] = "; `stepledger rebaseline` says it anew",
    [ENTRY_CHANGE_POINT] = "; `stepledger rebaseline` says anew where the level begins",
};

/* of_profile: which a word is about; 0: it is none, or about no profile. */
struct subject {
    enum entry_kind kind;
    int64_t id, of_profile;
};

static const char *subject_text(const struct subject *subject, char out[64])
{
    const char *prefix = entry_kinds[subject->kind].prefix;
    if (subject->of_profile != 0)
        (void)snprintf(out, 64, "%s%" PRId64 ", a word about p%" PRId64 ",", prefix, subject->id,
                       subject->of_profile);
    else
        (void)snprintf(out, 64, "%s%" PRId64, prefix, subject->id);
    return out;
}

static bool changed(const struct subject *subject, const char *what, struct err *err)
{
    char name[64];
    const char *remedy = remedies[subject->kind];
    return err_set(err, ERR_INPUT,
                   "%s is not what was recorded (%s): it was changed in the database, behind the "
                   "ledger's back, or stored with another hash. `stepledger verify` tells what "
                   "else is not%s",
                   subject_text(subject, name), what, remedy != NULL ? remedy : "");
}

static bool no_entry(const struct subject *subject, struct err *err)
{
    char name[64];
    const char *remedy = remedies[subject->kind];
    return err_set(err, ERR_INPUT,
                   "%s has no entry on a chain: it was put into the database, or its "
                   "entry was taken out (`stepledger verify` tells more)%s",
                   subject_text(subject, name), remedy != NULL ? remedy : "");
}

/* What COPY reads is chosen by settings of a transaction. */
static bool content_read(struct db *db, struct content_page *page, struct arena *arena,
                         struct err *err)
{
    scoped_transaction *open = NULL;
    return (db_transaction_status(db) == PQTRANS_INTRANS || snapshot_open(db, &open, err)) &&
           content_page_read(db, page, arena, err);
}

static bool digests_make_hash(enum entry_kind kind, const struct section_digest *sections,
                              const uint8_t *wanted)
{
    uint8_t made[SHA256_BYTES];
    content_digest(kind, sections, made);
    return memcmp(made, wanted, SHA256_BYTES) == 0;
}

/* Its rows make the hash of its entry. Where they must be read for that, the document lies in
 * memory whole. */
static bool row_read(struct db *db, const PGresult *rows, int row, size_t most_bytes,
                     struct recorded_profile *out, struct err *err)
{
    scoped_result *document = NULL;
    size_t length = 0, kept_length = 0;
    const uint8_t *wanted =
        result_is_null(rows, row, C_profile_sections_content_sha256)
            ? NULL
            : result_bytes(rows, row, C_profile_sections_content_sha256, &length);
    const uint8_t *kept = result_is_null(rows, row, C_profile_sections_sections)
                              ? NULL
                              : result_bytes(rows, row, C_profile_sections_sections, &kept_length);
    out->archived = result_bool(rows, row, C_profile_sections_archived);
    if (wanted == NULL || length != SHA256_BYTES)
        return no_entry(&(struct subject){ENTRY_PROFILE, out->id, 0}, err);
    unpack(kept, kept_length, out->sections);
    if (digests_make_hash(ENTRY_PROFILE, out->sections, wanted))
        return true;
    if (!query_run(db, Q_document_bytes, ARGS(out->id), &document, err))
        return false;
    int64_t bytes =
        PQntuples(document) > 0 ? result_i32(document, 0, C_document_bytes_document_bytes) : 0;
    if ((size_t)bytes > most_bytes)
        return err_set(err, ERR_INPUT,
                       "p%" PRId64 " has a document of %" PRId64 " bytes, more than max_memory_mb "
                       "leaves to check it; `stepledger retract p%" PRId64 "` says that it does "
                       "not count",
                       out->id, bytes, out->id);
    /* From the rows themselves. */
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    struct content_page page = {
        .kind = ENTRY_PROFILE, .ids = &out->id, .count = 1, .first = out->id, .last = out->id};
    if (!content_read(db, &page, &arena, err))
        return false;
    memcpy(out->sections, page.sections, sizeof out->sections);
    return digests_make_hash(ENTRY_PROFILE, out->sections, wanted) ||
           changed(&(struct subject){ENTRY_PROFILE, out->id, 0}, "content", err);
}

bool recorded_read(struct db *db, const int64_t *ids, size_t count, struct arena *arena,
                   struct recorded_profile **ret_recorded, struct err *err)
{
    scoped_result *rows = NULL;
    struct recorded_profile *recorded = arena_array(arena, struct recorded_profile, count);
    if (!query_run(db, Q_profile_sections, ARGS(arg_i64s(arena, ids, count)), &rows, err))
        return false;
    if (!result_holds_all(rows, count, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct err why = {0};
        recorded[i] = (struct recorded_profile){.id = ids[i]};
        if (row_read(db, rows, (int)i, arena_left_bytes(arena), &recorded[i], &why))
            continue;
        if (why.kind != ERR_INPUT) {
            *err = why;
            return false;
        }
        recorded[i].changed = arena_strdup(arena, why.text);
    }
    *ret_recorded = recorded;
    return arena_ok(arena, "the hashes of profiles", err);
}

bool recorded_check(const struct recorded_profile *recorded, enum profile_section section,
                    const struct section_digest *found, struct err *err)
{
    const struct entry_section *info = &entry_kinds[ENTRY_PROFILE].sections[section];
    const struct section_digest *wanted = &recorded->sections[section];
    if (recorded->changed != NULL)
        return err_set(err, ERR_INPUT, "%s", recorded->changed);
    if (info->monthly && recorded->archived && found->rows == 0)
        return true;
    return (wanted->rows == found->rows &&
            memcmp(wanted->sha256, found->sha256, SHA256_BYTES) == 0) ||
           changed(&(struct subject){ENTRY_PROFILE, recorded->id, 0}, info->name, err);
}

bool recorded_measure_is_usual(double value)
{
    double size = fabs(value);
    return size <= 0 || (size >= 1e-150 && size <= 1e150);
}

const char *recorded_measure_why(int64_t profile_id, bool has_many, struct arena *arena)
{
    char many[64];
    (void)snprintf(many, sizeof many, "more than %d measures", RECORDED_MEASURES_MAX);
    return arena_printf(arena,
                        "p%" PRId64 " was stored with %s; `stepledger retract p%" PRId64
                        "` says that it does not count",
                        profile_id, has_many ? many : "a measure that nobody can reckon with",
                        profile_id);
}

/* What was found of one of them; it is told once, however often it is asked for. */
static void change_add(struct recorded_changes *changes, int64_t id, const char *why,
                       struct arena *arena)
{
    for (size_t i = 0; i < changes->count; i++)
        if (changes->items[i].id == id)
            return;
    changes->items = arena_grow(arena, changes->items, changes->count, &changes->capacity,
                                sizeof *changes->items);
    changes->items[changes->count++] = (struct recorded_change){id, arena_strdup(arena, why)};
}

/* The rows of one profile after the other, in the order of the ids. */
static void page_check(const struct recorded_measures *measures, struct arena *arena,
                       struct recorded_changes *changes)
{
    const PGresult *rows = measures->rows;
    int row = 0;
    for (size_t i = 0; i < measures->page; i++) {
        const struct recorded_profile *recorded = &measures->recorded[i];
        int first = row;
        struct err why = {0};
        bool is_usual = true;
        for (; row < PQntuples(rows) &&
               result_i64(rows, row, C_brief_measures_place) == (int64_t)i + 1;
             row++)
            is_usual &= recorded_measure_is_usual(result_f64(rows, row, C_brief_measures_value));
        struct section_digest found = rows_digest(rows, first, row, recorded_measure_columns);
        bool has_many = row - first > RECORDED_MEASURES_MAX;
        is_usual &= !has_many;
        if (!recorded_check(recorded, PROFILE_MEASURES, &found, &why) || !is_usual)
            change_add(changes, recorded->id,
                       is_usual ? why.text : recorded_measure_why(recorded->id, has_many, arena),
                       arena);
    }
}

bool recorded_measures_read(struct db *db, struct recorded_measures *measures, struct arena *arena,
                            struct err *err)
{
    scoped_arena page;
    arena_init(&page, MEASURES_BUDGET_BYTES);
    size_t left = measures->count - measures->at;
    const int64_t *ids = measures->ids + measures->at;
    measures->page = left < MEASURES_PAGE ? left : MEASURES_PAGE;
    PQclear(measures->rows);
    measures->rows = NULL;
    return measures->page == 0 ||
           (recorded_read(db, ids, measures->page, arena, &measures->recorded, err) &&
            query_run(db, Q_brief_measures,
                      ARGS(arg_i64s(&page, ids, measures->page), arg_i64(RECORDED_MEASURES_MAX)),
                      &measures->rows, err));
}

bool recorded_measures_check(struct db *db, struct recorded_measures *measures, struct arena *arena,
                             struct recorded_changes *ret_changes, struct err *err)
{
    struct recorded_changes changes = {0};
    while (measures->page > 0) {
        page_check(measures, arena, &changes);
        measures->at += measures->page;
        if (!arena_ok(arena, "the hashes of profiles", err) ||
            !recorded_measures_read(db, measures, arena, err))
            return false;
    }
    *ret_changes = changes;
    return true;
}

bool recorded_section(struct db *db, int64_t profile_id, enum profile_section section,
                      struct section_digest *ret_digest, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    struct content_page page = {.kind = ENTRY_PROFILE,
                                .ids = &profile_id,
                                .count = 1,
                                .first = profile_id,
                                .last = profile_id};
    if (!content_read(db, &page, &arena, err))
        return false;
    *ret_digest = page.sections[section];
    return true;
}

bool recorded_check_whole(struct db *db, enum entry_kind kind, int64_t id, struct err *err)
{
    size_t length;
    scoped_arena arena;
    scoped_result *row = NULL;
    const struct subject subject = {kind, id, 0};
    arena_init(&arena, PAGE_BUDGET_BYTES);
    struct content_page page = {.kind = kind, .ids = &id, .count = 1, .first = id, .last = id};
    if (!query_run(db, Q_entry_content, ARGS(entry_kinds[kind].name, id), &row, err))
        return false;
    if (PQntuples(row) == 0)
        return no_entry(&subject, err);
    const uint8_t *wanted = result_bytes(row, 0, C_entry_content_content_sha256, &length);
    return content_read(db, &page, &arena, err) &&
           ((length == SHA256_BYTES && digests_make_hash(kind, page.sections, wanted)) ||
            changed(&subject, "content", err));
}

/* ---- words ----------------------------------------------------------------------------------- */

enum { WORD_SECTIONS = 2 /* and where it came from */ };
/* The statements of all words begin with the columns that corrections_recorded has. */
static const struct column_range origin_columns = {C_corrections_recorded_origin_id, 3};

bool recorded_check_word(enum entry_kind kind, const PGresult *rows, int row, struct err *err)
{
    size_t length;
    struct section_digest sections[WORD_SECTIONS] = {0};
    const struct subject subject = {kind, result_i64(rows, row, C_corrections_recorded_id),
                                    result_i64(rows, row, C_corrections_recorded_of_profile)};
    if (result_is_null(rows, row, C_corrections_recorded_content_sha256))
        return no_entry(&subject, err);
    const uint8_t *wanted = result_bytes(rows, row, C_corrections_recorded_content_sha256, &length);
    sections[0] =
        rows_digest(rows, row, row + 1,
                    (struct column_range){C_corrections_recorded_content_id,
                                          PQnfields(rows) - C_corrections_recorded_content_id});
    if (!result_is_null(rows, row, origin_columns.first))
        sections[1] = rows_digest(rows, row, row + 1, origin_columns);
    return (length == SHA256_BYTES && digests_make_hash(kind, sections, wanted)) ||
           changed(&subject, "content", err);
}

bool recorded_check_words(struct db *db, enum entry_kind kind, enum query_id id,
                          const struct args *args, struct err *err)
{
    scoped_result *rows = NULL;
    if (!query_run(db, id, args, &rows, err))
        return false;
    for (int row = 0; row < PQntuples(rows); row++)
        if (!recorded_check_word(kind, rows, row, err))
            return false;
    return true;
}
