/* Draws charts as SVG: shares as lying bars, series as standing ones.
 *
 * A series starts at zero, as bars must, unless all of it lies within a fifth of its greatest
 * value: then steps would look alike, and the axis says where it starts. Each bar shows its label
 * and value on hovering.
 */
#include "ops/present/page/page_svg.h"

#include "ops/present/page/chart.h"
#include "ops/present/words/words.h"
#include "ops/runtime/text_harmless.h"

#include <math.h>

enum {
    WIDTH = 960,
    SERIES_HEIGHT = 160,
    SERIES_TOP = 22, /* room for the words above the bars */
    SERIES_BARS_MAX = 480,
    SHARE_ROW = 24,
    SHARE_LABEL = 180,
    SHARE_NUMBER = 70
};

static const char *const tone_classes[TONE_COUNT] = {
    [TONE_PLAIN] = "",    [TONE_STRONG] = "strong", [TONE_DIM] = "dim",
    [TONE_GOOD] = "good", [TONE_WARN] = "warn",     [TONE_BAD] = "bad",
};

const char *html_tone_class(enum tone tone)
{
    return tone_classes[tone];
}

static const double NARROW_RANGE = 0.2;

static void rect_print(const struct bar *bar, const double box[4], const char *value,
                       struct text *out)
{
    const char *class = html_tone_class(bar->tone);
    text_addf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", box[0], box[1],
              box[2], box[3]);
    if (class[0] != '\0')
        text_addf(out, " class=\"%s\"", class);
    text_add(out, "><title>");
    harmless_add(out, HARMLESS_MARKUP, bar->label);
    text_addf(out, ": %s</title></rect>\n", value);
}

static void share_chart(const struct chart *chart, struct text *out)
{
    const double room = WIDTH - SHARE_LABEL - SHARE_NUMBER;
    text_addf(out, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" aria-label=\"", WIDTH,
              (int)chart->bar_count * SHARE_ROW + 8, WIDTH);
    harmless_add(out, HARMLESS_MARKUP, chart->title);
    text_add(out, "\">\n");
    for (size_t i = 0; i < chart->bar_count; i++) {
        const struct bar *bar = &chart->bars[i];
        double share = fmin(fmax(bar->value, 0), 1);
        double y = 4 + (double)i * SHARE_ROW;
        char number[FORMAT_BYTES];
        (void)format_share(bar->value, number);
        text_addf(out, "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">", SHARE_LABEL - 10, y + 16);
        harmless_add(out, HARMLESS_MARKUP, bar->label);
        text_add(out, "</text>\n");
        rect_print(bar, (const double[]){SHARE_LABEL, y + 4, room * share, SHARE_ROW - 8}, number,
                   out);
        text_addf(out, "<text x=\"%.2f\" y=\"%.0f\">%s</text>\n", SHARE_LABEL + room * share + 8,
                  y + 16, number);
    }
    text_add(out, "</svg>\n");
}

struct series {
    const struct chart *chart;
    size_t columns; /* bars drawn; each stands for the slowest of its neighbours */
    struct chart_range range;
    double base; /* where the axis starts */
};

static struct series series_of(const struct chart *chart)
{
    struct series series = {.chart = chart, .range = chart_range_of(chart)};
    series.columns = chart->bar_count < SERIES_BARS_MAX ? chart->bar_count : SERIES_BARS_MAX;
    double span = series.range.high - series.range.low;
    if (span > 0 && span < NARROW_RANGE * series.range.high)
        series.base = series.range.low - span / 2;
    return series;
}

static double series_y(const struct series *series, double value)
{
    double span = series->range.high - series->base;
    double share = span > 0 ? fmin(fmax((value - series->base) / span, 0), 1) : 0;
    return SERIES_TOP + (SERIES_HEIGHT - SERIES_TOP) * (1 - share);
}

static void series_words(const struct series *series, struct text *out)
{
    enum { DIGITS = 5 };
    char number[FORMAT_BYTES];
    text_add(out, "<text x=\"6\" y=\"15\">");
    harmless_add(out, HARMLESS_MARKUP, series->chart->title);
    text_addf(out, ", longest %s", format_duration(series->range.high, DIGITS, number));
    if (series->chart->reference > 0)
        text_addf(out, ", median %s", format_duration(series->chart->reference, DIGITS, number));
    if (series->base > 0)
        text_addf(out, " (the axis starts at %s)", format_duration(series->base, DIGITS, number));
    text_add(out, "</text>\n");
}

static void series_chart(const struct chart *chart, struct text *out)
{
    struct series series = series_of(chart);
    const double pitch = (double)WIDTH / (double)series.columns;
    const double gap = pitch > 4 ? 1 : 0;
    text_addf(out, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" aria-label=\"", WIDTH,
              SERIES_HEIGHT, WIDTH);
    harmless_add(out, HARMLESS_MARKUP, chart->title);
    text_add(out, "\">\n");
    for (size_t i = 0; i < series.columns; i++) {
        const struct bar *bar = chart_column(chart, i, series.columns);
        char number[FORMAT_BYTES];
        double y = series_y(&series, bar->value);
        rect_print(bar, (const double[]){(double)i * pitch, y, pitch - gap, SERIES_HEIGHT - y},
                   format_duration(bar->value, 5, number), out);
    }
    if (chart->reference > series.base && chart->reference <= series.range.high) {
        double y = series_y(&series, chart->reference);
        text_addf(out, "<line x1=\"0\" y1=\"%.2f\" x2=\"%d\" y2=\"%.2f\"/>\n", y, WIDTH, y);
    }
    series_words(&series, out);
    text_add(out, "</svg>\n");
}

void svg_chart(const struct chart *chart, struct text *out)
{
    if (chart->bar_count == 0)
        return;
    if (chart->share)
        share_chart(chart, out);
    else
        series_chart(chart, out);
}
