/* The name by which we greet a mail server: by the host name, by what the resolver calls it, or by
 * a socket that is connected without sending (UDP), which tells the address that the route to the
 * server has. */
#include "ops/net/smtp/smtp.h"
#include "ops/net/url_handle.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 253, LABEL_MAX_BYTES = 63, NO_PORT = 9 };

static const char literal_v6[] = "IPv6:", nobody[] = "[127.0.0.1]";

static inline void addresses_cleanup(struct addrinfo **list)
{
    if (*list != NULL)
        freeaddrinfo(*list);
}
#define scoped_addresses __attribute__((cleanup(addresses_cleanup))) struct addrinfo

static inline void socket_cleanup(const int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}
#define scoped_socket __attribute__((cleanup(socket_cleanup))) int

/* ---- the form ---- */

/* Letters, digits and inner hyphens; the last label of a name is no number. */
static bool is_full_name(const char *name)
{
    size_t labels = 0;
    const char *last = name;
    if (strlen(name) > NAME_MAX_BYTES)
        return false;
    for (const char *p = name;; labels++) {
        size_t length = strcspn(p, ".");
        if (length == 0 || length > LABEL_MAX_BYTES || p[0] == '-' || p[length - 1] == '-')
            return false;
        for (size_t i = 0; i < length; i++)
            if (!isalnum((unsigned char)p[i]) && p[i] != '-')
                return false;
        last = p;
        if (p[length] == '\0')
            break;
        p += length + 1;
    }
    return labels > 0 && last[strspn(last, "0123456789")] != '\0';
}

bool smtp_name_fits(const char *name)
{
    if (is_full_name(name))
        return true;
    char inner[INET6_ADDRSTRLEN + sizeof literal_v6];
    struct in6_addr address;
    size_t length = strlen(name);
    if (length < 2 || name[0] != '[' || name[length - 1] != ']' || length - 2 >= sizeof inner)
        return false;
    memcpy(inner, name + 1, length - 2);
    inner[length - 2] = '\0';
    bool v6 = strncasecmp(inner, literal_v6, sizeof literal_v6 - 1) == 0;
    return inet_pton(v6 ? AF_INET6 : AF_INET, v6 ? inner + sizeof literal_v6 - 1 : inner,
                     &address) == 1;
}

/* ---- this machine ---- */

static bool is_ours(const char *name)
{
    return is_full_name(name) && strcasecmp(name, "localhost.localdomain") != 0;
}

static const char *own_name(struct arena *arena)
{
    char host[NAME_MAX_BYTES + 1] = "";
    scoped_addresses *found = NULL;
    const struct addrinfo wanted = {.ai_flags = AI_CANONNAME, .ai_socktype = SOCK_STREAM};
    if (gethostname(host, sizeof host - 1) != 0)
        return NULL;
    if (is_ours(host))
        return arena_strdup(arena, host);
    bool known = getaddrinfo(host, NULL, &wanted, &found) == 0 && found->ai_canonname != NULL &&
                 is_ours(found->ai_canonname);
    return known ? arena_strdup(arena, found->ai_canonname) : NULL;
}

static bool literal_print(const struct sockaddr_storage *own, char *out, size_t size)
{
    char text[INET6_ADDRSTRLEN];
    bool v6 = own->ss_family == AF_INET6;
    const void *address = v6 ? (const void *)&((const struct sockaddr_in6 *)own)->sin6_addr
                             : (const void *)&((const struct sockaddr_in *)own)->sin_addr;
    return inet_ntop(own->ss_family, address, text, sizeof text) != NULL &&
           snprintf(out, size, "[%s%s]", v6 ? literal_v6 : "", text) < (int)size;
}

/* The address that packets to the host would leave from. */
static bool route_find(const char *host, char *out, size_t size)
{
    scoped_addresses *found = NULL;
    const struct addrinfo wanted = {.ai_socktype = SOCK_DGRAM};
    char port[8];
    (void)snprintf(port, sizeof port, "%d", NO_PORT);
    if (getaddrinfo(host, port, &wanted, &found) != 0)
        return false;
    for (const struct addrinfo *item = found; item != NULL; item = item->ai_next) {
        struct sockaddr_storage own = {0};
        socklen_t length = sizeof own;
        scoped_socket fd = socket(item->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (fd >= 0 && connect(fd, item->ai_addr, item->ai_addrlen) == 0 &&
            getsockname(fd, (struct sockaddr *)&own, &length) == 0 &&
            literal_print(&own, out, size))
            return true;
    }
    return false;
}

static const char *name_make(CURLU *handle, struct arena *arena)
{
    const char *name = own_name(arena);
    char literal[INET6_ADDRSTRLEN + sizeof literal_v6 + 2];
    if (name != NULL)
        return name;
    scoped_part *host = url_part(handle, CURLUPART_HOST);
    size_t length = host == NULL ? 0 : strlen(host), brackets = length > 2 && host[0] == '[';
    if (host != NULL)
        host[length - brackets] = '\0'; /* an IPv6 address stands in brackets there */
    bool found = host != NULL && route_find(host + brackets, literal, sizeof literal);
    return arena_strdup(arena, found ? literal : nobody);
}

bool smtp_place(const char *configured, const char *url, struct arena *arena, const char **ret_url,
                const char **ret_name, struct err *err)
{
    scoped_url *handle = url_parsed(url, 0);
    char path[NAME_MAX_BYTES + 2];
    if (handle == NULL)
        return err_set(err, ERR_USAGE, "the URL is none of a mail server");
    scoped_part *old = NULL;
    bool written = configured == NULL &&
                   curl_url_get(handle, CURLUPART_PATH, &old, CURLU_URLDECODE) == CURLUE_OK &&
                   old[0] == '/' && old[1] != '\0';
    const char *name = written              ? arena_strdup(arena, old + 1)
                       : configured != NULL ? configured
                                            : name_make(handle, arena);
    (void)snprintf(path, sizeof path, "/%s", name);
    (void)url_part_set(handle, CURLUPART_PATH, path, CURLU_URLENCODE);
    scoped_part *whole = url_part(handle, CURLUPART_URL);
    *ret_url = arena_strdup(arena, whole == NULL ? url : whole);
    *ret_name = name;
    return true;
}
