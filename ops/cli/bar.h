/* A progress bar on stderr, for what may take long on a terminal. */
#ifndef OPS_CLI_BAR_H
#define OPS_CLI_BAR_H

#include <stdbool.h>
#include <stdint.h>

struct progress_bar {
    const char *name; /* what is going on; set by the caller, all else zeroed */
    int64_t drawn_ms;
    bool drawn;
};

/* Draws it, at most ten times a second; context is the bar. Fit to be a progress callback. */
void bar_draw(void *context, int64_t done, int64_t total);

/* Takes it off the terminal when it was drawn. */
void bar_clear(const struct progress_bar *bar);

#endif
