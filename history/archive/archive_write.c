/* Writes a month into a file, a page of profiles at a time: first what the profiles are, each
 * verified against its entry, then their rows section by section, in the order in which the ledger
 * gives them. The file says nothing of when or where it was written: the same month makes the same
 * bytes. */
#include "history/archive/archive.h"
#include "history/archive/archive_entry.h"
#include "history/archive/archive_read.h"
#include "history/chain/chain.h"
#include "history/client/client.h"
#include "ops/runtime/file.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const size_t PAGE_BUDGET_BYTES = (size_t)16 << 20;

/* ---- the file -------------------------------------------------------------------------------- */

/* The file has its name only when it is whole: buffered, flushed, read again, and only then in its
 * place. */
struct archive_output {
    const char *path, *part; /* part: where it is until then */
    int fd;
    struct text buffer;
};

enum { BUFFER_BYTES = 1 << 18 };

static bool buffer_flush(struct archive_output *output, struct err *err)
{
    struct text *buffer = &output->buffer;
    if (!text_ok(buffer, "a part of the archive", err) ||
        !file_write_all(output->fd, text_string(buffer), buffer->length, output->part, err))
        return false;
    buffer->length = 0;
    return true;
}

/* Appends bytes; a line of JSON (takes it over). */
static bool archive_output_bytes(struct archive_output *output, const void *bytes, size_t length,
                                 struct err *err)
{
    if (output->buffer.length + length > BUFFER_BYTES && !buffer_flush(output, err))
        return false;
    if (length > BUFFER_BYTES)
        return file_write_all(output->fd, bytes, length, output->part, err);
    text_addn(&output->buffer, bytes, length);
    return true;
}

static bool archive_output_line(struct archive_output *output, json_t *line, struct err *err)
{
    scoped_json *owned = line;
    scoped_text text;
    text_init(&text, BUFFER_BYTES);
    json_print(owned, JSON_STYLE_LINE, &text);
    text_addc(&text, '\n');
    return text_ok(&text, "a line of the archive", err) &&
           archive_output_bytes(output, text_string(&text), text.length, err);
}

/* Flushes it to the disk, reads it again, and gives it its name. A file of that name stays what it
 * is, and is taken when it holds the same. ERR_INPUT otherwise. */
static bool archive_output_finish(struct archive_output *output, struct archive_file *ret_file,
                                  struct err *err)
{
    if (!buffer_flush(output, err))
        return false;
    /* Forgotten by the kernel, so that reading it again reads the disk. */
    if (fsync(output->fd) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot flush %s", output->part);
    (void)posix_fadvise(output->fd, 0, 0, POSIX_FADV_DONTNEED);
    if (!archive_read(output->part, NULL, ret_file, err))
        return false;
    bool is_named =
        renameat2(AT_FDCWD, output->part, AT_FDCWD, output->path, RENAME_NOREPLACE) == 0 ||
        (errno == EINVAL && link(output->part, output->path) == 0); /* a network's file system */
    if (!is_named && errno != EEXIST)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot write %s", output->path);
    /* What is there already may be all that is left of another month. */
    struct archive_file held;
    if (!is_named && (!archive_read(output->path, NULL, &held, NULL) ||
                      memcmp(held.sha256, ret_file->sha256, SHA256_BYTES) != 0))
        return err_set(err, ERR_INPUT,
                       "%s is there already and holds something else: name another file",
                       output->path);
    return file_folder_flush(output->path, err);
}

/* ---- what goes into it ----------------------------------------------------------------------- */

struct writing {
    struct db *db;
    const char *month;
    struct archive_output output;
    int64_t profile_count, row_count;
};

/* ---- profiles -------------------------------------------------------------------------------- */

static json_t *hash_json(const uint8_t *sha256)
{
    char hex[SHA256_HEX_BYTES];
    text_hex(sha256, SHA256_BYTES, hex);
    return json_string(hex);
}

static json_t *sections_json(const struct section_digest *sections)
{
    json_t *list = json_array();
    for (size_t i = 0; i < PROFILE_SECTION_COUNT; i++)
        if (sections[i].rows > 0)
            (void)json_array_append_new(list, json_pack("{ss, sI, so}", "name",
                                                        entry_kinds[ENTRY_PROFILE].sections[i].name,
                                                        "rows", (json_int_t)sections[i].rows,
                                                        "sha256", hash_json(sections[i].sha256)));
    return list;
}

static bool entry_check(const PGresult *profiles, int row, const struct section_digest *sections,
                        struct err *err)
{
    size_t length;
    uint8_t computed[SHA256_BYTES];
    int64_t id = result_i64(profiles, row, C_archive_profiles_id);
    if (result_is_null(profiles, row, C_archive_profiles_chain))
        return err_set(err, ERR_INPUT, "p%" PRId64 " has no entry: run `stepledger verify`", id);
    const uint8_t *recorded =
        result_bytes(profiles, row, C_archive_profiles_content_sha256, &length);
    content_digest(ENTRY_PROFILE, sections, computed);
    return (length == SHA256_BYTES && memcmp(computed, recorded, length) == 0) ||
           err_set(err, ERR_INPUT,
                   "p%" PRId64 " is not what was recorded: run `stepledger verify`; nothing was "
                   "archived",
                   id);
}

static bool profile_write(struct writing *writing, const PGresult *profiles, int row,
                          const struct section_digest *sections, struct err *err)
{
    char id[24];
    size_t ignored;
    if (!entry_check(profiles, row, sections, err))
        return false;
    (void)snprintf(id, sizeof id, "p%" PRId64, result_i64(profiles, row, C_archive_profiles_id));
    writing->profile_count++;
    return archive_output_line(
        &writing->output,
        json_pack(
            "{ss, ss, so, so, so, so, so, sI, so, so, so}", "type", "profile", "id", id, "project",
            json_text(result_text(profiles, row, C_archive_profiles_project)), "workload",
            json_text(result_text(profiles, row, C_archive_profiles_workload)), "run",
            json_text(result_text(profiles, row, C_archive_profiles_run)), "trace_sha256",
            hash_json(result_bytes(profiles, row, C_archive_profiles_trace_sha256, &ignored)),
            "chain", json_text(result_text(profiles, row, C_archive_profiles_chain)), "position",
            (json_int_t)result_i64(profiles, row, C_archive_profiles_position), "content_sha256",
            hash_json(result_bytes(profiles, row, C_archive_profiles_content_sha256, &ignored)),
            "entry_sha256",
            hash_json(result_bytes(profiles, row, C_archive_profiles_entry_sha256, &ignored)),
            "sections", sections_json(sections)),
        err);
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct section_writing {
    struct writing *writing;
    const PGresult *profiles;
    const char *name;
    int at;          /* the profile whose rows come */
    int64_t open_id; /* whose rows are being written; 0 = nobody's */
};

static bool rows_close(struct section_writing *section, struct err *err)
{
    bool was_open = section->open_id != 0;
    section->open_id = 0;
    return !was_open || archive_output_bytes(&section->writing->output, "\n", 1, err);
}

static bool rows_open(struct section_writing *section, int64_t id, struct err *err)
{
    char name[24];
    (void)snprintf(name, sizeof name, "p%" PRId64, id);
    if (!rows_close(section, err))
        return false;
    section->open_id = id;
    return archive_output_line(
        &section->writing->output,
        json_pack("{ss, ss, ss}", "type", "rows", "profile", name, "section", section->name), err);
}

static bool row_take(void *context, const uint8_t *row, size_t length, struct err *err)
{
    struct section_writing *section = context;
    int64_t id = content_subject_of(row);
    while (section->at < PQntuples(section->profiles) &&
           result_i64(section->profiles, section->at, C_archive_profiles_id) < id)
        section->at++;
    if (section->at == PQntuples(section->profiles) ||
        result_i64(section->profiles, section->at, C_archive_profiles_id) != id)
        return err_set(err, ERR_INPUT,
                       "rows of p%" PRId64 " (%s) belong to no profile: run `stepledger verify`; "
                       "nothing was archived",
                       id, section->name);
    if (!result_bool(section->profiles, section->at, C_archive_profiles_in_month))
        return true; /* of another month */
    if (section->open_id != id && !rows_open(section, id, err))
        return false;
    section->writing->row_count++;
    return archive_output_bytes(&section->writing->output, row, length, err);
}

/* ---- pages ----------------------------------------------------------------------------------- */

static bool page_write(struct writing *writing, const PGresult *profiles, struct arena *arena,
                       struct err *err)
{
    size_t count = (size_t)PQntuples(profiles);
    const int64_t *ids = result_ids(profiles, C_archive_profiles_id, arena);
    struct content_page page = {.kind = ENTRY_PROFILE, .ids = ids, .count = count};
    page.first = ids[0];
    page.last = ids[count - 1];
    if (!content_page_read(writing->db, &page, arena, err))
        return false;
    for (size_t i = 0; i < count; i++)
        if (result_bool(profiles, (int)i, C_archive_profiles_in_month) &&
            !profile_write(writing, profiles, (int)i, &page.sections[i * PROFILE_SECTION_COUNT],
                           err))
            return false;
    for (size_t i = 0; i < PROFILE_SECTION_COUNT; i++) {
        const struct entry_section *info = &entry_kinds[ENTRY_PROFILE].sections[i];
        struct section_writing section = {
            .writing = writing, .profiles = profiles, .name = info->name};
        const struct row_sink sink = {row_take, &section};
        if (info->monthly &&
            (!query_copy_out(writing->db, info->id, &sink, err) || !rows_close(&section, err)))
            return false;
    }
    return true;
}

/* *after: the last profile that was looked at. *ret_count: of this page. */
static bool page_take(struct writing *writing, int64_t *after, int64_t last, int *ret_count,
                      struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    scoped_result *profiles = NULL;
    if (!query_run(writing->db, Q_archive_profiles,
                   ARGS(*after, last, writing->month, arg_i64(ARCHIVE_PAGE)), &profiles, err))
        return false;
    *ret_count = PQntuples(profiles);
    if (*ret_count == 0)
        return true;
    *after = result_i64(profiles, *ret_count - 1, C_archive_profiles_id);
    return page_write(writing, profiles, &arena, err);
}

static bool month_write(struct writing *writing, struct err *err)
{
    scoped_transaction *open = NULL;
    scoped_result *month = NULL;
    if (!snapshot_open(writing->db, &open, err) ||
        !query_do(writing->db, Q_index_prefer, NULL, err) ||
        !query_row(writing->db, Q_archive_month, ARGS(writing->month), &month, err))
        return false;
    if (!result_is_null(month, 0, C_archive_month_archive_id))
        return err_set(err, ERR_MISSING, "%s is in %s already (x%" PRId64 ")", writing->month,
                       result_text(month, 0, C_archive_month_file_name),
                       result_i64(month, 0, C_archive_month_archive_id));
    if (result_i64(month, 0, C_archive_month_profile_count) == 0)
        return err_set(err, ERR_MISSING, "no profile was recorded in %s", writing->month);
    if (!archive_output_line(&writing->output,
                             json_pack("{ss, ss, si, ss}", "type", "archive", "schema_version",
                                       archive_version, "content_version", CANONICAL_VERSION,
                                       "month", writing->month),
                             err))
        return false;
    int count = 1;
    int64_t after = result_i64(month, 0, C_archive_month_first_id) - 1,
            last = result_i64(month, 0, C_archive_month_last_id);
    while (count > 0)
        if (!page_take(writing, &after, last, &count, err))
            return false;
    /* Rows that lie in the month and belong to a profile of another one would go unseen. */
    int64_t held;
    if (!query_number(writing->db, Q_archive_rows_held, ARGS(writing->month), &held, err))
        return false;
    if (held != writing->row_count)
        return err_set(err, ERR_INPUT,
                       "the partitions of %s hold %" PRId64 " rows, its profiles %" PRId64
                       ": some were put in; nothing was archived",
                       writing->month, held, writing->row_count);
    return archive_output_line(&writing->output,
                               json_pack("{ss, sI, sI}", "type", "end", "profiles",
                                         (json_int_t)writing->profile_count, "rows",
                                         (json_int_t)writing->row_count),
                               err);
}

bool archive_write(struct db *db, const char *month, const char *path,
                   struct archive_file *ret_file, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, 2 * strlen(path) + 4096);
    struct writing writing = {.db = db, .month = month};
    if (!archive_month_check(month, err))
        return false;
    struct archive_output *output = &writing.output;
    char *part;
    output->path = path;
    text_init(&output->buffer, BUFFER_BYTES);
    output->fd = file_part_open(path, &arena, &part, err);
    output->part = part;
    bool done = output->fd >= 0 && month_write(&writing, err) &&
                archive_output_finish(output, ret_file, err);
    /* Closes it, and removes what did not get its name. */
    text_done(&output->buffer);
    if (output->fd >= 0 && close(output->fd) == 0)
        (void)unlink(output->part);
    return done;
}
