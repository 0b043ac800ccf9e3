/* Source of the protocol: sd_notify(3), sd_watchdog_enabled(3). */
#include "ops/serve/process/systemd.h"

#include "ops/runtime/file.h"
#include "ops/runtime/text.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

void systemd_tell(const char *assignments)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = getenv("NOTIFY_SOCKET");
    size_t length = path == NULL ? 0 : strlen(path);
    if (length < 2 || length >= sizeof address.sun_path || strchr("/@", path[0]) == NULL)
        return;
    memcpy(address.sun_path, path, length);
    if (path[0] == '@')
        address.sun_path[0] = '\0'; /* a name in the abstract space */
    scoped_fd fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    if (fd >= 0)
        (void)sendto(fd, assignments, strlen(assignments), MSG_NOSIGNAL | MSG_DONTWAIT,
                     (const struct sockaddr *)(const void *)&address, size);
}

int64_t systemd_watchdog_ms(void)
{
    int64_t wait_us, pid;
    const char *wait = getenv("WATCHDOG_USEC"), *meant = getenv("WATCHDOG_PID");
    if (wait == NULL || !text_parse_i64(wait, &wait_us) || wait_us <= 0)
        return 0;
    if (meant != NULL && (!text_parse_i64(meant, &pid) || pid != getpid()))
        return 0;
    return wait_us / 2000 + 1;
}
