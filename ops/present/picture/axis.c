/* Places ticks: steps of 1, 2 or 5 times a power of ten. */
#include "ops/present/picture/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A range below this part of its greatest value is drawn from its own least value on. */
static const double NARROW_RANGE = 0.35;

static double round_step(double range, int steps)
{
    static const double round[] = {1, 2, 5, 10};
    double rough = range / steps;
    double power = pow(10, floor(log10(rough)));
    for (size_t i = 0; i < sizeof round / sizeof round[0]; i++) {
        if (round[i] * power >= rough * (1 - 1e-9))
            return round[i] * power;
    }
    return 10 * power;
}

static struct duration_scale scale_of(const char *unit, double largest)
{
    enum { DIGITS = 3 };
    if (strcmp(unit, "us") == 0)
        return duration_scale_for(largest, DIGITS);
    if (strcmp(unit, "bytes") == 0) {
        static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
        enum { LAST = sizeof units / sizeof *units - 1 };
        struct duration_scale scale = {1, units[0], 0};
        for (int i = 0; i < LAST && largest >= 1024 * scale.us_per_unit; i++)
            scale = (struct duration_scale){1024 * scale.us_per_unit, units[i + 1], 0};
        return scale;
    }
    if (strcmp(unit, "per_s") == 0)
        return (struct duration_scale){1, "/s", 0};
    return strcmp(unit, "share") == 0 ? (struct duration_scale){0.01, "%", 0}
                                      : (struct duration_scale){1, "", 0};
}

struct axis axis_between(const char *unit, double low, double high, int steps)
{
    struct axis axis = {0};
    double largest = fmax(fabs(low), fabs(high));
    if (!(high > low)) { /* one value: room around it */
        double room = largest > 0 ? 0.05 * largest : 1;
        low -= room;
        high += room;
        largest += room;
    }
    axis.scale = scale_of(unit, largest);
    double step = round_step((high - low) / axis.scale.us_per_unit, steps);
    axis.scale.decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
    axis.step = step * axis.scale.us_per_unit;
    axis.low = floor(low / axis.step + 1e-9) * axis.step;
    axis.high = ceil(high / axis.step - 1e-9) * axis.step;
    return axis;
}

struct axis axis_over(const char *unit, double low, double high, int steps)
{
    bool narrow = low > 0 && high - low < NARROW_RANGE * high;
    double room = high > low ? 0.08 * (high - low) : 0;
    if (narrow)
        return axis_between(unit, low - room, high + room, steps);
    return axis_between(unit, low < 0 ? low : 0, high > low || high > 0 ? high + room : 1, steps);
}

double axis_px(const struct axis *axis, double value)
{
    double share = (value - axis->low) / (axis->high - axis->low);
    return axis->start + (axis->end - axis->start) * fmin(fmax(share, 0), 1);
}

const char *axis_words(const struct axis *axis, double value, bool with_sign, char *buffer)
{
    double shown = value / axis->scale.us_per_unit;
    const char *blank = axis->scale.unit[0] != '\0' ? " " : "";
    if (fabs(value) < 1e-9 * axis->step)
        (void)snprintf(buffer, FORMAT_BYTES, "0%s%s", blank, axis->scale.unit);
    else
        (void)snprintf(buffer, FORMAT_BYTES, with_sign ? "%+.*f%s%s" : "%.*f%s%s",
                       axis->scale.decimals, shown, blank, axis->scale.unit);
    return buffer;
}

static size_t tick_count(const struct axis *axis)
{
    enum { TICKS_MAX = 24 };
    double steps = (axis->high - axis->low) / axis->step;
    return steps >= 1 && steps < TICKS_MAX ? (size_t)lround(steps) + 1 : 2;
}

double axis_words_width(const struct axis *axis, bool with_sign)
{
    char label[FORMAT_BYTES];
    double widest = 0;
    for (size_t i = 0; i < tick_count(axis); i++)
        widest = fmax(widest, canvas_words_width(axis_words(
                                  axis, axis->low + (double)i * axis->step, with_sign, label)));
    return widest;
}

void axis_draw_standing(const struct axis *axis, double x, double width, struct canvas *canvas)
{
    char label[FORMAT_BYTES];
    for (size_t i = 0; i < tick_count(axis); i++) {
        double value = axis->low + (double)i * axis->step, y = axis_px(axis, value);
        canvas_line(canvas, "line", (struct spot){x, y}, (struct spot){x + width, y});
        canvas_words(canvas, "soft", (struct caption){{x - 8, y + 4}, ANCHOR_END, 0},
                     axis_words(axis, value, false, label));
    }
}

void axis_draw_lying(const struct axis *axis, double top, double bottom, bool with_sign,
                     struct canvas *canvas)
{
    char label[FORMAT_BYTES];
    double room = (axis->end - axis->start) / (double)(tick_count(axis) - 1);
    size_t every = (size_t)ceil((axis_words_width(axis, with_sign) + 10) / room);
    for (size_t i = 0; i < tick_count(axis); i++) {
        double value = axis->low + (double)i * axis->step, x = axis_px(axis, value);
        canvas_line(canvas, "line", (struct spot){x, top}, (struct spot){x, bottom});
        if (i % every == 0)
            canvas_words(canvas, "soft", (struct caption){{x, bottom + 16}, ANCHOR_MIDDLE, 0},
                         axis_words(axis, value, with_sign, label));
    }
}
