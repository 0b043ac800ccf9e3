/* What a file is by its first bytes: every kind, whole, cut anywhere and inside gzip. */
#include "ingest/formats.h"
#include "ingest/source/sniff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#define BYTES(text) (text), sizeof(text) - 1

static const char in_gzip[] = "is an XPlane file compressed with gzip",
                  unknown_in_gzip[] = "is compressed with gzip and holds no profile";

static const char a_trace[] = "(a trace that is read)";
static const char an_export[] = "(an export that is read)";

static const char a_memory_profile[] = "is a device memory profile";

/* What is said of the bytes. */
static const char *said_of(const void *bytes, size_t length)
{
    struct sniffed sniffed = sniff_bytes(bytes, length);
    return sniffed.kind == SNIFFED_TRACE    ? a_trace
           : sniffed.kind == SNIFFED_EXPORT ? an_export
           : sniffed.kind == SNIFFED_MEMORY ? a_memory_profile
                                            : sniffed.other;
}

static const struct kind {
    const char *bytes;
    size_t length;
    const char *plain, *packed; /* how the sentence begins; NULL: nothing is said */
} kinds[] = {
    /* XSpace: a plane with an id, one with a name alone, an empty one; an error; a host */
    {BYTES("\x0a\x10\x08\x01\x12\x0c/device:TPU:"), NULL, in_gzip},
    {BYTES("\x0a\x0b\x12\x09/host:CPU"), NULL, in_gzip},
    {BYTES("\x0a\x00\x0a\x00"), NULL, in_gzip},
    {BYTES("\x12\x08it broke"), NULL, in_gzip},
    {BYTES("\x22\x06host-0"), NULL, in_gzip},
    /* nothing that is known */
    {BYTES("hello"), "is text", "is text"},
    {BYTES("\x7f"
           "ELF\x02\x01\x01"),
     NULL, unknown_in_gzip},
    {BYTES("\xff\xff\xff\xff"), NULL, unknown_in_gzip},
    /* JSON */
    {BYTES("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[]}"), a_trace, a_trace},
    {BYTES(" [{\"ph\":\"X\"}]"), a_trace, a_trace},
    {BYTES("{\"schemaVersion\": 1, \"traceEvents\": []}"), a_trace, a_trace},
    {BYTES("{\"schema_version\": \"profile_summary.v1\"}"), "is a summary", "is a summary"},
    {BYTES("{\"cols\": [], \"rows\": []}"), "is a table that xprof or", "is a table that xprof or"},
    {BYTES("{\"memoryIds\": []}"), "is a memory profile table", "is a memory profile table"},
    {BYTES("{\"a\": 1}"), "is JSON", "is JSON"},
    /* others */
    {BYTES("SQLite format 3"), an_export, "is an SQLite database compressed"},
    {BYTES("NVIDIA Tegra Profiler Report"), "is a report of Nsight", "is a report of Nsight"},
    {BYTES("HloModule jit_step, entry"), "is a compiled program (HLO text)",
     "is a compiled program (HLO text)"},
    {BYTES("\x0a\x0e\x0a\x04step\x12\x04main\x18\x01"), "is a compiled program (HLO proto)",
     "is a compiled program (HLO proto)"},
    {BYTES("\x0a\x04\x08\x01\x10\x02"), a_memory_profile, a_memory_profile},
    {BYTES("\x0a\x08\x0a\x04gemm\x10\x03"), "is a table that the profiler",
     "is a table that the profiler"},
    {BYTES("PK\x03\x04\x14\x00"), "is a zip", "is a zip"},
    {BYTES("\x28\xb5\x2f\xfd\x00"), "is compressed in a way", "is compressed in a way"},
    {BYTES("BZh91AY"), "is compressed in a way", "is compressed in a way"},
    {BYTES("\xfd\x37zXZ\x00"), "is compressed in a way", "is compressed in a way"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0], PACKED_MAX = 4096 };

static void begins_with(size_t kind, const char *said, const char *wanted)
{
    bool right =
        wanted == NULL ? said == NULL : said != NULL && strncmp(said, wanted, strlen(wanted)) == 0;
    if (!right)
        fail_msg("kind %zu: '%s', not '%s'", kind, said == NULL ? "(nothing)" : said,
                 wanted == NULL ? "(nothing)" : wanted);
}

static size_t pack(const char *bytes, size_t length, uint8_t packed[PACKED_MAX])
{
    enum { GZIP_WINDOW = 15 + 16 };
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes,
                       .avail_in = (uInt)length,
                       .next_out = packed,
                       .avail_out = PACKED_MAX};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(deflateEnd(&stream), Z_OK);
    return PACKED_MAX - stream.avail_out;
}

static void tells_every_kind(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++)
        begins_with(i, said_of(kinds[i].bytes, kinds[i].length), kinds[i].plain);
    assert_null(said_of("", 0));
}

static void opens_gzip_to_look(void **state)
{
    (void)state;
    uint8_t packed[PACKED_MAX];
    for (size_t i = 0; i < KINDS; i++) {
        size_t length = pack(kinds[i].bytes, kinds[i].length, packed);
        begins_with(i, said_of(packed, length), kinds[i].packed);
    }
    size_t length = pack("", 0, packed);
    assert_non_null(strstr(said_of(packed, length), "holds nothing"));
    assert_non_null(strstr(said_of("\x1f\x8bnothing", 9), "it is broken"));
    uint8_t twice[PACKED_MAX];
    length = pack(kinds[0].bytes, kinds[0].length, packed);
    length = pack((const char *)packed, length, twice);
    assert_non_null(strstr(said_of(twice, length), "is compressed with gzip twice"));
}

/* A file that was cut is read past no end, and is never taken for a whole one of another kind. */
static void says_nothing_wrong_of_what_was_cut(void **state)
{
    (void)state;
    uint8_t packed[PACKED_MAX];
    for (size_t i = 0; i < KINDS; i++) {
        for (size_t length = 0; length < kinds[i].length; length++) {
            uint8_t *cut = test_malloc(length + 1); /* its end is guarded */
            memcpy(cut, kinds[i].bytes, length);
            const char *said = said_of(cut, length);
            test_free(cut);
            if (said != NULL && kinds[i].plain == NULL)
                fail_msg("kind %zu, %zu bytes: %s", i, length, said);
        }
        size_t whole = pack(kinds[i].bytes, kinds[i].length, packed);
        for (size_t length = 2; length < whole; length++)
            assert_non_null(said_of(packed, length));
    }
}

/* What cannot be opened now may be a trace all the same: it is no broken XPlane file. */
static void takes_no_failure_for_a_format(void **state)
{
    const struct profile_format *format = NULL;
    struct err err = {0};
    char folder[] = "/tmp/stepledger-sniff-XXXXXX", path[64];
    struct rlimit before;
    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/t.trace.json", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("{\"traceEvents\": []}", file) >= 0 && fclose(file) == 0);
    assert_true(format_of_file(path, false, &format, &err));
    assert_string_equal(format->what, "trace in Chrome's JSON");
    assert_int_equal(0, getrlimit(RLIMIT_NOFILE, &before));
    assert_int_equal(0, setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, before.rlim_max}));
    assert_false(format_of_file(path, false, &format, &err));
    assert_int_equal(0, setrlimit(RLIMIT_NOFILE, &before));
    assert_int_equal(ERR_FULL, err.kind);
    assert_non_null(strstr(err.text, "Too many open files"));
    (void)unlink(path);
    (void)rmdir(folder);
    assert_false(format_of_file(path, false, &format, &err));
    assert_int_equal(ERR_MISSING, err.kind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_no_failure_for_a_format),
        cmocka_unit_test(tells_every_kind),
        cmocka_unit_test(opens_gzip_to_look),
        cmocka_unit_test(says_nothing_wrong_of_what_was_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
