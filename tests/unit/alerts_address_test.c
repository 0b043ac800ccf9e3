/* Tests of ops/net/address: every special range at both of its ends, the neighbours outside it, and
 * lists of networks. */
#include "ops/net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MEMORY_BYTES = 1 << 20, PORT = 8443 };

static struct sockaddr_storage address_of(const char *text)
{
    struct sockaddr_storage storage = {0};
    struct sockaddr_in *v4 = (struct sockaddr_in *)&storage;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&storage;
    if (strchr(text, ':') == NULL) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(PORT);
        assert_int_equal(inet_pton(AF_INET, text, &v4->sin_addr), 1);
    } else {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(PORT);
        assert_int_equal(inet_pton(AF_INET6, text, &v6->sin6_addr), 1);
    }
    return storage;
}

static const char *range_of(const char *text)
{
    struct sockaddr_storage storage = address_of(text);
    return address_range((const struct sockaddr *)&storage);
}

static bool allowed(const char *text, const struct cidr_list *list)
{
    struct sockaddr_storage storage = address_of(text);
    return address_allowed((const struct sockaddr *)&storage, list);
}

/* first and last are the ends of a range; NULL range = public. */
struct range_case {
    const char *first, *last, *range;
};

static void check_ranges(const struct range_case *cases, size_t count)
{
    const struct cidr_list none = {0};
    for (size_t i = 0; i < count; i++) {
        const char *const ends[] = {cases[i].first, cases[i].last};
        for (size_t end = 0; end < 2; end++) {
            const char *range = range_of(ends[end]);
            if ((range == NULL) != (cases[i].range == NULL) ||
                (range != NULL && strcmp(range, cases[i].range) != 0))
                fail_msg("%s is %s, expected %s", ends[end], range == NULL ? "public" : range,
                         cases[i].range == NULL ? "public" : cases[i].range);
            assert_int_equal(allowed(ends[end], &none), cases[i].range == NULL);
        }
    }
}

static void knows_every_special_range_of_ipv4_and_its_neighbours(void **state)
{
    (void)state;
    static const struct range_case cases[] = {
        {"0.0.0.0", "0.255.255.255", "this network"},
        {"1.0.0.0", "9.255.255.255", NULL},
        {"10.0.0.0", "10.255.255.255", "private"},
        {"11.0.0.0", "100.63.255.255", NULL},
        {"100.64.0.0", "100.127.255.255", "shared"},
        {"100.128.0.0", "126.255.255.255", NULL},
        {"127.0.0.0", "127.255.255.255", "loopback"},
        {"128.0.0.0", "169.253.255.255", NULL},
        {"169.254.0.0", "169.254.255.255", "link-local"},
        {"169.254.169.254", "169.254.169.254", "link-local"},
        {"169.255.0.0", "172.15.255.255", NULL},
        {"172.16.0.0", "172.31.255.255", "private"},
        {"172.32.0.0", "191.255.255.255", NULL},
        {"192.0.0.0", "192.0.0.255", "protocol assignments"},
        {"192.0.1.0", "192.0.1.255", NULL},
        {"192.0.2.0", "192.0.2.255", "documentation"},
        {"192.0.3.0", "192.88.98.255", NULL},
        {"192.88.99.0", "192.88.99.255", "6to4 relay"},
        {"192.88.100.0", "192.167.255.255", NULL},
        {"192.168.0.0", "192.168.255.255", "private"},
        {"192.169.0.0", "198.17.255.255", NULL},
        {"198.18.0.0", "198.19.255.255", "benchmarking"},
        {"198.20.0.0", "198.51.99.255", NULL},
        {"198.51.100.0", "198.51.100.255", "documentation"},
        {"198.51.101.0", "203.0.112.255", NULL},
        {"203.0.113.0", "203.0.113.255", "documentation"},
        {"203.0.114.0", "223.255.255.255", NULL},
        {"224.0.0.0", "239.255.255.255", "multicast"},
        {"240.0.0.0", "255.255.255.255", "reserved"},
    };
    check_ranges(cases, sizeof cases / sizeof cases[0]);
}

static void knows_every_special_range_of_ipv6_and_its_neighbours(void **state)
{
    (void)state;
    static const struct range_case cases[] = {
        {"::", "::", "unspecified"},
        {"::1", "::1", "loopback"},
        {"::2", "::ffff:ffff", "not public"}, /* IPv4-compatible, deprecated */
        {"64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "not public"},
        {"100::", "100::ffff:ffff:ffff:ffff", "not public"},
        {"1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "400::", "not public"},
        {"2000::", "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL},
        {"2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "protocol assignments"},
        {"2001:200::", "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", NULL},
        {"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "documentation"},
        {"2001:db9::", "2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL},
        {"2003::", "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL},
        {"2606:4700:4700::1111", "2a00:1450::1", NULL},
        {"3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "documentation"},
        {"3fff:1000::", "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL},
        {"4000::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "not public"},
        {"fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "private"},
        {"fe00::", "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "not public"},
        {"fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "link-local"},
        {"fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "not public"},
        {"ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast"},
    };
    check_ranges(cases, sizeof cases / sizeof cases[0]);
}

static void judges_an_embedded_ipv4_address_by_itself(void **state)
{
    (void)state;
    static const struct range_case cases[] = {
        {"::ffff:127.0.0.1", "::ffff:127.255.255.255", "loopback"},
        {"::ffff:10.0.0.0", "::ffff:10.255.255.255", "private"},
        {"::ffff:169.254.169.254", "::ffff:169.254.169.254", "link-local"},
        {"::ffff:0.0.0.0", "::ffff:0.255.255.255", "this network"},
        {"::ffff:1.1.1.1", "::ffff:8.8.8.8", NULL},
        {"64:ff9b::7f00:1", "64:ff9b::127.255.255.255", "loopback"},
        {"64:ff9b::10.0.0.1", "64:ff9b::10.255.255.255", "private"},
        {"64:ff9b::1.1.1.1", "64:ff9b::8.8.8.8", NULL},
        {"2002:7f00:1::", "2002:7fff:ffff:ffff:ffff:ffff:ffff:ffff", "loopback"},
        {"2002:a00::", "2002:aff:ffff:ffff:ffff:ffff:ffff:ffff", "private"},
        {"2002:c0a8::", "2002:c0a8:ffff::1", "private"},
        {"2002:a9fe:a9fe::1", "2002:a9fe:a9fe:ffff::", "link-local"},
        {"2002:101:101::", "2002:808:808::1", NULL},
    };
    check_ranges(cases, sizeof cases / sizeof cases[0]);
}

static void refuses_what_is_no_internet_address(void **state)
{
    (void)state;
    const struct cidr everything = {.prefix_bits = 0};
    const struct cidr_list list = {&everything, 1};
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    assert_false(address_allowed((const struct sockaddr *)&local, &list));
    char text[ADDRESS_TEXT_BYTES];
    assert_string_equal(address_text((const struct sockaddr *)&local, text), "?");
    assert_int_equal(address_port((const struct sockaddr *)&local), 0);
}

static struct cidr_list list_of(const char *text, struct arena *arena)
{
    struct cidr_list list = {0};
    struct err err = {0};
    if (!cidr_list_parse(text, arena, &list, &err))
        fail_msg("%s", err.text);
    return list;
}

static void permits_exactly_what_the_list_names(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    struct cidr_list list =
        list_of(" 127.0.0.0/8 ,10.1.2.0/23,192.168.7.7,fd00:1::/33 , ::1,", &arena);
    assert_int_equal(list.count, 5);
    static const struct {
        const char *address;
        bool allowed;
    } cases[] = {
        {"127.0.0.1", true},
        {"127.255.255.255", true},
        {"10.1.1.255", false},
        {"10.1.2.0", true},
        {"10.1.3.255", true},
        {"10.1.4.0", false},
        {"192.168.7.7", true},
        {"192.168.7.6", false},
        {"192.168.7.8", false},
        {"fd00:1:7fff::1", true},
        {"fd00:1:8000::", false},
        {"fd00:2::1", false},
        {"::1", true},
        {"::2", false},
        {"9.9.9.9", true},
        {"::ffff:127.0.0.1", true},
        {"::ffff:10.1.4.0", false},
        {"64:ff9b::127.0.0.1", false},
        {"2002:7f00:1::1", false},
        {"169.254.169.254", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (allowed(cases[i].address, &list) != cases[i].allowed)
            fail_msg("%s: expected %d", cases[i].address, cases[i].allowed);
    }
}

static void never_matches_ipv4_against_ipv6_networks(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    struct cidr_list six = list_of("::/0", &arena), four = list_of("0.0.0.0/0", &arena);
    assert_false(allowed("127.0.0.1", &six));
    assert_true(allowed("::1", &six));
    assert_false(allowed("::1", &four));
    assert_true(allowed("127.0.0.1", &four));
}

static void takes_an_empty_list(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    assert_int_equal(list_of(NULL, &arena).count, 0);
    assert_int_equal(list_of("", &arena).count, 0);
}

static void names_the_item_of_a_bad_list_and_the_remedy(void **state)
{
    (void)state;
    static const struct {
        const char *list, *item, *remedy;
    } cases[] = {
        {"localhost", "'localhost'", "10.1.0.0/16"},
        {"127.0.0.1, 10/8", "'10/8'", "10.1.0.0/16"},
        {"127.1", "'127.1'", "10.1.0.0/16"},
        {"0x7f.0.0.1", "'0x7f.0.0.1'", "10.1.0.0/16"},
        {"10.0.0.0/33", "'10.0.0.0/33'", "10.1.0.0/16"},
        {"10.0.0.0/-1", "'10.0.0.0/-1'", "10.1.0.0/16"},
        {"10.0.0.0/", "'10.0.0.0/'", "10.1.0.0/16"},
        {"10.0.0.0/8x", "'10.0.0.0/8x'", "10.1.0.0/16"},
        {"::/129", "'::/129'", "fd00::/8"},
        {"fe80::1%eth0", "'fe80::1%eth0'", "fd00::/8"},
        {"10.0.0.0/8,,::1", "''", "fd00::/8"},
        {"10.1.2.3/8", "'10.1.2.3/8'", "write 10.0.0.0/8 or 10.1.2.3"},
        {"fd00::1/8", "'fd00::1/8'", "write fd00::/8 or fd00::1"},
        {"127.0.0.1/0", "'127.0.0.1/0'", "write 0.0.0.0/0 or 127.0.0.1"},
    };
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cidr_list list;
        struct err err = {0};
        if (cidr_list_parse(cases[i].list, &arena, &list, &err))
            fail_msg("'%s' was taken", cases[i].list);
        assert_int_equal(err.kind, ERR_USAGE);
        if (strstr(err.text, cases[i].item) == NULL || strstr(err.text, cases[i].remedy) == NULL)
            fail_msg("'%s': %s", cases[i].list, err.text);
    }
}

static void shows_addresses_and_ports(void **state)
{
    (void)state;
    char text[ADDRESS_TEXT_BYTES];
    struct sockaddr_storage four = address_of("192.0.2.7"), six = address_of("2001:db8:0::7");
    assert_string_equal(address_text((struct sockaddr *)&four, text), "192.0.2.7");
    assert_int_equal(address_port((struct sockaddr *)&four), PORT);
    assert_string_equal(address_text((struct sockaddr *)&six, text), "2001:db8::7");
    assert_int_equal(address_port((struct sockaddr *)&six), PORT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_every_special_range_of_ipv4_and_its_neighbours),
        cmocka_unit_test(knows_every_special_range_of_ipv6_and_its_neighbours),
        cmocka_unit_test(judges_an_embedded_ipv4_address_by_itself),
        cmocka_unit_test(refuses_what_is_no_internet_address),
        cmocka_unit_test(permits_exactly_what_the_list_names),
        cmocka_unit_test(never_matches_ipv4_against_ipv6_networks),
        cmocka_unit_test(takes_an_empty_list),
        cmocka_unit_test(names_the_item_of_a_bad_list_and_the_remedy),
        cmocka_unit_test(shows_addresses_and_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
