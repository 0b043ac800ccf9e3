/* Tests of ops/net/url: which URLs a delivery takes, and that the shown form gives nothing away. */
#include "ops/net/url.h"

#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { MEMORY_BYTES = 1 << 20 };

static void shows_scheme_host_and_a_tag_alone(void **state)
{
    (void)state;
    /* The tags are the first 8 digits of: printf '%s' URL | sha256sum */
    static const struct {
        const char *url, *shown;
    } cases[] = {
        {"https://hooks.slack.com/services/T0/B0/planted?sig=planted",
         "https://hooks.slack.com/… (url 19f9b713)"},
        {"https://example.com", "https://example.com/… (url 100680ad)"},
        {"http://127.0.0.1:8080/planted", "http://127.0.0.1:8080/… (url 6988f218)"},
        {"https://planted:planted@example.com/", "https://example.com/… (url b43a5c5a)"},
        {"https://[::1]:9/planted", "https://[::1]:9/… (url 10a7ff66)"},
        {"planted planted", "(url 7c4aa3a5)"},
        {"", "(url e3b0c442)"},
    };
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(url_redacted(&arena, cases[i].url), cases[i].shown);
}

static void takes_https_and_http_only_where_it_is_allowed(void **state)
{
    (void)state;
    assert_true(url_check("https://example.com/x?y=z#f", false, NULL));
    assert_true(url_check("HTTPS://EXAMPLE.COM:8443/", false, NULL));
    assert_true(url_check("http://example.com/", true, NULL));
    assert_true(url_check("https://2130706433/", false, NULL)); /* the address decides, later */
}

static void names_what_is_wrong_with_a_url_without_quoting_it(void **state)
{
    (void)state;
    static const struct {
        const char *url, *says;
        bool allow_http;
    } cases[] = {
        {"http://example.com/planted", "set allow_http = yes", false},
        {"https://planted@example.com/", "user name or password", false},
        {"https://u:planted@example.com/", "user name or password", true},
        {"https://:planted@example.com/", "user name or password", true},
        {"ftp://example.com/planted", "scheme other than https", true},
        {"file:///etc/planted", "scheme other than https", true},
        {"gopher://example.com/planted", "scheme other than https", true},
        {"javascript:planted", "is no URL", true},
        {"/planted", "is no URL", true},
        {"example.com/planted", "is no URL", true},
        {"https://exa mple/planted", "is no URL", true},
        {"https://example.com/planted\nx: y", "is no URL", true},
        {"", "is no URL", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err err = {0};
        if (url_check(cases[i].url, cases[i].allow_http, &err))
            fail_msg("'%s' was taken", cases[i].url);
        assert_int_equal(err.kind, ERR_USAGE);
        if (strstr(err.text, cases[i].says) == NULL || strstr(err.text, "planted") != NULL)
            fail_msg("'%s': %s", cases[i].url, err.text);
    }
}

static void refuses_an_endless_url(void **state)
{
    (void)state;
    static char url[20000];
    memset(url, 'a', sizeof url - 1);
    memcpy(url, "https://example.com/", 20);
    struct err err = {0};
    assert_false(url_check(url, false, &err));
    assert_true(strlen(err.text) < 200);
}

static void escapes_what_is_not_unreserved(void **state)
{
    (void)state;
    enum { ARENA_BYTES = 1 << 12 };
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    assert_string_equal(url_escape("a-Z_0.9~", false, &arena), "a-Z_0.9~");
    assert_string_equal(url_escape("a b/c&d=\xc3\xbc%", false, &arena),
                        "a%20b%2Fc%26d%3D%C3%BC%25");
    assert_string_equal(url_escape("a b/c", true, &arena), "a%20b/c");
    assert_string_equal(url_escape("", false, &arena), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_scheme_host_and_a_tag_alone),
        cmocka_unit_test(takes_https_and_http_only_where_it_is_allowed),
        cmocka_unit_test(names_what_is_wrong_with_a_url_without_quoting_it),
        cmocka_unit_test(refuses_an_endless_url),
        cmocka_unit_test(escapes_what_is_not_unreserved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
