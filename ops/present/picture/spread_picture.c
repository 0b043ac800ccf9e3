/* Draws two histograms over one axis, each in shares of its own steps. */
#include "ops/present/picture/spread_picture.h"

#include "ops/present/picture/axis.h"
#include "ops/present/picture/legend.h"

#include <math.h>

enum { HEIGHT = 150, RIGHT = 24 };

static const char *const side_inks[SPREAD_SIDES] = {"part0 half", "part1 half"};
static const char *const median_inks[SPREAD_SIDES] = {"part0 thick", "part1 thick"};

void spread_add(struct spread *spread, struct spread_bin *bins, double from_us,
                struct opt_f64 until_us, const double counts[SPREAD_SIDES])
{
    if (until_us.set && until_us.value > from_us)
        bins[spread->bin_count++] =
            (struct spread_bin){from_us, until_us.value, {counts[0], counts[1]}};
    else
        for (size_t side = 0; side < SPREAD_SIDES; side++)
            spread->beyond[side] += counts[side];
}

static const char *side_words(const struct spread *spread, size_t side, double steps,
                              struct canvas *canvas)
{
    enum { DIGITS = 5 };
    char median[FORMAT_BYTES], counted[FORMAT_COUNTED_BYTES];
    const char *beyond = spread->beyond[side] > 0
                             ? arena_printf(canvas->arena, ", %.0f beyond", spread->beyond[side])
                             : "";
    return arena_printf(canvas->arena, "%s: %s%s%s%s%s%s", spread->side_names[side],
                        format_counted((int64_t)steps, "step", counted), beyond,
                        spread->median_us[side] > 0 ? ", " : "",
                        spread->median_us[side] <= 0   ? ""
                        : spread->median_words != NULL ? spread->median_words
                                                       : "median",
                        spread->median_us[side] > 0 ? " " : "",
                        spread->median_us[side] > 0
                            ? format_duration(spread->median_us[side], DIGITS, median)
                            : "");
}

static void side_draw(const struct spread *spread, size_t side, double steps,
                      const struct axis axes[2], struct canvas *canvas)
{
    const struct axis *lying = &axes[0], *standing = &axes[1];
    for (size_t i = 0; i < spread->bin_count && steps > 0; i++) {
        const struct spread_bin *bin = &spread->bins[i];
        char title[FORMAT_BYTES], share[FORMAT_BYTES];
        double from = axis_px(lying, bin->from_us), until = axis_px(lying, bin->until_us);
        double y = axis_px(standing, bin->count[side] / steps);
        (void)format_share(bin->count[side] / steps, share);
        const char *words =
            arena_printf(canvas->arena, "%s, %s: %.0f steps (%s)", spread->side_names[side],
                         axis_words(lying, bin->from_us, false, title), bin->count[side], share);
        if (bin->count[side] > 0)
            canvas_rect(canvas, side_inks[side],
                        (struct area){from, y, until - from, standing->start - y}, words);
    }
    if (spread->median_us[side] > 0) {
        double x = axis_px(lying, spread->median_us[side]);
        canvas_line(canvas, median_inks[side], (struct spot){x, standing->end},
                    (struct spot){x, standing->start});
    }
}

void spread_draw(const void *what, struct canvas *canvas)
{
    const struct spread *spread = what;
    const struct spread_bin *last = &spread->bins[spread->bin_count - 1];
    double steps[SPREAD_SIDES] = {spread->beyond[0], spread->beyond[1]}, tallest = 0;
    struct legend_item items[SPREAD_SIDES];
    for (size_t side = 0; side < SPREAD_SIDES; side++) {
        for (size_t i = 0; i < spread->bin_count; i++)
            steps[side] += spread->bins[i].count[side];
        for (size_t i = 0; i < spread->bin_count && steps[side] > 0; i++)
            tallest = fmax(tallest, spread->bins[i].count[side] / steps[side]);
        items[side] = (struct legend_item){SWATCH_AREA,
                                           {.ink = side_inks[side]},
                                           side_words(spread, side, steps[side], canvas),
                                           false};
    }
    double lower = canvas_title(canvas, spread->title);
    double top = legend_draw(items, SPREAD_SIDES, (struct spot){8, 26 + lower}, canvas) + 8;
    struct axis axes[2] = {axis_between("us", spread->bins[0].from_us, last->until_us,
                                        canvas->width < CANVAS_WIDE ? 3 : 7),
                           axis_between("share", 0, tallest, 3)};
    axes[1].end = top;
    axes[1].start = top + HEIGHT;
    axes[0].start = 16 + axis_words_width(&axes[1], false);
    axes[0].end = canvas->width - RIGHT;
    axis_draw_standing(&axes[1], axes[0].start, axes[0].end - axes[0].start, canvas);
    axis_draw_lying(&axes[0], top, top + HEIGHT, false, canvas);
    for (size_t side = 0; side < SPREAD_SIDES; side++)
        side_draw(spread, side, steps[side], axes, canvas);
    canvas->height = top + HEIGHT + 26;
}
