/* Draws one line, over and over. */
#include "ops/cli/bar.h"

#include "ops/runtime/clock.h"
#include "ops/runtime/text_harmless.h"

#include <stdio.h>
#include <string.h>

enum { BAR_WIDTH = 40, BAR_EVERY_MS = 100, NAME_MAX_BYTES = 4096 };

void bar_draw(void *context, int64_t done, int64_t total)
{
    struct progress_bar *bar = context;
    int64_t now = clock_monotonic_ms();
    if (done > total)
        done = total;
    if (total <= 0 || (bar->drawn && now - bar->drawn_ms < BAR_EVERY_MS))
        return;
    bar->drawn_ms = now;
    bar->drawn = true;
    int filled = (int)(done * BAR_WIDTH / total);
    char line[BAR_WIDTH + 1];
    memset(line, ' ', BAR_WIDTH);
    memset(line, '#', (size_t)filled);
    line[BAR_WIDTH] = '\0';
    scoped_text name;
    text_init(&name, NAME_MAX_BYTES);
    harmless_add(&name, HARMLESS_LINE, bar->name);
    (void)fprintf(stderr, "\r[%s] %3d %%  %.1f of %.1f MB  %s", line, (int)(done * 100 / total),
                  (double)done / 1e6, (double)total / 1e6, text_shown(&name));
}

void bar_clear(const struct progress_bar *bar)
{
    if (bar->drawn)
        (void)fprintf(stderr, "\r\033[K");
}
