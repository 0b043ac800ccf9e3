/* The tables of special ranges and the match against them; first match wins. */
#include "ops/net/address.h"
#include "ops/runtime/text.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

enum { IPV4_BYTES = 4, IPV6_BYTES = 16, BYTE_BITS = 8 };

struct range {
    uint8_t bytes[IPV6_BYTES];
    uint8_t prefix_bits;
    uint8_t embeds_at; /* the IPv4 address within it begins at this byte and decides; 0 = none */
    const char *name;  /* NULL = public */
};

static const struct range ranges_ipv4[] = {
    {{0}, 8, 0, "this network"},
    {{10}, 8, 0, "private"},
    {{100, 64}, 10, 0, "shared"},
    {{127}, 8, 0, "loopback"},
    {{169, 254}, 16, 0, "link-local"},
    {{172, 16}, 12, 0, "private"},
    {{192, 0, 0}, 24, 0, "protocol assignments"},
    {{192, 0, 2}, 24, 0, "documentation"},
    {{192, 88, 99}, 24, 0, "6to4 relay"},
    {{192, 168}, 16, 0, "private"},
    {{198, 18}, 15, 0, "benchmarking"},
    {{198, 51, 100}, 24, 0, "documentation"},
    {{203, 0, 113}, 24, 0, "documentation"},
    {{224}, 4, 0, "multicast"},
    {{240}, 4, 0, "reserved"},
    {{0}, 0, 0, NULL},
};

/* Only 2000::/3 is handed out for public use, so what is not named here is not public either. */
static const struct range ranges_ipv6[] = {
    {{[10] = 0xff, 0xff}, 96, 12, "IPv4-mapped"},
    {{0x00, 0x64, 0xff, 0x9b}, 96, 12, "NAT64"},
    {{0x20, 0x02}, 16, 2, "6to4"},
    {{[15] = 1}, 128, 0, "loopback"},
    {{0}, 128, 0, "unspecified"},
    {{0xfc}, 7, 0, "private"},
    {{0xfe, 0x80}, 10, 0, "link-local"},
    {{0xff}, 8, 0, "multicast"},
    {{0x20, 0x01, 0x00}, 23, 0, "protocol assignments"}, /* Teredo among them */
    {{0x20, 0x01, 0x0d, 0xb8}, 32, 0, "documentation"},
    {{0x3f, 0xff}, 20, 0, "documentation"},
    {{0x20}, 3, 0, NULL},
    {{0}, 0, 0, "not public"},
};

static bool prefix_equal(const uint8_t *a, const uint8_t *b, unsigned bits)
{
    size_t whole = bits / BYTE_BITS;
    if (memcmp(a, b, whole) != 0)
        return false;
    unsigned rest = bits % BYTE_BITS;
    return rest == 0 || (uint8_t)(a[whole] ^ b[whole]) >> (BYTE_BITS - rest) == 0;
}

static const struct range *range_find(const struct range *ranges, const uint8_t *bytes)
{
    while (!prefix_equal(ranges->bytes, bytes, ranges->prefix_bits))
        ranges++; /* ends: the last row of each table has prefix 0 */
    return ranges;
}

/* The bytes of the address, NULL for another family. */
static const uint8_t *address_bytes(const struct sockaddr *address, bool *ret_ipv6)
{
    *ret_ipv6 = address->sa_family == AF_INET6;
    if (address->sa_family == AF_INET)
        return (const uint8_t *)&((const struct sockaddr_in *)(const void *)address)->sin_addr;
    if (address->sa_family == AF_INET6)
        return ((const struct sockaddr_in6 *)(const void *)address)->sin6_addr.s6_addr;
    return NULL;
}

const char *address_range(const struct sockaddr *address)
{
    bool ipv6;
    const uint8_t *bytes = address_bytes(address, &ipv6);
    if (bytes == NULL)
        return "not an internet address";
    if (!ipv6)
        return range_find(ranges_ipv4, bytes)->name;
    const struct range *range = range_find(ranges_ipv6, bytes);
    return range->embeds_at == 0 ? range->name
                                 : range_find(ranges_ipv4, bytes + range->embeds_at)->name;
}

static bool bytes_listed(const uint8_t *bytes, bool ipv6, const struct cidr_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct cidr *item = &list->items[i];
        if (item->ipv6 == ipv6 && prefix_equal(item->bytes, bytes, item->prefix_bits))
            return true;
    }
    return false;
}

bool address_listed(const struct sockaddr *address, const struct cidr_list *list)
{
    bool ipv6;
    const uint8_t *bytes = address_bytes(address, &ipv6);
    if (bytes == NULL)
        return false;
    if (bytes_listed(bytes, ipv6, list))
        return true;
    /* Mapped addresses reach the same host; NAT64 and 6to4 go through a gateway, so they must be
     * listed as they are. */
    bool mapped = ipv6 && prefix_equal(bytes, ranges_ipv6[0].bytes, ranges_ipv6[0].prefix_bits);
    return mapped && bytes_listed(bytes + ranges_ipv6[0].embeds_at, false, list);
}

bool address_allowed(const struct sockaddr *address, const struct cidr_list *list)
{
    return address_range(address) == NULL || address_listed(address, list);
}

const char *address_text(const struct sockaddr *address, char *buffer)
{
    bool ipv6;
    const uint8_t *bytes = address_bytes(address, &ipv6);
    if (bytes == NULL || inet_ntop(address->sa_family, bytes, buffer, ADDRESS_TEXT_BYTES) == NULL)
        (void)snprintf(buffer, ADDRESS_TEXT_BYTES, "?");
    return buffer;
}

int address_port(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return ntohs(((const struct sockaddr_in *)(const void *)address)->sin_port);
    if (address->sa_family == AF_INET6)
        return ntohs(((const struct sockaddr_in6 *)(const void *)address)->sin6_port);
    return 0;
}

/* ---- lists of networks: the grammar of allow_addresses ---- */

static bool cidr_parse(const char *item, struct arena *arena, struct cidr *ret_cidr,
                       struct err *err)
{
    const char *slash = strchr(item, '/');
    size_t length = slash == NULL ? strlen(item) : (size_t)(slash - item);
    const char *address = arena_strndup(arena, item, length);
    struct cidr cidr = {.ipv6 = strchr(address, ':') != NULL};
    int family = cidr.ipv6 ? AF_INET6 : AF_INET;
    int total_bits = (cidr.ipv6 ? IPV6_BYTES : IPV4_BYTES) * BYTE_BITS;
    int64_t bits = total_bits;
    if (inet_pton(family, address, cidr.bytes) != 1 ||
        (slash != NULL && !text_parse_i64(slash + 1, &bits)) || bits < 0 || bits > total_bits)
        return err_set(err, ERR_USAGE,
                       "'%s' is not a network; write it as 10.1.0.0/16, fd00::/8 or 192.0.2.7",
                       item);
    cidr.prefix_bits = (uint8_t)bits;
    bool is_host = false; /* a bit behind the prefix is set */
    for (int bit = (int)bits; bit < total_bits; bit++) {
        uint8_t mask = (uint8_t)(0x80 >> (bit % BYTE_BITS));
        is_host |= (cidr.bytes[bit / BYTE_BITS] & mask) != 0;
        cidr.bytes[bit / BYTE_BITS] &= (uint8_t)~mask;
    }
    if (is_host) {
        char network[INET6_ADDRSTRLEN];
        (void)inet_ntop(family, cidr.bytes, network, sizeof network);
        return err_set(err, ERR_USAGE, "'%s' has bits set behind its prefix; write %s/%d or %s",
                       item, network, (int)bits, address);
    }
    *ret_cidr = cidr;
    return true;
}

bool cidr_list_parse(const char *text, struct arena *arena, struct cidr_list *ret_list,
                     struct err *err)
{
    struct cidr *items = NULL;
    size_t count = 0, capacity = 0;
    for (const char *p = text == NULL ? "" : text; *p != '\0';) {
        size_t part = strcspn(p, ",");
        const char *start = p;
        size_t length = part;
        text_strip(&start, &length);
        items = arena_grow(arena, items, count, &capacity, sizeof *items);
        if (!cidr_parse(arena_strndup(arena, start, length), arena, &items[count++], err))
            return false;
        p += part + (p[part] == ',');
    }
    *ret_list = (struct cidr_list){items, count};
    return true;
}
