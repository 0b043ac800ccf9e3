/* Tests of ingest/wire: numbers, tags and the skipping of unknown fields. */
#include "ingest/wire/varint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct bytes {
    uint8_t data[16];
    size_t length;
};

static void reads_varints_of_up_to_64_bits(void **state)
{
    (void)state;
    static const struct {
        struct bytes bytes;
        uint64_t value;
    } cases[] = {
        {{{0x00}, 1}, 0},
        {{{0x7F}, 1}, 127},
        {{{0x80, 0x01}, 2}, 128},
        {{{0xAC, 0x02}, 2}, 300},
        {{{0x80, 0x80, 0x00}, 3}, 0}, /* longer than needed, and legal */
        {{{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}, 10}, UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint8_t *p = cases[i].bytes.data;
        uint64_t value = 1;
        assert_ptr_equal(varint_read(p, p + cases[i].bytes.length, &value),
                         p + cases[i].bytes.length);
        assert_int_equal(value, cases[i].value);
    }
}

static void refuses_varints_without_an_end(void **state)
{
    (void)state;
    static const uint8_t endless[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                      0x80, 0x80, 0x80, 0x80, 0x00};
    uint64_t value;
    assert_null(varint_read(endless, endless, &value));
    assert_null(varint_read(endless, endless + 1, &value));
    assert_null(varint_read(endless, endless + sizeof endless, &value));
}

/* Every length, whole and cut at every byte, with bytes of every kind behind the end: some of those
 * would go on with the number. */
static void reads_by_the_word_what_it_reads_by_the_byte(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252U;
    for (int round = 0; round < 20000; round++) {
        uint8_t bytes[VARINT_MAX_BYTES + 1 + VARINT_WORD_BYTES];
        for (size_t i = 0; i < sizeof bytes; i++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            bytes[i] = (uint8_t)random;
        }
        size_t length = (size_t)round % (VARINT_MAX_BYTES + 1);
        for (size_t i = 0; i + 1 < length; i++)
            bytes[i] |= VARINT_MORE;
        if (length > 0 && round % 3 > 0)
            bytes[length - 1] &= VARINT_MORE - 1;
        for (size_t cut = 0; cut <= VARINT_MAX_BYTES + 1; cut++) {
            uint64_t value = 0, by_word = 0;
            const uint8_t *end = varint_read(bytes, bytes + cut, &value);
            assert_ptr_equal(varint_read_word(bytes, bytes + cut, &by_word), end);
            if (end != NULL)
                assert_int_equal(by_word, value);
        }
    }
}

static void refuses_field_numbers_that_do_not_exist(void **state)
{
    (void)state;
    static const uint8_t zero[] = {0x02}, large[] = {0xFA, 0xFF, 0xFF, 0xFF, 0x1F};
    static const uint8_t largest[] = {0xFA, 0xFF, 0xFF, 0xFF, 0x0F};
    uint32_t tag = 0;
    assert_null(tag_read(zero, zero + sizeof zero, &tag));
    assert_null(tag_read(large, large + sizeof large, &tag));
    assert_ptr_equal(tag_read(largest, largest + sizeof largest, &tag), largest + sizeof largest);
    assert_int_equal(tag_field(tag), (1 << 29) - 1);
    assert_int_equal(tag_type(tag), WIRE_BYTES);
}

/* Bytes that a skip takes of those behind a tag; -1 when it refuses. */
static int64_t skipped(uint32_t tag, const uint8_t *bytes, size_t length)
{
    const uint8_t *end = wire_skip(bytes, bytes + length, tag);
    return end == NULL ? -1 : end - bytes;
}

static void skips_values_of_every_type(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0x03, 'a', 'b', 'c', 0, 0, 0, 0, 0};
    assert_int_equal(skipped(WIRE_TAG(1, WIRE_VARINT), bytes, sizeof bytes), 1);
    assert_int_equal(skipped(WIRE_TAG(1, WIRE_FIXED64), bytes, sizeof bytes), 8);
    assert_int_equal(skipped(WIRE_TAG(1, WIRE_FIXED32), bytes, sizeof bytes), 4);
    assert_int_equal(skipped(WIRE_TAG(1, WIRE_BYTES), bytes, sizeof bytes), 4);
    assert_int_equal(skipped(WIRE_TAG(1, WIRE_BYTES), bytes, 3), -1);
    assert_int_equal(skipped(WIRE_TAG(1, WIRE_FIXED64), bytes, 7), -1);
    assert_int_equal(skipped(WIRE_TAG(1, 6), bytes, sizeof bytes), -1);
    assert_int_equal(skipped(WIRE_TAG(1, WIRE_GROUP_END), bytes, sizeof bytes), -1);
}

static void skips_groups_with_all_in_them(void **state)
{
    (void)state;
    /* group 1 { 2: 5, group 3 {} } and a byte that follows */
    static const uint8_t inside[] = {0x10, 0x05, 0x1B, 0x1C, 0x0C, 0x55};
    static const uint8_t crossed[] = {0x1B, 0x0C, 0x1C};
    assert_int_equal(skipped(WIRE_TAG(1, WIRE_GROUP), inside, sizeof inside), 5);
    assert_int_equal(skipped(WIRE_TAG(1, WIRE_GROUP), inside, 4), -1);
    assert_int_equal(skipped(WIRE_TAG(1, WIRE_GROUP), crossed, sizeof crossed), -1);
}

static void refuses_groups_nested_without_measure(void **state)
{
    (void)state;
    uint8_t bytes[2 * GROUP_MAX_DEPTH + 1];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = i < GROUP_MAX_DEPTH - 1 ? 0x0B : 0x0C;
    assert_int_equal(skipped(WIRE_TAG(1, WIRE_GROUP), bytes, sizeof bytes),
                     2 * GROUP_MAX_DEPTH - 1);
    bytes[GROUP_MAX_DEPTH - 1] = 0x0B;
    assert_int_equal(skipped(WIRE_TAG(1, WIRE_GROUP), bytes, sizeof bytes), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_varints_of_up_to_64_bits),
        cmocka_unit_test(refuses_varints_without_an_end),
        cmocka_unit_test(reads_by_the_word_what_it_reads_by_the_byte),
        cmocka_unit_test(refuses_field_numbers_that_do_not_exist),
        cmocka_unit_test(skips_values_of_every_type),
        cmocka_unit_test(skips_groups_with_all_in_them),
        cmocka_unit_test(refuses_groups_nested_without_measure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
