/* Implements the guard: one table of options, and the decision on each address. */
#include "ops/net/guard.h"

#include <errno.h>
#include <openssl/x509_vfy.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

enum { CONNECT_TIMEOUT_MS = 5000 };

/* ---- the library ---- */

static pthread_once_t library_once = PTHREAD_ONCE_INIT;
static CURLcode library_state = CURLE_FAILED_INIT;

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
    library_state = curl_global_init(CURL_GLOBAL_DEFAULT);
}

CURL *guard_handle_new(void)
{
    (void)pthread_once(&library_once, library_start);
    return library_state == CURLE_OK ? curl_easy_init() : NULL;
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

bool guard_option_failed(struct err *err)
{
    return errno == ENOMEM ? err_set_memory(err, "no memory for the options of an exchange")
                           : err_set(err, ERR_BUG, "libcurl refuses an option that exchanges need");
}

bool guard_longs_set(CURL *curl, const struct guard_long *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (curl_easy_setopt(curl, options[i].option, options[i].value) != CURLE_OK)
            return false;
    }
    return true;
}

bool guard_strings_set(CURL *curl, const struct guard_string *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (options[i].value != NULL &&
            curl_easy_setopt(curl, options[i].option, options[i].value) != CURLE_OK)
            return false;
    }
    return true;
}

bool guard_list_make(const char *const *items, size_t count, struct curl_slist **ret_list)
{
    for (size_t i = 0; i < count; i++) {
        struct curl_slist *longer = curl_slist_append(*ret_list, items[i]);
        if (longer == NULL)
            return false;
        *ret_list = longer;
    }
    return true;
}

bool guard_set(struct guard *guard, CURL *curl)
{
    static const struct guard_long longs[] = {
        {CURLOPT_NOSIGNAL, 1},
        {CURLOPT_DISALLOW_USERNAME_IN_URL, 1},
        {CURLOPT_NETRC, CURL_NETRC_IGNORED},
        {CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2},
        {CURLOPT_SSL_VERIFYPEER, 1},
        {CURLOPT_SSL_VERIFYHOST, 2},
        {CURLOPT_FORBID_REUSE, 1},
        {CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS},
    };
    const struct guard_string strings[] = {
        {CURLOPT_PROXY,
         ""}, /* not even the environment's: it would move the check of the address away */
        {CURLOPT_PRE_PROXY, ""},
        {CURLOPT_CAINFO, guard->policy->ca_file},
    };
    return guard_longs_set(curl, longs, sizeof longs / sizeof longs[0]) &&
           guard_strings_set(curl, strings, sizeof strings / sizeof strings[0]) &&
           curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, guard) == CURLE_OK;
}
