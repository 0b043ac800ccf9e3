/* Which network addresses a delivery may reach: the guard against requests forged to the inside of
 * a network.
 *
 * The decision is made on the address at connect time, so that neither a name that resolves to
 * something else the second time nor an odd spelling (2130706433, 0x7f.1, ::ffff:127.0.0.1) gets
 * around it. Pure: no sockets, no names. Ranges: those of the IANA
 * special-purpose address registries.
 */
#ifndef OPS_NET_ADDRESS_H
#define OPS_NET_ADDRESS_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* A network: the first prefix_bits bits of bytes (4 of them for IPv4, else 16, network order). */
struct cidr {
    uint8_t bytes[16];
    uint8_t prefix_bits;
    bool ipv6;
};

struct cidr_list {
    const struct cidr *items;
    size_t count;
};

/* Parses "10.1.0.0/16, fd00::/8, 192.0.2.7" (a bare address is a network of one). NULL and "" give
 * the empty list. ERR_USAGE names the item and says how to write it; bits set behind the prefix are
 * refused, since they are a typing error. */
bool cidr_list_parse(const char *text, struct arena *arena, struct cidr_list *ret_list,
                     struct err *err);

/* true when the address lies in one of the networks. An IPv4 address in IPv6 dress (::ffff:a.b.c.d)
 * counts as both. */
bool address_listed(const struct sockaddr *address, const struct cidr_list *list);

/* The name of the special range that the address lies in ("loopback", "private", …), NULL for a
 * public address. An address that embeds an IPv4 address (mapped, NAT64, 6to4) is judged by that
 * one. */
const char *address_range(const struct sockaddr *address);

/* The decision: public, or listed. */
bool address_allowed(const struct sockaddr *address, const struct cidr_list *list);

enum { ADDRESS_TEXT_BYTES = 64 };
/* "127.0.0.1" or "::1", without the port; "?" for another family. buffer holds ADDRESS_TEXT_BYTES.
 * Returns buffer. */
const char *address_text(const struct sockaddr *address, char *buffer);

/* The port in host order, 0 for another family. */
int address_port(const struct sockaddr *address);

#endif
