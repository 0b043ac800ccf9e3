/* Parses lists of networks: the grammar of allow_addresses. */
#include "ops/net/address.h"
#include "ops/runtime/text.h"

#include <arpa/inet.h>
#include <string.h>

enum { IPV4_BITS = 32, IPV6_BITS = 128, BYTE_BITS = 8 };

static bool cidr_parse(const char *item, struct arena *arena, struct cidr *ret_cidr,
                       struct err *err)
{
    const char *slash = strchr(item, '/');
    size_t length = slash == NULL ? strlen(item) : (size_t)(slash - item);
    const char *address = arena_strndup(arena, item, length);
    if (address == NULL)
        return arena_failed(arena, "a list of networks", err);
    struct cidr cidr = {.ipv6 = strchr(address, ':') != NULL};
    int family = cidr.ipv6 ? AF_INET6 : AF_INET;
    int total_bits = cidr.ipv6 ? IPV6_BITS : IPV4_BITS;
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
        const char *item = arena_strndup(arena, start, length);
        items = item == NULL ? NULL : arena_grow(arena, items, count, &capacity, sizeof *items);
        if (items == NULL)
            return arena_failed(arena, "a list of networks", err);
        if (!cidr_parse(item, arena, &items[count++], err))
            return false;
        p += part + (p[part] == ',');
    }
    *ret_list = (struct cidr_list){items, count};
    return true;
}
