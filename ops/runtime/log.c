/* Implements the logfmt line; how a value stands in it is text_harmless.h's. */
#include "ops/runtime/log.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/text.h"
#include "ops/runtime/text_harmless.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 8192 };

static const char *const event_names[] = {
#define LOG_EVENT_NAME(name) #name,
    LOG_EVENTS(LOG_EVENT_NAME)
#undef LOG_EVENT_NAME
};

static enum log_level threshold = LOG_INFO;

void log_set_level(enum log_level level)
{
    threshold = level;
}

static const char *level_name(enum log_level level)
{
    switch (level) {
    case LOG_ERROR:
        return "error";
    case LOG_WARN:
        return "warn";
    case LOG_INFO:
        return "info";
    default:
        return "debug";
    }
}

void log_event(enum log_level level, enum log_event event, ...)
{
    if (level > threshold)
        return;
    char place[LINE_MAX_BYTES + 2]; /* who has no memory left can still tell */
    struct text line;
    text_init_in(&line, place, sizeof place - 1);
    if (getenv("JOURNAL_STREAM") != NULL)
        text_addf(&line, "<%d>", (int)level);
    text_addf(&line, "level=%s event=%s", level_name(level), event_names[event]);
    va_list args;
    va_start(args, event);
    for (const char *key; (key = va_arg(args, const char *)) != NULL;) {
        const char *value = va_arg(args, const char *);
        text_addf(&line, " %s=", key);
        harmless_add(&line, HARMLESS_LOG, value == NULL ? "-" : value);
    }
    va_end(args);
    (void)memcpy(place + line.length, "\n", 2); /* a line that is too long is cut, not lost */
    (void)fputs(place, stderr);
}
