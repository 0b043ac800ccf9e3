/* Reads archives: lines are few and small, rows are passed through in small parts. */
#include "history/archive/archive_read.h"

#include "history/client/client.h"
#include "ops/runtime/digest.h"
#include "ops/runtime/file.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART_BYTES = 32768, ID_BYTES = 8, COLUMN_BYTES_MAX = 1 << 30 };

/* ---- the file -------------------------------------------------------------------------------- */

enum { ARCHIVE_LINE_BYTES_MAX = 65536 };

struct archive_input { /* start with {0} */
    const char *path;
    FILE *stream;
    struct sha256 *hash;
    int64_t offset; /* bytes read so far */
};

#define scoped_archive_input __attribute__((cleanup(archive_input_close))) struct archive_input

enum { FAULT_BYTES = 400 };

/* ERR_INPUT with the place in the file. */
__attribute__((format(printf, 3, 4))) static bool archive_input_fault(
    const struct archive_input *input, struct err *err, const char *format, ...)
{
    char what[FAULT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return err_set(err, ERR_INPUT, "%s: before byte %" PRId64 ": %s", input->path, input->offset,
                   what);
}

/* ERR_MISSING, ERR_INPUT. archive_input_close accepts a zeroed one. */
static bool archive_input_open(struct archive_input *input, const char *path, struct err *err)
{
    input->path = path;
    input->stream = file_stream(path, err);
    if (input->stream == NULL)
        return false;
    input->hash = sha256_new();
    return true;
}

static void archive_input_close(struct archive_input *input)
{
    if (input->stream != NULL)
        (void)fclose(input->stream);
    sha256_free(input->hash);
    *input = (struct archive_input){0};
}

static bool input_ended(const struct archive_input *input, struct err *err)
{
    if (ferror(input->stream))
        return err_set_errno(err, ERR_INPUT, "cannot read %s", input->path);
    return archive_input_fault(input, err, "the archive ends here: it is torn");
}

/* A line without its newline, at most ARCHIVE_LINE_BYTES_MAX. ERR_INPUT at the end of the file. */
static bool archive_input_line(struct archive_input *input, struct text *ret_line, struct err *err)
{
    int c;
    ret_line->length = 0;
    while ((c = getc_unlocked(input->stream)) != EOF && c != '\n') {
        if (ret_line->length == ARCHIVE_LINE_BYTES_MAX)
            return archive_input_fault(input, err, "a line has more than %d bytes",
                                       ARCHIVE_LINE_BYTES_MAX);
        text_addc(ret_line, (char)c);
    }
    if (!text_ok(ret_line, "a line of the archive", err))
        return false;
    sha256_add(input->hash, text_string(ret_line), ret_line->length);
    input->offset += (int64_t)ret_line->length;
    if (c == EOF)
        return input_ended(input, err);
    sha256_add(input->hash, "\n", 1);
    input->offset++;
    return true;
}

/* Exactly so many bytes. */
static bool archive_input_bytes(struct archive_input *input, void *ret_bytes, size_t length,
                                struct err *err)
{
    size_t got = fread(ret_bytes, 1, length, input->stream);
    sha256_add(input->hash, ret_bytes, got);
    input->offset += (int64_t)got;
    return got == length || input_ended(input, err);
}

/* ---- what it says ---------------------------------------------------------------------------- */

static const int64_t ROWS_MAX = INT64_C(1) << 40; /* of one section: their sum is a number, too */

const char archive_version[] = "archive.v1";

struct reading {
    struct archive_input input;
    const struct archive_sink *sink;
    struct archive_file *file;
    struct archive_profile page[ARCHIVE_PAGE];
    size_t count; /* profiles of the page */
    bool in_rows; /* rows came already: the next profile starts a page */
    int64_t last_id;
    struct text line;
    uint8_t part[PART_BYTES];
};

static const char *text_of(const json_t *line, const char *member)
{
    const char *text = json_string_value(json_object_get(line, member));
    return text == NULL ? "" : text;
}

static bool hash_of(const json_t *line, const char *member, uint8_t out[SHA256_BYTES])
{
    return hex_read(text_of(line, member), out, SHA256_BYTES);
}

static bool id_of(const json_t *line, const char *member, int64_t *ret_id)
{
    const char *name = text_of(line, member);
    return name[0] == 'p' && text_parse_i64(name + 1, ret_id) && *ret_id > 0;
}

/* PROFILE_SECTION_COUNT for a name that is none. */
static size_t section_of(const char *name)
{
    const struct entry_section *sections = entry_kinds[ENTRY_PROFILE].sections;
    size_t section = 0;
    while (section < PROFILE_SECTION_COUNT && strcmp(sections[section].name, name) != 0)
        section++;
    return section;
}

static bool is_monthly(size_t section)
{
    return section < PROFILE_SECTION_COUNT && entry_kinds[ENTRY_PROFILE].sections[section].monthly;
}

/* ---- profiles -------------------------------------------------------------------------------- */

static bool section_take(struct reading *reading, const json_t *item,
                         struct archive_profile *profile, struct err *err)
{
    size_t section = section_of(text_of(item, "name"));
    if (section == PROFILE_SECTION_COUNT)
        return archive_input_fault(&reading->input, err, "p%" PRId64 " has an unknown section",
                                   profile->id);
    struct section_digest *digest = &profile->sections[section];
    digest->rows = json_integer_value(json_object_get(item, "rows"));
    if (digest->rows <= 0 || digest->rows > ROWS_MAX)
        return archive_input_fault(&reading->input, err,
                                   "p%" PRId64 ": section %s cannot have %" PRId64 " rows",
                                   profile->id, text_of(item, "name"), digest->rows);
    return hash_of(item, "sha256", digest->sha256) ||
           archive_input_fault(&reading->input, err, "p%" PRId64 ": section %s without a hash",
                               profile->id, text_of(item, "name"));
}

/* Every monthly row of the page that its profiles speak of was there. */
static bool page_end(struct reading *reading, struct err *err)
{
    for (size_t i = 0; i < reading->count; i++) {
        const struct archive_profile *profile = &reading->page[i];
        for (size_t section = 0; section < PROFILE_SECTION_COUNT; section++)
            if (is_monthly(section) && profile->sections[section].rows > 0 &&
                (profile->seen >> section & 1) == 0)
                return archive_input_fault(&reading->input, err,
                                           "the rows of p%" PRId64 " (%s) are missing", profile->id,
                                           entry_kinds[ENTRY_PROFILE].sections[section].name);
    }
    reading->count = 0;
    reading->in_rows = false;
    return true;
}

static bool profile_take(struct reading *reading, const json_t *line, struct err *err)
{
    size_t i;
    json_t *item;
    if (reading->in_rows && !page_end(reading, err))
        return false;
    struct archive_profile *profile = &reading->page[reading->count];
    if (reading->count == ARCHIVE_PAGE)
        return archive_input_fault(&reading->input, err, "more than %d profiles in a row",
                                   ARCHIVE_PAGE);
    *profile = (struct archive_profile){0};
    if (!id_of(line, "id", &profile->id) || profile->id <= reading->last_id ||
        !hash_of(line, "content_sha256", profile->content_sha256))
        return archive_input_fault(&reading->input, err,
                                   "a profile without a hash, or out of the order of ids");
    json_array_foreach (json_object_get(line, "sections"), i, item)
        if (!section_take(reading, item, profile, err))
            return false;
    uint8_t computed[SHA256_BYTES];
    content_digest(ENTRY_PROFILE, profile->sections, computed);
    if (memcmp(computed, profile->content_sha256, SHA256_BYTES) != 0)
        return archive_input_fault(&reading->input, err,
                                   "the hashes of p%" PRId64 " do not make up its content: it was "
                                   "changed",
                                   profile->id);
    reading->count++;
    reading->last_id = profile->id;
    reading->file->profile_count++;
    return reading->sink->profile == NULL ||
           reading->sink->profile(reading->sink->context, profile, err);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool part_read(struct reading *reading, struct row_hash *hash, size_t length,
                      struct err *err)
{
    if (!archive_input_bytes(&reading->input, reading->part, length, err))
        return false;
    row_hash_bytes(hash, reading->part, length);
    return reading->sink->bytes == NULL ||
           reading->sink->bytes(reading->sink->context, reading->part, length, err);
}

/* The first column of every row is the profile's id. */
static bool column_read(struct reading *reading, struct row_hash *hash, int64_t id, bool is_first,
                        struct err *err)
{
    if (!part_read(reading, hash, 4, err))
        return false;
    uint64_t length = be_get(reading->part, 4);
    if (length == UINT32_MAX && !is_first)
        return true;
    if (length > COLUMN_BYTES_MAX || (is_first && length != ID_BYTES))
        return archive_input_fault(&reading->input, err, "a row of p%" PRId64 " is no row", id);
    for (size_t part; length > 0; length -= part) {
        part = length < PART_BYTES ? (size_t)length : PART_BYTES;
        if (!part_read(reading, hash, part, err))
            return false;
    }
    if (is_first && (int64_t)be_get(reading->part, ID_BYTES) != id)
        return archive_input_fault(&reading->input, err,
                                   "a row among those of p%" PRId64 " is not its own", id);
    return true;
}

static bool row_read(struct reading *reading, struct row_hash *hash, int64_t id, int columns,
                     struct err *err)
{
    const struct archive_sink *sink = reading->sink;
    uint8_t count[2];
    if (!archive_input_bytes(&reading->input, count, sizeof count, err))
        return false;
    if (be_get(count, sizeof count) != (uint64_t)columns)
        return archive_input_fault(&reading->input, err, "a row of p%" PRId64 " is no row", id);
    row_hash_row(hash, columns);
    if (sink->row != NULL && !sink->row(sink->context, columns, err))
        return false;
    for (int column = 0; column < columns; column++)
        if (!column_read(reading, hash, id, column == 0, err))
            return false;
    return sink->row_end == NULL || sink->row_end(sink->context, err);
}

static bool rows_take(struct reading *reading, const json_t *line, struct err *err)
{
    int64_t id = 0;
    size_t i = 0, section = section_of(text_of(line, "section"));
    (void)id_of(line, "profile", &id);
    while (i < reading->count && reading->page[i].id != id)
        i++;
    if (i == reading->count || !is_monthly(section) || reading->page[i].sections[section].rows == 0)
        return archive_input_fault(&reading->input, err, "rows of nobody");
    struct archive_profile *profile = &reading->page[i];
    if ((profile->seen >> section & 1) != 0)
        return archive_input_fault(&reading->input, err, "the rows of p%" PRId64 " come twice", id);
    profile->seen |= UINT32_C(1) << section;
    reading->in_rows = true;
    reading->file->row_count += profile->sections[section].rows;
    const struct archive_sink *sink = reading->sink;
    if (sink->rows != NULL && !sink->rows(sink->context, id, (enum profile_section)section, err))
        return false;
    const struct section_digest *wanted = &profile->sections[section];
    uint8_t newline;
    scoped_row_hash hash = {0};
    row_hash_begin(&hash);
    const char *list = queries[entry_kinds[ENTRY_PROFILE].sections[section].id].columns;
    int column_count = 0;
    while (pg_type_next(&list) != 0)
        column_count++;
    for (int64_t row = 0; row < wanted->rows; row++)
        if (!row_read(reading, &hash, profile->id, column_count, err))
            return false;
    if (!archive_input_bytes(&reading->input, &newline, 1, err))
        return false;
    const struct section_digest digest = row_hash_end(&hash);
    if (newline == '\n' && memcmp(digest.sha256, wanted->sha256, SHA256_BYTES) == 0)
        return true;
    return archive_input_fault(&reading->input, err,
                               "the rows of p%" PRId64 " (%s) are not what was recorded: they were "
                               "changed",
                               profile->id, entry_kinds[ENTRY_PROFILE].sections[section].name);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool end_take(struct reading *reading, const json_t *line, struct err *err)
{
    struct archive_file *file = reading->file;
    if (!page_end(reading, err))
        return false;
    if (json_integer_value(json_object_get(line, "profiles")) != file->profile_count ||
        json_integer_value(json_object_get(line, "rows")) != file->row_count)
        return archive_input_fault(&reading->input, err, "the end speaks of other numbers");
    /* Nothing follows; the hash of the whole file. */
    struct archive_input *input = &reading->input;
    if (getc_unlocked(input->stream) != EOF)
        return archive_input_fault(input, err, "something follows the end");
    sha256_finish(input->hash, file->sha256);
    file->bytes = reading->input.offset;
    return true;
}

static json_t *line_read(struct reading *reading, struct err *err)
{
    enum { PLACE_BYTES = 600 };
    char place[PLACE_BYTES];
    if (!archive_input_line(&reading->input, &reading->line, err))
        return NULL;
    (void)snprintf(place, sizeof place, "%s: before byte %" PRId64, reading->input.path,
                   reading->input.offset);
    return json_parse(text_string(&reading->line), reading->line.length, place, err);
}

static bool archive_walk(struct reading *reading, const char *path, struct err *err)
{
    if (!archive_input_open(&reading->input, path, err))
        return false;
    scoped_json *head = line_read(reading, err);
    if (head == NULL)
        return false;
    const char *month = text_of(head, "month");
    if (strcmp(text_of(head, "type"), "archive") != 0 ||
        strcmp(text_of(head, "schema_version"), archive_version) != 0 ||
        json_integer_value(json_object_get(head, "content_version")) != CANONICAL_VERSION)
        return archive_input_fault(&reading->input, err, "this is no %s", archive_version);
    if (!archive_month_valid(month))
        return archive_input_fault(&reading->input, err, "the archive is of no month");
    memcpy(reading->file->month, month, ARCHIVE_MONTH_BYTES);
    for (;;) {
        scoped_json *line = line_read(reading, err);
        if (line == NULL)
            return false;
        const char *type = text_of(line, "type");
        if (strcmp(type, "end") == 0)
            return end_take(reading, line, err);
        if (strcmp(type, "profile") != 0 && strcmp(type, "rows") != 0)
            return archive_input_fault(&reading->input, err, "a line of no known type");
        if (!(type[0] == 'p' ? profile_take : rows_take)(reading, line, err))
            return false;
    }
}

bool archive_read(const char *path, const struct archive_sink *sink, struct archive_file *ret_file,
                  struct err *err)
{
    static const struct archive_sink nobody;
    struct archive_file file = {0};
    struct reading *reading = memory_zalloc(1, sizeof *reading);
    reading->sink = sink == NULL ? &nobody : sink;
    reading->file = &file;
    text_init(&reading->line, ARCHIVE_LINE_BYTES_MAX + 1);
    bool done = archive_walk(reading, path, err);
    archive_input_close(&reading->input);
    text_done(&reading->line);
    free(reading);
    if (done)
        *ret_file = file;
    return done;
}

bool archive_recognize(const char *path)
{
    scoped_archive_input input = {0};
    scoped_text line;
    text_init(&line, ARCHIVE_LINE_BYTES_MAX + 1);
    if (!archive_input_open(&input, path, NULL) || !archive_input_line(&input, &line, NULL))
        return false;
    scoped_json *head = json_parse(text_string(&line), line.length, path, NULL);
    return head != NULL && strcmp(text_of(head, "type"), "archive") == 0;
}
