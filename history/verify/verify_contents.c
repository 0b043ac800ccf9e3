/* Reads every subject's rows again, a page of subjects at a time, in the order of their ids: rows
 * of one profile lie together, those of one series do not. */
#include "history/verify/verify_run.h"

#include "history/chain/chain.h"
#include "history/client/client.h"

#include <inttypes.h>
#include <string.h>

enum { SUBJECT_PAGE = 400 };
static const size_t PAGE_BUDGET_BYTES = (size_t)16 << 20;

struct subject_page {
    const PGresult *entries; /* subject_id, chain, position, content_sha256, recorded_by */
    struct content_page content;
};

static void subject_check(struct verify_run *run, const struct subject_page *page, int row)
{
    size_t length;
    uint8_t computed[SHA256_BYTES];
    const struct content_page *content = &page->content;
    const struct entry_kind_info *info = &entry_kinds[content->kind];
    const struct section_digest *sections = &content->sections[(size_t)row * info->section_count];
    const struct verify_place place = (struct verify_place){
        .chain = result_text(page->entries, row, C_entry_subjects_chain),
        .position = result_i64(page->entries, row, C_entry_subjects_position),
        .prefix = entry_kinds[page->content.kind].prefix,
        .subject_id = result_i64(page->entries, row, C_entry_subjects_subject_id),
    };
    const uint8_t *stored =
        result_bytes(page->entries, row, C_entry_subjects_content_sha256, &length);
    const char *who = result_text(page->entries, row, C_entry_subjects_recorded_by);
    run->report->subject_count++;
    content_digest(content->kind, sections, computed);
    if (sections[0].rows == 0)
        verify_note(run, &place, "the %s is gone: it was removed", info->name);
    else if (length != SHA256_BYTES || memcmp(computed, stored, SHA256_BYTES) != 0)
        verify_note(
            run, &place,
            "the %s is not what was recorded: it was changed, or %.60s gave it a wrong hash",
            info->name, who == NULL ? "who appended it" : who);
}

static void strays_check(struct verify_run *run, const struct content_page *content)
{
    const struct entry_kind_info *info = &entry_kinds[content->kind];
    const struct verify_place place = {.prefix = info->prefix, .subject_id = content->stray_id};
    static const struct verify_place nowhere = {0};
    if (content->stray_rows > 0 && content->stray_id == INT64_MIN)
        verify_note(run, &nowhere,
                    "%" PRId64 " rows (%s) lie on another day than their profile, where nobody "
                    "finds them, or belong to none: they were changed or put in",
                    content->stray_rows, content->stray_section);
    else if (content->stray_rows > 0)
        verify_note(run, &place,
                    "%" PRId64 " rows from here on (%s) belong to no entry: they were put in",
                    content->stray_rows, content->stray_section);
}

/* *from: where this page starts and the next one will. *ret_done: it was the last. */
static bool page_take(struct verify_run *run, enum entry_kind kind, int64_t *from, bool *ret_done,
                      struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    scoped_result *entries = NULL;
    if (!query_run(run->db, Q_entry_subjects,
                   ARGS(entry_kinds[kind].name, arg_i64(*from == INT64_MIN ? INT64_MIN : *from - 1),
                        arg_i64(SUBJECT_PAGE)),
                   &entries, err))
        return false;
    struct subject_page page = {
        .entries = entries,
        .content = {.kind = kind, .count = (size_t)PQntuples(entries), .first = *from},
    };
    struct content_page *content = &page.content;
    const int64_t *ids = result_ids(entries, C_entry_subjects_subject_id, &arena);
    content->ids = ids;
    content->last = content->count < SUBJECT_PAGE ? INT64_MAX : ids[content->count - 1];
    if (!content_page_read(run->db, content, &arena, err))
        return false;
    for (size_t i = 0; i < content->count; i++)
        subject_check(run, &page, (int)i);
    strays_check(run, content);
    *ret_done = page.content.last == INT64_MAX;
    *from = *ret_done ? INT64_MAX : page.content.last + 1;
    return true;
}

static bool derived_check(struct verify_run *run, struct err *err)
{
    static const struct verify_place nowhere = {0};
    const char *kinds[ENTRY_KIND_COUNT];
    size_t count = 0;
    scoped_result *wrong = NULL;
    for (int kind = 0; kind < ENTRY_KIND_COUNT; kind++)
        for (size_t i = 0; i < entry_kinds[kind].section_count; i++)
            if (entry_kinds[kind].sections[i].id == Q_content_origin)
                kinds[count++] = entry_kinds[kind].name;
    if (!query_run(run->db, Q_derived_check, ARGS(arg_texts(run->arena, kinds, count)), &wrong,
                   err))
        return false;
    for (int row = 0; row < PQntuples(wrong); row++)
        verify_note(run, &nowhere, "%s is not what the rest says, or belongs to nothing",
                    result_text(wrong, row, C_derived_check_what));
    return true;
}

bool verify_contents(struct verify_run *run, struct err *err)
{
    for (int kind = 0; kind < ENTRY_KIND_COUNT; kind++) {
        int64_t from = run->from[kind];
        for (bool done = from == INT64_MAX; !done;)
            if (!page_take(run, (enum entry_kind)kind, &from, &done, err))
                return false;
    }
    return derived_check(run, err);
}
