/* Lays a legend out from left to right. */
#include "ops/present/picture/legend.h"

enum { SWATCH = 20, GAP = 16 };

double legend_draw(const struct legend_item *items, size_t count, struct spot at,
                   struct canvas *canvas)
{
    struct spot place = {at.x, at.y + 12};
    for (size_t i = 0; i < count; i++) {
        double width = SWATCH + canvas_words_width(items[i].words);
        if (items[i].absent)
            continue;
        if (place.x > at.x && place.x + width > canvas->width - 4)
            place = (struct spot){at.x, place.y + CANVAS_LINE};
        const struct legend_item *item = &items[i];
        double middle = place.y - 4;
        switch (item->swatch) {
        case SWATCH_MARK:
            canvas_mark(canvas, item->mark, (struct spot){place.x + 7, middle}, NULL);
            break;
        case SWATCH_LINE:
            canvas_line(canvas, item->mark.ink, (struct spot){place.x, middle},
                        (struct spot){place.x + 14, middle});
            break;
        case SWATCH_AREA:
            canvas_rect(canvas, item->mark.ink, (struct area){place.x, middle - 5, 14, 10}, NULL);
            break;
        }
        canvas_words(canvas, "soft",
                     (struct caption){{place.x + SWATCH, place.y},
                                      ANCHOR_START,
                                      canvas->width - place.x - SWATCH},
                     items[i].words);
        place.x += width + GAP;
    }
    return place.y + 6;
}
