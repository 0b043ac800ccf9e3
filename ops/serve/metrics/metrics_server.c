/* The HTTP side of the metrics: one thread of libmicrohttpd, which alone uses the connection. */
#include "ops/serve/metrics/metrics.h"

#include "ops/runtime/log.h"
#include "ops/serve/process/process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    PAGE_BYTES_MAX = 1 << 20,
    STATUS_BYTES_MAX = 8 << 20,
    CONNECTIONS_MAX = 64,
    CONNECTIONS_KEPT = 48, /* beyond, the oldest gives way to the next */
    CLIENT_TIMEOUT_S = 10,
    CHECK_MS = 60000,
    PORT_ANSWER_S = 3,
    PORT_ANSWER_BYTES = 4096, /* of an answer: its head and first numbers */
};

/* Writes the page of that path; returns its HTTP status. */
static unsigned page_write(struct ledger_link *link, const char *path, struct text *out)
{
    bool is_health = strcmp(path, "/healthz") == 0;
    if (!is_health && strcmp(path, "/metrics") != 0) {
        text_add(out, "there is /metrics and /healthz\n");
        return MHD_HTTP_NOT_FOUND;
    }
    struct service_status status = {0};
    struct err err = {0};
    scoped_arena arena;
    arena_init(&arena, STATUS_BYTES_MAX);
    bool up = ledger_link_ready(link, NULL, &err);
    if (up) {
        up = service_status_read(link->db, &arena, &status, &err) &&
             arena_ok(&arena, "the status", &err);
        if (!up)
            (void)ledger_link_check(link, &err);
    }
    if (is_health)
        text_add(out, up ? "ok\n" : "the database is away\n");
    else
        metrics_write(&status, up, out);
    return up || !is_health ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE;
}

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status,
                              const struct text *body)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        body->length, (void *)(uintptr_t)text_string(body), MHD_RESPMEM_MUST_COPY);
    if (response == NULL)
        return MHD_NO;
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
                                  "text/plain; version=0.0.4; charset=utf-8");
    enum MHD_Result queued = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return queued;
}

/* Open connections, oldest first. Only libmicrohttpd's thread uses them. */
struct clients {
    struct MHD_Connection *items[CONNECTIONS_MAX];
    size_t count;
};

/* Who sends a byte now and then is never silent for long enough to be timed out, and a few of them
 * would keep everybody else away: a scrape is short, so the oldest goes when there are many. */
static void client_note(void *context, struct MHD_Connection *connection, void **state,
                        enum MHD_ConnectionNotificationCode code)
{
    struct clients *clients = context;
    size_t i = 0;
    (void)state;
    if (code == MHD_CONNECTION_NOTIFY_STARTED && clients->count < CONNECTIONS_MAX)
        clients->items[clients->count++] = connection;
    while (code == MHD_CONNECTION_NOTIFY_CLOSED && i < clients->count &&
           clients->items[i] != connection)
        i++;
    bool leaves = clients->count > CONNECTIONS_KEPT;
    if (leaves && code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(clients->items[0], MHD_CONNECTION_INFO_CONNECTION_FD);
        (void)shutdown(info->connect_fd, SHUT_RDWR); /* it is closed as if the client had */
    }
    leaves |= code == MHD_CONNECTION_NOTIFY_CLOSED && i < clients->count;
    if (leaves)
        memmove(clients->items + i, clients->items + i + 1,
                (--clients->count - i) * sizeof clients->items[0]);
}

/* libmicrohttpd's own signature: it calls once for the head of a request, and again for its end. */
static enum MHD_Result request_take(void *context, struct MHD_Connection *connection,
                                    const char *path, const char *method, const char *version,
                                    const char *upload, size_t *upload_length, void **state)
{
    static int begun;
    (void)version;
    (void)upload;
    scoped_text body;
    text_init(&body, PAGE_BYTES_MAX);
    /* At its head: what else it claims to send is not waited for. */
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
        text_add(&body, "GET only\n");
        return answer(connection, MHD_HTTP_METHOD_NOT_ALLOWED, &body);
    }
    if (*state == NULL) {
        *state = &begun;
        return MHD_YES;
    }
    *upload_length = 0;
    unsigned status = page_write(context, path, &body);
    return answer(connection, body.failed ? MHD_HTTP_INTERNAL_SERVER_ERROR : status, &body);
}

static struct sockaddr_in address_of(const struct conf *conf)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)conf_int(conf, CONF_metrics_port)),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

/* Whether what answers there are the numbers of a service of ours. */
static bool port_is_ours(const struct sockaddr_in *address)
{
    static const char ask[] = "GET /metrics HTTP/1.0\r\n\r\n", ours[] = "stepledger_";
    const struct timeval patience = {.tv_sec = PORT_ANSWER_S};
    char answer[PORT_ANSWER_BYTES] = "";
    size_t length = 0;
    ssize_t got = 0;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool asked = fd >= 0 &&
                 setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0 &&
                 connect(fd, (const struct sockaddr *)address, sizeof *address) == 0 &&
                 send(fd, ask, sizeof ask - 1, MSG_NOSIGNAL) == (ssize_t)(sizeof ask - 1);
    while (asked && length < sizeof answer - 1 &&
           (got = recv(fd, answer + length, sizeof answer - 1 - length, 0)) > 0)
        length += (size_t)got;
    if (fd >= 0)
        (void)close(fd);
    return strstr(answer, ours) != NULL;
}

bool metrics_port_check(const struct conf *conf, struct err *err)
{
    const struct sockaddr_in address = address_of(conf);
    if (address.sin_port == 0)
        return true;
    const int yes = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_free = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                   bind(fd, (const struct sockaddr *)&address, sizeof address) == 0;
    int number = errno;
    if (fd >= 0)
        (void)close(fd);
    if (is_free || (number == EADDRINUSE && port_is_ours(&address)))
        return true;
    errno = number;
    return err_set_errno(err, ERR_UNAVAILABLE,
                         "metrics_port: `serve` cannot serve metrics on 127.0.0.1:%s: end what "
                         "listens there, or set another port",
                         conf_text(conf, CONF_metrics_port));
}

bool metrics_run(const struct conf *conf, const char *conninfo, struct err *err)
{
    struct signals signals;
    struct ledger_link link = {.conninfo = conninfo};
    struct clients clients = {0};
    struct sockaddr_in address = address_of(conf);
    if (address.sin_port == 0)
        return err_set(err, ERR_USAGE, "no port for metrics: set metrics_port");
    if (!signals_open(&signals, err))
        return false;
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, request_take, &link, MHD_OPTION_SOCK_ADDR,
        &address, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)CLIENT_TIMEOUT_S, MHD_OPTION_NOTIFY_CONNECTION,
        client_note, &clients, MHD_OPTION_END);
    if (daemon == NULL) {
        (void)close(signals.fd);
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot serve metrics on 127.0.0.1:%s",
                             conf_text(conf, CONF_metrics_port));
    }
    log_event(LOG_INFO, LOG_worker_started, "kind", "metrics", "port",
              conf_text(conf, CONF_metrics_port), NULL);
    while (!signals.stop)
        signals_wait(&signals, NULL, 0, CHECK_MS);
    MHD_stop_daemon(daemon);
    ledger_link_close(&link);
    (void)close(signals.fd);
    log_event(LOG_INFO, LOG_worker_stopped, "kind", "metrics", NULL);
    return true;
}
