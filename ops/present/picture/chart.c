/* Draws charts with characters. */
#include "ops/present/picture/chart.h"

#include "ops/present/words/words.h"

#include <math.h>

enum { EIGHTHS = 8 };

void chart_bar(double share, int columns, struct text *out)
{
    static const char *const parts[EIGHTHS] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    double clipped = share > 1 ? 1 : share > 0 ? share : 0;
    int eighths = (int)lround(clipped * columns * EIGHTHS);
    for (int i = 0; i < eighths / EIGHTHS; i++)
        text_add(out, "█");
    text_add(out, parts[eighths % EIGHTHS]);
}

struct chart_range chart_range_of(const struct chart *chart)
{
    struct chart_range all = {INFINITY, -INFINITY};
    struct chart_range counted = all;
    for (size_t i = 0; i < chart->bar_count; i++) {
        const struct bar *bar = &chart->bars[i];
        all = (struct chart_range){fmin(all.low, bar->value), fmax(all.high, bar->value)};
        if (bar->tone != TONE_DIM)
            counted =
                (struct chart_range){fmin(counted.low, bar->value), fmax(counted.high, bar->value)};
    }
    return counted.low <= counted.high ? counted : all;
}

const struct bar *chart_column(const struct chart *chart, size_t column, size_t columns)
{
    size_t end = (column + 1) * chart->bar_count / columns;
    const struct bar *slowest = &chart->bars[column * chart->bar_count / columns];
    for (const struct bar *bar = slowest; bar < &chart->bars[end]; bar++) {
        if (bar->value > slowest->value)
            slowest = bar;
    }
    return slowest;
}

void chart_sparkline_bars(const struct chart *chart, size_t columns, struct text *out)
{
    static const char *const levels[EIGHTHS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    size_t count = chart->bar_count < columns ? chart->bar_count : columns;
    struct chart_range range = chart_range_of(chart);
    double span = range.high - range.low;
    for (size_t i = 0; i < count; i++) {
        double above = chart_column(chart, i, count)->value - range.low;
        double height = span > 0 ? fmin(fmax(above / span, 0), 1) : 0;
        text_add(out, levels[lround(height * (EIGHTHS - 1))]);
    }
}

void chart_sparkline(const struct chart *chart, size_t columns, struct text *out)
{
    enum { DIGITS = 4 };
    if (chart->bar_count == 0)
        return;
    struct chart_range range = chart_range_of(chart);
    chart_sparkline_bars(chart, columns, out);
    char from[FORMAT_BYTES], to[FORMAT_BYTES];
    text_addf(out, "  %s .. %s", format_duration(range.low, DIGITS, from),
              format_duration(range.high, DIGITS, to));
}
