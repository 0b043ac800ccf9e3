/* Implements the guard: one table of options, and the decision on each address. */
#include "ops/net/guard.h"

#include <openssl/x509_vfy.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

enum { CONNECT_TIMEOUT_MS = 5000 };

/* ---- the library ---- */

static pthread_once_t library_once = PTHREAD_ONCE_INIT;

/* Who talks to the network holds secrets: a crash leaves no file of its memory, nor hands it to a
 * program that collects crashes (those are not bound by the limit), and no process of the same user
 * can look into it. */
static void library_start(void)
{
    struct rlimit limit;
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (getrlimit(RLIMIT_CORE, &limit) == 0) {
        limit.rlim_cur = 0;
        (void)setrlimit(RLIMIT_CORE, &limit);
    }
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        memory_end();
}

CURL *guard_handle_new(void)
{
    (void)pthread_once(&library_once, library_start);
    return memory_given(curl_easy_init());
}

/* ---- the address, at connect time ---- */

static bool port_listed(const uint16_t *ports, size_t count, int port)
{
    for (size_t i = 0; i < count; i++) {
        if (ports[i] == port)
            return true;
    }
    return false;
}

/* What speaks against this address; false when nothing does. A listed one is the operator's own
 * decision. */
static bool address_forbidden(const struct guard *guard, const struct sockaddr *address,
                              char why[GUARD_WHY_BYTES])
{
    const struct http_policy *policy = guard->policy;
    bool listed = address_listed(address, &policy->allowed);
    int port = address_port(address);
    char text[ADDRESS_TEXT_BYTES];
    (void)address_text(address, text);
    if (!address_allowed(address, &policy->allowed))
        (void)snprintf(why, GUARD_WHY_BYTES,
                       "its address %s is %s, which is refused unless allow_addresses lists it",
                       text, address_range(address));
    else if (!listed && guard->plain != NULL)
        (void)snprintf(why, GUARD_WHY_BYTES,
                       "its address %s is public, and %s to it is refused unless "
                       "allow_addresses lists it; use %ss",
                       text, guard->plain, guard->plain);
    else if (!listed && !port_listed(guard->ports, guard->port_count, port) &&
             !port_listed(policy->ports, policy->port_count, port))
        (void)snprintf(why, GUARD_WHY_BYTES,
                       "port %d of the public address %s is refused unless allow_ports lists it",
                       port, text);
    else
        return false;
    return true;
}

static curl_socket_t open_socket(void *user, curlsocktype purpose, struct curl_sockaddr *target)
{
    struct guard *guard = user;
    if (purpose != CURLSOCKTYPE_IPCXN || address_forbidden(guard, &target->addr, guard->forbidden))
        return CURL_SOCKET_BAD;
    guard->permitted_count++;
    return socket(target->family, target->socktype | SOCK_CLOEXEC, target->protocol);
}

bool guard_refused(const struct guard *guard)
{
    return guard->permitted_count == 0 && guard->forbidden[0] != '\0';
}

/* ---- words ---- */

/* OpenSSL's verdict on the certificate. Names are compared by libcurl, when that was fine. */
static const char *certificate_says(long verdict)
{
    switch (verdict) {
    case X509_V_OK:
    case X509_V_ERR_UNSPECIFIED: /* libcurl's, before OpenSSL has spoken */
        return "its certificate is for another name";
    case X509_V_ERR_CERT_HAS_EXPIRED:
        return "its certificate has expired";
    case X509_V_ERR_CERT_NOT_YET_VALID:
        return "its certificate is not valid yet, or the clock here is behind";
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        return "its certificate is of no authority that is trusted here; ca_file names one of your "
               "own";
    default:
        return "its certificate is not fit to be trusted";
    }
}

const char *guard_says(CURL *curl, CURLcode code)
{
    long verdict = X509_V_OK;
    if (code == CURLE_USE_SSL_FAILED)
        return "it offers no STARTTLS, and nothing is sent in the clear";
    if (code != CURLE_PEER_FAILED_VERIFICATION ||
        curl_easy_getinfo(curl, CURLINFO_SSL_VERIFYRESULT, &verdict) != CURLE_OK)
        return curl_easy_strerror(code);
    return certificate_says(verdict);
}

/* ---- options ---- */

struct curl_slist *guard_list(const char *const *items, size_t count)
{
    struct curl_slist *list = NULL;
    for (size_t i = 0; i < count; i++)
        list = memory_given(curl_slist_append(list, items[i]));
    return list;
}

/* The kind of its value is part of an option's number. */
static CURLcode option_set(CURL *curl, const struct guard_option *option)
{
    switch (option->option / CURLOPTTYPE_OBJECTPOINT * CURLOPTTYPE_OBJECTPOINT) {
    case CURLOPTTYPE_LONG:
        return curl_easy_setopt(curl, option->option, (long)option->value);
    case CURLOPTTYPE_OFF_T:
        return curl_easy_setopt(curl, option->option, (curl_off_t)option->value);
    default:
        return option->value == 0 ? CURLE_OK
                                  : curl_easy_setopt(curl, option->option, (void *)option->value);
    }
}

bool guard_set(struct guard *guard, CURL *curl, const struct guard_option *options, size_t count,
               struct err *err)
{
    const struct guard_option common[] = {
        {CURLOPT_NOSIGNAL, 1},
        {CURLOPT_DISALLOW_USERNAME_IN_URL, 1},
        {CURLOPT_NETRC, CURL_NETRC_IGNORED},
        {CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2},
        {CURLOPT_SSL_VERIFYPEER, 1},
        {CURLOPT_SSL_VERIFYHOST, 2},
        {CURLOPT_FORBID_REUSE, 1},
        {CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS},
        /* not even the environment's: it would move the check of the address away */
        {CURLOPT_PROXY, (intptr_t) ""},
        {CURLOPT_PRE_PROXY, (intptr_t) ""},
        {CURLOPT_CAINFO, (intptr_t)guard->policy->ca_file},
        {CURLOPT_OPENSOCKETFUNCTION, (intptr_t)open_socket},
        {CURLOPT_OPENSOCKETDATA, (intptr_t)guard},
    };
    const size_t common_count = sizeof common / sizeof common[0];
    for (size_t i = 0; i < common_count + count; i++) {
        CURLcode code =
            option_set(curl, i < common_count ? &common[i] : &options[i - common_count]);
        if (code == CURLE_OUT_OF_MEMORY)
            memory_end();
        if (code != CURLE_OK)
            return err_set(err, ERR_BUG, "libcurl refuses an option that exchanges need");
    }
    return true;
}
