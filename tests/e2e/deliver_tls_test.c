/* Delivery over TLS: who is trusted, who is not, and what happens when the other side is gone in
 * the middle. The certificates are made by the test. */
#include "alerts/deliver.h"
#include "tests/support/receiver_process.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { MEMORY_BYTES = 1 << 20, TIMEOUT_MS = 20000 };

#define BODY \
    "{\"type\": \"stepledger.verdict\", \"version\": 1, \"status\": \"fail\", \"headline\": \"h\"}"

static char folder[] = "/tmp/stepledger-tls-XXXXXX";
static char good[64], wrong_name[64], key[64];
static const struct cidr loopback = {.bytes = {127}, .prefix_bits = 8};

static bool certificate_make(const char *path, const char *name)
{
    char names[96];
    (void)snprintf(names, sizeof names, "subjectAltName=%s", name);
    pid_t pid = fork();
    if (pid == 0) {
        if (freopen("/dev/null", "w", stderr) == NULL)
            _exit(126);
        (void)execlp("openssl", "openssl", "req", "-x509", "-key", key, "-out", path, "-days", "2",
                     "-subj", "/CN=test", "-addext", names, NULL);
        _exit(127);
    }
    int status = -1;
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static bool key_make(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        (void)execlp("openssl", "openssl", "ecparam", "-genkey", "-noout", "-name", "prime256v1",
                     "-out", key, NULL);
        _exit(127);
    }
    int status = -1;
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static int make_certificates(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(key, sizeof key, "%s/key", folder);
    (void)snprintf(good, sizeof good, "%s/good", folder);
    (void)snprintf(wrong_name, sizeof wrong_name, "%s/wrong", folder);
    return key_make() && certificate_make(good, "IP:127.0.0.1") &&
                   certificate_make(wrong_name, "DNS:example.com")
               ? 0
               : -1;
}

static int remove_certificates(void **state)
{
    (void)state;
    (void)unlink(key);
    (void)unlink(good);
    (void)unlink(wrong_name);
    return rmdir(folder);
}

static struct destination destination_of(const struct receiver_process *receiver,
                                         const char *ca_file)
{
    return (struct destination){
        .name = "test",
        .kind = "webhook",
        .url_ref = receiver->url,
        .policy = {.allowed = {&loopback, 1}, .ca_file = ca_file, .timeout_ms = TIMEOUT_MS},
    };
}

static void deliver_to(const struct destination *to, enum delivery_class expected, const char *says)
{
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    const struct delivery_request request = {"application/json",
                                             BODY,
                                             sizeof BODY - 1,
                                             "msg-1",
                                             (int64_t)time(NULL) * 1000000,
                                             NULL,
                                             0,
                                             NULL};
    struct delivery delivery;
    struct err err = {0};
    if (!deliver(to, &request, &arena, &delivery, &err))
        fail_msg("%s", err.text);
    if (delivery.class != expected || (says != NULL && strstr(delivery.reason, says) == NULL))
        fail_msg("%s: %s", delivery_class_names[delivery.class],
                 delivery.reason == NULL ? "-" : delivery.reason);
}

/* One delivery to a receiver with this certificate; the requests that reached it. */
static int deliver_once(const char *certificate, const char *ca_file, enum delivery_class expected,
                        const char *says)
{
    struct receiver_process receiver;
    const char *const options[] = {"--tls-cert", certificate, "--tls-key", key, NULL};
    receiver_start(&receiver, options);
    struct destination to = destination_of(&receiver, ca_file);
    deliver_to(&to, expected, says);
    int count = receiver_count(&receiver);
    receiver_stop(&receiver);
    return count;
}

static void trusts_no_certificate_of_unknown_origin(void **state)
{
    (void)state;
    int count = deliver_once(good, NULL, DELIVERY_RETRY,
                             "its certificate is of no authority that is trusted");
    assert_int_equal(count, 0);
}

static void trusts_the_authority_of_the_destination(void **state)
{
    (void)state;
    int count = deliver_once(good, good, DELIVERY_DONE, NULL);
    assert_int_equal(count, 1);
}

static void refuses_a_certificate_of_another_name(void **state)
{
    (void)state;
    int count =
        deliver_once(wrong_name, wrong_name, DELIVERY_RETRY, "its certificate is for another name");
    assert_int_equal(count, 0);
}

static void says_that_the_authority_file_is_unfit(void **state)
{
    (void)state;
    int count = deliver_once(good, "/nonexistent", DELIVERY_PERMANENT, "CA cert");
    assert_int_equal(count, 0);
    count = deliver_once(good, key, DELIVERY_PERMANENT, "CA cert");
    assert_int_equal(count, 0);
}

static void falls_back_to_nothing_when_the_receiver_speaks_no_tls(void **state)
{
    (void)state;
    struct receiver_process receiver;
    const char *const options[] = {NULL};
    receiver_start(&receiver, options);
    char url[300];
    (void)snprintf(url, sizeof url, "https%s", receiver.url + strlen("http"));
    struct destination to = destination_of(&receiver, NULL);
    to.url_ref = url;
    deliver_to(&to, DELIVERY_RETRY, "SSL");
    assert_int_equal(receiver_count(&receiver), 0);
    receiver_stop(&receiver);
}

static void never_follows_a_redirect_even_to_a_trusted_place(void **state)
{
    (void)state;
    struct receiver_process elsewhere, receiver;
    const char *const plain[] = {"--tls-cert", good, "--tls-key", key, NULL};
    receiver_start(&elsewhere, plain);
    char fault[300];
    (void)snprintf(fault, sizeof fault, "redirect=%s", elsewhere.url);
    const char *const options[] = {"--tls-cert", good, "--tls-key", key, "--fault", fault, NULL};
    receiver_start(&receiver, options);
    struct destination to = destination_of(&receiver, good);
    deliver_to(&to, DELIVERY_PERMANENT, "HTTP 302: redirects are not followed");
    assert_int_equal(receiver_count(&receiver), 1);
    assert_int_equal(receiver_count(&elsewhere), 0);
    receiver_stop(&receiver);
    receiver_stop(&elsewhere);
}

/* libcurl says good-bye to a connection that was reset. That write must not raise SIGPIPE, whose
 * default ends the process: libcurl 7.88 writes with MSG_NOSIGNAL even under TLS, and we hold no
 * guard of our own. */
static void survives_receivers_that_reset_the_connection(void **state)
{
    (void)state;
    static const struct {
        const char *fault;
        enum delivery_class class;
    } cases[] = {
        {"cut", DELIVERY_AMBIGUOUS},
        {"cut-answer", DELIVERY_DONE},
    };
    assert_ptr_equal(signal(SIGPIPE, SIG_DFL), SIG_DFL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct receiver_process receiver;
        const char *const options[] = {"--tls-cert", good,           "--tls-key", key,
                                       "--fault",    cases[i].fault, "--forever", NULL};
        receiver_start(&receiver, options);
        struct destination to = destination_of(&receiver, good);
        for (int round = 0; round < 10; round++)
            deliver_to(&to, cases[i].class, NULL);
        receiver_stop(&receiver);
    }
    sigset_t pending;
    assert_int_equal(sigpending(&pending), 0);
    assert_int_equal(sigismember(&pending, SIGPIPE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trusts_no_certificate_of_unknown_origin),
        cmocka_unit_test(trusts_the_authority_of_the_destination),
        cmocka_unit_test(refuses_a_certificate_of_another_name),
        cmocka_unit_test(says_that_the_authority_file_is_unfit),
        cmocka_unit_test(falls_back_to_nothing_when_the_receiver_speaks_no_tls),
        cmocka_unit_test(never_follows_a_redirect_even_to_a_trusted_place),
        cmocka_unit_test(survives_receivers_that_reset_the_connection),
    };
    return cmocka_run_group_tests(tests, make_certificates, remove_certificates);
}
