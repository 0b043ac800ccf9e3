/* Reads content section by section: rows come in the order of subjects, so one hash at a time is in
 * the making. */
#include "history/chain/content.h"

#include "history/client/client.h"

#include <inttypes.h>
#include <string.h>

struct section_reader {
    struct content_page *page;
    size_t section;
    size_t at; /* the subject whose rows come */
    struct row_hash hash;
};

static struct section_digest *digest_at(const struct content_page *page, size_t subject,
                                        size_t section)
{
    return &page->sections[subject * entry_kinds[page->kind].section_count + section];
}

static void subject_end(struct section_reader *reader)
{
    if (reader->hash.state != NULL)
        *digest_at(reader->page, reader->at, reader->section) = row_hash_end(&reader->hash);
}

int64_t content_subject_of(const uint8_t *row)
{
    enum { LENGTH_AT = 2, VALUE_AT = 6 };
    return be_get(row + LENGTH_AT, 4) == 8 ? (int64_t)be_get(row + VALUE_AT, 8) : INT64_MIN;
}

static bool row_take(void *context, const uint8_t *row, size_t length, struct err *err)
{
    struct section_reader *reader = context;
    struct content_page *page = reader->page;
    int64_t id = content_subject_of(row);
    (void)err;
    if (reader->at < page->count && page->ids[reader->at] < id) {
        subject_end(reader);
        while (reader->at < page->count && page->ids[reader->at] < id)
            reader->at++;
    }
    if (reader->at == page->count || page->ids[reader->at] != id) {
        if (page->stray_rows++ == 0) {
            page->stray_id = id;
            page->stray_section = entry_kinds[page->kind].sections[reader->section].name;
        }
        return true;
    }
    if (reader->hash.state == NULL)
        row_hash_begin(&reader->hash);
    reader->hash.rows++; /* it is in canonical form */
    row_hash_bytes(&reader->hash, row, length);
    return true;
}

/* Rows that left for an archive are known by their hash. Where rows are all the same, theirs
 * stands. */
static void archived_take(struct content_page *page, const PGresult *archived, int row)
{
    size_t length, section = 0, at = 0;
    const int64_t id = result_i64(archived, row, C_archived_sections_of_profile_id);
    const struct entry_kind_info *info = &entry_kinds[page->kind];
    const uint8_t *sha256 = result_bytes(archived, row, C_archived_sections_of_sha256, &length);
    while (at < page->count && page->ids[at] != id)
        at++;
    while (section < info->section_count &&
           strcmp(info->sections[section].name,
                  result_text(archived, row, C_archived_sections_of_section)) != 0)
        section++;
    if (at == page->count || section == info->section_count || length != SHA256_BYTES)
        return;
    struct section_digest *digest = digest_at(page, at, section);
    if (!info->sections[section].monthly || digest->rows > 0)
        return;
    digest->rows = result_i64(archived, row, C_archived_sections_of_row_count);
    memcpy(digest->sha256, sha256, SHA256_BYTES);
}

bool content_page_read(struct db *db, struct content_page *page, struct arena *arena,
                       struct err *err)
{
    size_t section_count = entry_kinds[page->kind].section_count;
    page->stray_rows = 0;
    page->sections = arena_array(arena, struct section_digest, page->count * section_count);
    if (!query_do(db, Q_content_range, ARGS(page->first, page->last, entry_kinds[page->kind].name),
                  err))
        return false;
    for (size_t i = 0; i < section_count; i++) {
        struct section_reader reader = {.page = page, .section = i};
        const struct row_sink sink = {row_take, &reader};
        bool done = query_copy_out(db, entry_kinds[page->kind].sections[i].id, &sink, err);
        subject_end(&reader);
        if (!done)
            return false;
    }
    scoped_result *archived = NULL;
    if (page->kind != ENTRY_PROFILE)
        return true;
    if (!query_run(db, Q_archived_sections_of, ARGS(page->first, page->last), &archived, err))
        return false;
    for (int row = 0; row < PQntuples(archived); row++)
        archived_take(page, archived, row);
    return true;
}

bool content_read_one(struct db *db, enum entry_kind kind, int64_t id, uint8_t out[SHA256_BYTES],
                      struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, 65536);
    struct content_page page = {.kind = kind, .ids = &id, .count = 1, .first = id, .last = id};
    if (!content_page_read(db, &page, &arena, err))
        return false;
    if (page.sections[0].rows != 1)
        return err_set(err, ERR_MISSING, "the ledger holds no %s %s%" PRId64,
                       entry_kinds[kind].name, entry_kinds[kind].prefix, id);
    content_digest(kind, page.sections, out);
    return true;
}
