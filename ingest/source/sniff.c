/* Signatures, from the formats' own first bytes:
 * XSpace has messages in field 1 whose own field 1 is a number (XPlane.id), and texts in fields 2
 * to
 * 4. HloProto has a module in field 1 whose fields 1 and 2 are texts; a pprof profile has pairs of
 * numbers there; the tables that xprof stores have kernels (a text, then numbers) in field 1, or
 * messages in fields 2 and 4.
 */
#include "ingest/source/sniff.h"

#include "ops/runtime/arena.h"

#include <isa-l/igzip_lib.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = 64 * 1024 };

static const char compressed_xplane[] =
    "is an XPlane file compressed with gzip: decompress it (gunzip) and give the *.xplane.pb";
/* The kinds that are no refusal. */
static const char trace[] = "is a trace in Chrome's JSON format";
static const char nsys_sqlite[] = "is an SQLite database such as `nsys export` writes";
static const char pprof[] = "is a pprof profile";
static const char xprof_json[] =
    "is a table that xprof or TensorBoard made from a profile: give the *.xplane.pb that it was "
    "made from";
static const char memory_json[] =
    "is a memory profile table of xprof, which has no steps: give the *.xplane.pb that it was made "
    "from";
static const char xprof_table[] =
    "is a table that the profiler stored beside a profile (kernel_stats, overview_page and the "
    "like): give the *.xplane.pb";
static const char nsys_report[] =
    "is a report of Nsight Systems, which only its own tool opens: export it with `nsys export "
    "--type sqlite FILE` and give the *.sqlite that this writes";
static const char packed_export[] =
    "is an SQLite database compressed with gzip: decompress it (gunzip) and give the *.sqlite";
static const char hlo_proto[] =
    "is a compiled program (HLO proto) and no profile: give the *.xplane.pb of a run of it";
static const char hlo_text[] =
    "is a compiled program (HLO text) and no profile: give the *.xplane.pb of a run of it";
static const char own_summary[] =
    "is a summary already: `stepledger query`, `report` and `compare` read it; a ledger takes the "
    "*.xplane.pb";
static const char other_json[] = "is JSON and no trace in Chrome's format: give the *.xplane.pb";
static const char no_members[] = "is an empty JSON object ({}): nothing was written; capture again";
static const char no_items[] = "is an empty JSON array ([]): no event was written; capture again";
static const char json_null[] =
    "is JSON's null and nothing else: nothing was written; capture again";
static const char json_value[] =
    "is JSON, but one number, text, true or false: give a trace, or the *.xplane.pb";
static const char utf16[] =
    "is text in UTF-16, which no profiler writes: convert it (iconv -f UTF-16 -t UTF-8)";
static const char web_page[] =
    "is a web page (HTML) and no profile: what was asked for was not what the server sent; fetch "
    "the file again";
static const char git_pointer[] = "is a Git LFS pointer: fetch the file itself (git lfs pull)";
static const char other_text[] = "is text and no profile: give the *.xplane.pb, or a trace";
static const char blanks_alone[] = "holds nothing but blanks: capture again";
static const char empty_file[] =
    "is empty (0 bytes): the process that wrote it probably ended before the capture did, or the "
    "disk was full; capture again";
static const char zip_archive[] = "is a zip archive: unpack it and give the *.xplane.pb";
static const char packed[] = "is compressed in a way that is not read: decompress it";
static const char packed_other[] =
    "is compressed with gzip and holds no profile that is known: give the *.xplane.pb";
static const char packed_twice[] =
    "is compressed with gzip twice, one around the other: decompress it once (gunzip)";
static const char broken_gzip[] = "is compressed with gzip and cannot be opened: it is broken";
static const char nothing_in_gzip[] = "is compressed with gzip and holds nothing: capture again";

/* ---- texts ----------------------------------------------------------------------------------- */

struct head {
    const uint8_t *bytes;
    size_t length;
};

static bool begins(struct head head, const void *bytes, size_t length)
{
    return head.length >= length && memcmp(head.bytes, bytes, length) == 0;
}
#define BEGINS(head, text) begins((head), (text), sizeof(text) - 1)

static bool holds(struct head head, const char *text)
{
    return memmem(head.bytes, head.length, text, strlen(text)) != NULL;
}

static const char *json_kind(struct head head)
{
    static const struct {
        const char *mark, *kind;
    } marks[] = {
        {"\"profile_summary.v1\"", own_summary},
        {"\"deviceProperties\"", trace},
        {"\"schemaVersion\"", trace},
        {"\"traceEvents\"", trace},
        {"\"ph\"", trace},
        {"\"memoryProfilePerAllocator\"", memory_json},
        {"\"memoryIds\"", memory_json},
        {"\"cols\"", xprof_json},
        {"\"byCategory\"", xprof_json},
        {"\"byProgram\"", xprof_json},
        {"\"podStatsSequence\"", xprof_json},
        {"\"hloModule\"", xprof_json},
    };
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (holds(head, marks[i].mark))
            return marks[i].kind;
    }
    return other_json;
}

static size_t blanks_skip(struct head head, size_t at)
{
    while (at < head.length &&
           (head.bytes[at] == ' ' || (head.bytes[at] >= '\t' && head.bytes[at] <= '\r')))
        at++;
    return at;
}

/* An object with a first member, or an array of something; *ret_empty: of nothing. */
static bool is_json(struct head head, bool *ret_empty)
{
    size_t at = blanks_skip(head, 0);
    *ret_empty = false;
    if (at == head.length || (head.bytes[at] != '{' && head.bytes[at] != '['))
        return false;
    bool object = head.bytes[at] == '{';
    at = blanks_skip(head, at + 1);
    *ret_empty = at < head.length && head.bytes[at] == (object ? '}' : ']') &&
                 blanks_skip(head, at + 1) == head.length;
    return *ret_empty ||
           (at < head.length && memchr(object ? "\"}" : "\"{[", head.bytes[at], object ? 2 : 3));
}

/* Takes away a mark of the byte order in UTF-8, which some writers set before text. */
static struct head mark_skip(struct head head)
{
    if (BEGINS(head, "\xef\xbb\xbf")) {
        head.bytes += 3;
        head.length -= 3;
    }
    return head;
}

/* The mark of its byte order, or what JSON begins with in its two bytes. */
static bool is_utf16(struct head head)
{
    const bool marked = BEGINS(head, "\xff\xfe") || BEGINS(head, "\xfe\xff");
    const bool unmarked = begins(head, "{\0", 2) || begins(head, "[\0", 2) ||
                          begins(head, "\0{", 2) || begins(head, "\0[", 2);
    return head.length >= 4 && (marked || unmarked) && memchr(head.bytes, 0, head.length) != NULL;
}

/* ---- messages -------------------------------------------------------------------------------- */

static bool number_take(struct head *head, uint64_t *ret_number)
{
    uint64_t number = 0;
    for (size_t i = 0; i < head->length && i < 10; i++) {
        number |= (uint64_t)(head->bytes[i] & 0x7f) << (7 * i);
        if (head->bytes[i] >= 0x80)
            continue;
        *ret_number = number;
        head->bytes += i + 1;
        head->length -= i + 1;
        return true;
    }
    return false;
}

/* Takes `tag length` and leaves the bytes that follow, as far as they are there. */
static bool field_take(struct head *head, uint8_t tag, uint64_t *ret_length)
{
    if (head->length == 0 || head->bytes[0] != tag)
        return false;
    head->bytes++;
    head->length--;
    return number_take(head, ret_length);
}

static bool is_text(struct head head, uint64_t length)
{
    size_t most = length < head.length ? (size_t)length : head.length;
    for (size_t i = 0; i < most; i++) {
        bool blank = head.bytes[i] == '\t' || head.bytes[i] == '\n' || head.bytes[i] == '\r';
        if ((head.bytes[i] < 0x20 && !blank) || head.bytes[i] == 0x7f)
            return false;
    }
    return most > 0;
}

/* Takes a field that is a whole text. */
static bool text_take(struct head *head, uint8_t tag)
{
    uint64_t length;
    if (!field_take(head, tag, &length) || length > head->length || !is_text(*head, length))
        return false;
    head->bytes += length;
    head->length -= (size_t)length;
    return true;
}

enum { TAG_1_NUMBER = 0x08, TAG_1 = 0x0a, TAG_2_NUMBER = 0x10, TAG_2 = 0x12, TAG_4 = 0x22 };
enum { LAST_PLANE_FIELD = 6 };

static const char *message_kind(struct head head)
{
    struct head inner = head;
    uint64_t length, number;
    if (field_take(&inner, TAG_1, &length)) {
        struct head named = inner, pair = inner;
        if (text_take(&named, TAG_1))
            return text_take(&named, TAG_2) ? hlo_proto : xprof_table;
        if (pair.length > 2 && pair.bytes[0] == TAG_1_NUMBER) {
            pair.bytes++;
            pair.length--;
            if (number_take(&pair, &number) && pair.length > 0 && pair.bytes[0] == TAG_2_NUMBER)
                return pprof;
        }
        return inner.length > 0 && inner.bytes[0] >> 3 > LAST_PLANE_FIELD ? xprof_table : NULL;
    }
    bool other = field_take(&inner, TAG_2, &length) || field_take(&inner, TAG_4, &length);
    return other && length > 0 && inner.length > 0 && !is_text(inner, length) ? xprof_table : NULL;
}

/* An XSpace begins with a plane (whose first field is a number or text of its own), or with the
 * text of an error, a warning or a host. */
static bool may_be_xspace(struct head head)
{
    uint64_t length;
    for (uint8_t tag = TAG_2; tag <= TAG_4; tag += 8) {
        struct head text = head;
        if (field_take(&text, tag, &length))
            return is_text(text, length);
    }
    if (!field_take(&head, TAG_1, &length))
        return false;
    uint8_t field = head.length == 0 ? 1 : head.bytes[0] >> 3;
    return length == 0 || (field >= 1 && field <= LAST_PLANE_FIELD);
}

static bool is_word(struct head value, const char *word)
{
    return value.length == strlen(word) && begins(value, word, value.length);
}

/* What a text is that is one of JSON's values, but neither object nor array; NULL: it is none. */
static const char *json_value_kind(struct head text)
{
    struct head value = text;
    while (value.length > 0 && blanks_skip(value, value.length - 1) == value.length)
        value.length--;
    if (is_word(value, "null"))
        return json_null;
    if (is_word(value, "true") || is_word(value, "false"))
        return json_value;
    bool number = value.length > 0 && memchr("-0123456789", value.bytes[0], 11) != NULL;
    for (size_t i = 0; i < value.length && number; i++)
        number = memchr("+-.0123456789Ee", value.bytes[i], 15) != NULL;
    const bool quoted =
        value.length > 1 && value.bytes[0] == '"' &&
        memchr(value.bytes + 1, '"', value.length - 1) == value.bytes + value.length - 1;
    return number || quoted ? json_value : NULL;
}

/* What text is that is no JSON; NULL: it is no text. No profile is text alone: the tag that an
 * XSpace begins with is followed by a length, and by a tag of what is in there. */
static const char *text_kind(struct head head)
{
    const size_t at = blanks_skip(head, 0);
    const struct head text = {head.bytes + at, head.length - at};
    bool ascii = head.length > 1; /* one byte may be anything */
    for (size_t i = 0; i < head.length && ascii; i++)
        ascii = head.bytes[i] < 0x80;
    if (!ascii || !is_text(head, head.length))
        return NULL;
    const char *value = json_value_kind(text);
    return text.length == 0                                     ? blanks_alone
           : value != NULL                                      ? value
           : BEGINS(text, "version https://git-lfs")            ? git_pointer
           : BEGINS(text, "<!DOCTYPE") || BEGINS(text, "<html") ? web_page
           : text.bytes[0] == '{' || text.bytes[0] == '['       ? other_json
                                                                : other_text;
}

static const char *plain_kind(struct head given)
{
    const struct head head = mark_skip(given);
    bool is_empty;
    if (BEGINS(head, "SQLite format 3"))
        return nsys_sqlite;
    if (BEGINS(head, "NVIDIA Tegra Profiler Report"))
        return nsys_report;
    if (BEGINS(head, "HloModule "))
        return hlo_text;
    if (BEGINS(head, "PK\x03\x04"))
        return zip_archive;
    if (BEGINS(head, "\x28\xb5\x2f\xfd") || BEGINS(head, "BZh") || BEGINS(head, "\xfd\x37zXZ"))
        return packed;
    if (is_utf16(head))
        return utf16;
    if (is_json(head, &is_empty))
        return !is_empty ? json_kind(head) : holds(head, "{") ? no_members : no_items;
    const char *kind = text_kind(head);
    return kind != NULL ? kind : message_kind(head);
}

/* ---- files ----------------------------------------------------------------------------------- */

static const char *gzip_kind(struct head head)
{
    struct opened {
        struct inflate_state state;
        uint8_t plain[HEAD_BYTES];
    } *opened = memory_alloc(sizeof *opened);
    isal_inflate_init(&opened->state);
    opened->state.crc_flag = ISAL_GZIP;
    opened->state.next_in = (uint8_t *)(uintptr_t)head.bytes; /* the library lacks the const */
    opened->state.avail_in = (uint32_t)head.length;
    opened->state.next_out = opened->plain;
    opened->state.avail_out = sizeof opened->plain;
    while (isal_inflate(&opened->state) == ISAL_DECOMP_OK && /* a part has no whole end */
           opened->state.block_state == ISAL_BLOCK_FINISH && opened->state.avail_in > 0 &&
           opened->state.avail_out > 0) {
        isal_inflate_reset(&opened->state); /* the next member */
        opened->state.crc_flag = ISAL_GZIP;
    }
    const struct head inside = {opened->plain, sizeof opened->plain - opened->state.avail_out};
    const bool is_whole = opened->state.block_state == ISAL_BLOCK_FINISH;
    const char *kind = BEGINS(inside, "\x1f\x8b") ? packed_twice
                       : inside.length > 0        ? plain_kind(inside)
                       : is_whole                 ? nothing_in_gzip
                                                  : broken_gzip;
    if (!is_whole && opened->state.avail_out > 0 && kind != NULL &&
        kind == text_kind(mark_skip(inside)))
        kind = broken_gzip; /* whatever it was */
    bool is_profile = kind == NULL && may_be_xspace(inside);
    free(opened);
    return kind != NULL ? kind : is_profile ? compressed_xplane : packed_other;
}

struct sniffed sniff_bytes(const uint8_t *bytes, size_t length)
{
    const struct head head = {bytes, length < HEAD_BYTES ? length : HEAD_BYTES};
    const char *kind = BEGINS(head, "\x1f\x8b") ? gzip_kind(head) : plain_kind(head);
    if (kind == trace)
        return (struct sniffed){.kind = SNIFFED_TRACE};
    if (kind == pprof)
        return (struct sniffed){.kind = SNIFFED_MEMORY};
    if (kind == xprof_json || kind == memory_json || kind == xprof_table)
        return (struct sniffed){.kind = SNIFFED_TABLE, .other = kind};
    if (kind == nsys_sqlite && head.bytes[0] != 0x1f)
        return (struct sniffed){.kind = SNIFFED_EXPORT};
    if (kind == nsys_report && head.bytes[0] != 0x1f)
        return (struct sniffed){.kind = SNIFFED_REPORT, .other = nsys_report};
    return (struct sniffed){
        .other = kind == nsys_sqlite ? packed_export : kind,
        /* its first 64 KiB need not say it */
        .is_summary = kind == own_summary || kind == other_json,
        .says_little = kind == other_text || kind == blanks_alone,
    };
}

struct sniffed sniff_file(const char *path)
{
    uint8_t bytes[HEAD_BYTES];
    struct stat info;
    size_t length = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return (struct sniffed){.failure = errno};
    int failure = 0;
    bool regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    for (ssize_t got = 1; regular && got > 0 && length < sizeof bytes; length += (size_t)got) {
        got = read(fd, bytes + length, sizeof bytes - length);
        if (got < 0) {
            failure = errno;
            got = 0;
        }
    }
    (void)close(fd);
    return failure != 0 ? (struct sniffed){.failure = failure}
           : !regular   ? (struct sniffed){0}
           : length == 0
               ? (struct sniffed){.other = empty_file, .is_empty = true, .says_little = true}
               : sniff_bytes(bytes, length);
}
