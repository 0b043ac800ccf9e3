/* Tests of bytes by memory: what is understood, and bytes that are none of the message. */
#include "ingest/xplane/memory_traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define READ_OF(bytes) memory_traffic_read((bytes), sizeof(bytes))

static void adds_up_by_memory_and_direction(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {10, 6, 8, 1, 16, 1, 24, 7,      /* reads 7 of HBM */
                                    10, 6, 8, 2, 16, 1, 24, 3,      /* writes 3 */
                                    10, 7, 8, 2, 16, 3, 24, 128, 1, /* writes 128 of VMEM */
                                    10, 8, 8, 1, 16, 2, 24, 9,   32,
                                    5, /* of CMEM; one field more */
                                    16, 1};
    const struct memory_traffic traffic = READ_OF(bytes);
    assert_true(traffic.told);
    assert_true(traffic.bytes[MEMORY_HBM] == 10 && traffic.bytes[MEMORY_VMEM_WRITE] == 128);
    assert_true(traffic.bytes[MEMORY_CMEM_READ] == 9 && traffic.bytes[MEMORY_CMEM_WRITE] == 0);
    assert_true(traffic.bytes[MEMORY_VMEM_READ] == 0);
}

static void tells_nothing_of_what_it_does_not_know(void **state)
{
    (void)state;
    static const uint8_t other_memory[] = {10, 6, 8, 1, 16, 9, 24, 7};
    static const uint8_t no_operation[] = {10, 4, 16, 1, 24, 7};
    assert_false(READ_OF(other_memory).told);
    assert_false(READ_OF(no_operation).told);
    assert_false(memory_traffic_read(NULL, 0).told);
}

/* Every cut and every wrong byte of a message either tells what it held before or nothing. */
static void of_broken_bytes_it_tells_nothing(void **state)
{
    (void)state;
    static const uint8_t too_long[] = {10, 6, 8, 1, 16, 1, 24, 7, 10, 200, 8};
    static const uint8_t cut[] = {10, 6, 8, 1, 16, 1, 24, 7, 10, 3, 8, 1, 24};
    static const uint8_t endless[] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    static const uint8_t text[] = {'H', 'B', 'M'};
    assert_false(READ_OF(too_long).told);
    assert_false(READ_OF(cut).told);
    assert_false(READ_OF(endless).told);
    assert_false(READ_OF(text).told);
    uint8_t any[16];
    for (uint32_t seed = 1; seed < 20000; seed++) {
        uint32_t next = seed * 2654435761U;
        for (size_t i = 0; i < sizeof any; i++, next = next * 1664525U + 1013904223U)
            any[i] = (uint8_t)(next >> 24);
        (void)READ_OF(any);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_up_by_memory_and_direction),
        cmocka_unit_test(tells_nothing_of_what_it_does_not_know),
        cmocka_unit_test(of_broken_bytes_it_tells_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
