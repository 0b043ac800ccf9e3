/* Draws charts of bars. */
#include "ops/present/picture/chart.h"

#include "ops/present/picture/axis.h"
#include "ops/present/words/words.h"

#include <math.h>
#include <stdio.h>

enum {
    ROW = 24, /* of a share */
    NUMBER = 60,
    SERIES_HEIGHT = 130,
    BAR_PX = 2 /* the least that a bar takes; where there are more, neighbours share one */
};

static void shares_draw(const struct chart *chart, struct canvas *canvas)
{
    double labels = 0, top = 8;
    for (size_t i = 0; i < chart->bar_count; i++)
        labels = fmax(labels, canvas_words_width(chart->bars[i].label));
    labels = fmin(labels, canvas->width / 3) + 16;
    double room = canvas->width - labels - NUMBER;
    for (size_t i = 0; i < chart->bar_count; i++) {
        const struct bar *bar = &chart->bars[i];
        double y = top + (double)i * ROW;
        double share = fmin(fmax(bar->value, 0), 1);
        char number[FORMAT_BYTES];
        canvas_words(canvas, "ink", (struct caption){{labels - 8, y + 15}, ANCHOR_END, labels - 16},
                     bar->label);
        canvas_rect(canvas, tone_ink(bar->tone),
                    (struct area){labels, y + 4, fmax(room * share, 1), ROW - 8}, bar->label);
        canvas_words(canvas, "soft",
                     (struct caption){{labels + room * share + 6, y + 15}, ANCHOR_START, 0},
                     format_share(bar->value, number));
    }
    canvas->height = top + (double)chart->bar_count * ROW + 4;
}

static void series_draw(const struct chart *chart, struct canvas *canvas)
{
    struct chart_range range = chart_range_of(chart);
    enum { DIGITS = 5, TITLE_DIGITS = 4 };
    struct axis axis = axis_over("us", range.low, range.high, 3);
    double left = 16 + axis_words_width(&axis, false), width = canvas->width - left - 8;
    size_t most = (size_t)(width / BAR_PX);
    size_t count = chart->bar_count < most ? chart->bar_count : most;
    double pitch = width / (double)count, bar_width = fmin(pitch > 4 ? pitch - 1 : pitch, 60);
    axis.end = 32;
    axis.start = axis.end + SERIES_HEIGHT;
    char longest[FORMAT_BYTES], median[FORMAT_BYTES];
    canvas_words(canvas, "ink strong", (struct caption){{8, 18}, ANCHOR_START, canvas->width - 16},
                 arena_printf(canvas->arena, "%s, longest %s%s%s%s", chart->title,
                              format_duration(range.high, TITLE_DIGITS, longest),
                              chart->reference > 0 ? ", median " : "",
                              chart->reference > 0
                                  ? format_duration(chart->reference, TITLE_DIGITS, median)
                                  : "",
                              axis.low > 0 ? " (the axis does not start at 0)" : ""));
    axis_draw_standing(&axis, left, width, canvas);
    for (size_t i = 0; i < count; i++) {
        const struct bar *bar = chart_column(chart, i, count);
        char number[FORMAT_BYTES], title[FORMAT_BYTES * 3];
        double y = fmin(axis_px(&axis, bar->value), axis.start - 1);
        (void)snprintf(title, sizeof title, "%.80s: %s", bar->label,
                       format_duration(bar->value, DIGITS, number));
        canvas_rect(canvas, tone_ink(bar->tone),
                    (struct area){left + (double)i * pitch, y, bar_width, axis.start - y}, title);
    }
    if (chart->reference > 0) {
        double y = axis_px(&axis, chart->reference);
        canvas_line(canvas, "ink dash", (struct spot){left, y}, (struct spot){left + width, y});
    }
    canvas->height = axis.start + 10;
}

void chart_draw(const void *what, struct canvas *canvas)
{
    const struct chart *chart = what;
    if (chart->share)
        shares_draw(chart, canvas);
    else
        series_draw(chart, canvas);
}
