/* A transfer of libcurl that ends when the connection stands (CURLOPT_CONNECT_ONLY), behind the
 * same guard as every other. */
#include "ops/net/reach.h"

#include "ops/net/guard.h"

#include <errno.h>
#include <string.h>

/* 443, and those on which mail is taken. */
static const uint16_t ports[] = {443, 25, 465, 587};

static bool begins(const char *url, const char *scheme)
{
    return strncmp(url, scheme, strlen(scheme)) == 0;
}

bool reach(const struct http_policy *policy, const char *url, struct arena *arena,
           const char **ret_why, struct err *err)
{
    bool is_mail = begins(url, "smtp");
    bool is_plain = begins(url, "http://") || (begins(url, "smtp://") && policy->allow_http);
    scoped_curl *curl = guard_handle_new();
    if (curl == NULL)
        return err_set(err, ERR_LIMIT, "libcurl gives no handle: no memory");
    struct guard guard = {.policy = policy,
                          .ports = is_mail ? ports + 1 : ports,
                          .port_count = is_mail ? 3 : 1,
                          .plain = !is_plain ? NULL
                                   : is_mail ? "smtp"
                                             : "http"};
    const struct guard_long longs[] = {
        {CURLOPT_CONNECT_ONLY, 1},
        {CURLOPT_TIMEOUT_MS, (long)policy->timeout_ms},
        {CURLOPT_USE_SSL, is_mail && !is_plain ? CURLUSESSL_ALL : CURLUSESSL_NONE},
    };
    const struct guard_string strings[] = {{CURLOPT_URL, url},
                                           {CURLOPT_PROTOCOLS_STR, "https,http,smtp,smtps"}};
    errno = 0;
    if (!guard_set(&guard, curl) || !guard_longs_set(curl, longs, sizeof longs / sizeof longs[0]) ||
        !guard_strings_set(curl, strings, sizeof strings / sizeof strings[0]))
        return guard_option_failed(err);
    CURLcode code = curl_easy_perform(curl);
    if (code == CURLE_OUT_OF_MEMORY)
        return err_set_memory(err, "no memory for a connection");
    *ret_why = NULL;
    if (code == CURLE_OK)
        return true;
    /* Of mail also what its server says of the name that greets it. */
    const char *why =
        guard_refused(&guard) ? guard.forbidden
        : is_mail && code == CURLE_REMOTE_ACCESS_DENIED
            ? "the mail server does not accept our name; set helo to a full name that it knows"
            : guard_says(curl, code);
    *ret_why = arena_strdup(arena, why);
    return *ret_why != NULL || arena_failed(arena, "the outcome of a connection", err);
}
