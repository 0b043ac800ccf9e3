/* A transfer of libcurl that ends when the connection stands (CURLOPT_CONNECT_ONLY), behind the
 * same guard as every other. */
#include "ops/net/reach.h"

#include "ops/net/guard.h"

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
    struct guard guard = {.policy = policy,
                          .ports = is_mail ? ports + 1 : ports,
                          .port_count = is_mail ? 3 : 1,
                          .plain = !is_plain ? NULL
                                   : is_mail ? "smtp"
                                             : "http"};
    const struct guard_option options[] = {
        {CURLOPT_CONNECT_ONLY, 1},
        {CURLOPT_TIMEOUT_MS, policy->timeout_ms},
        {CURLOPT_USE_SSL, is_mail && !is_plain ? CURLUSESSL_ALL : CURLUSESSL_NONE},
        {CURLOPT_URL, (intptr_t)url},
        {CURLOPT_PROTOCOLS_STR, (intptr_t) "https,http,smtp,smtps"},
    };
    if (!guard_set(&guard, curl, options, sizeof options / sizeof options[0], err))
        return false;
    CURLcode code = curl_easy_perform(curl);
    if (code == CURLE_OUT_OF_MEMORY)
        memory_end();
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
    return true;
}
