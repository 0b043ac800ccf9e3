/* Writes shapes as SVG. */
#include "ops/present/picture/canvas.h"

#include "ops/present/words/words.h"
#include "ops/runtime/text_harmless.h"

#include <string.h>

double canvas_words_width(const char *words)
{
    return (double)(CANVAS_LETTER * shown_columns(words));
}

static void titled_end(struct canvas *canvas, const char *element, const char *title)
{
    if (title == NULL) {
        text_add(&canvas->body, "/>\n");
        return;
    }
    text_add(&canvas->body, "><title>");
    harmless_add(&canvas->body, HARMLESS_MARKUP, title);
    text_addf(&canvas->body, "</title></%s>\n", element);
}

void canvas_line(struct canvas *canvas, const char *ink, struct spot from, struct spot to)
{
    text_addf(&canvas->body,
              "<line class=\"%s\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"/>\n", ink, from.x,
              from.y, to.x, to.y);
}

void canvas_rect(struct canvas *canvas, const char *ink, struct area area, const char *title)
{
    text_addf(&canvas->body,
              "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", ink,
              area.x, area.y, area.width, area.height);
    titled_end(canvas, "rect", title);
}

void canvas_mark(struct canvas *canvas, struct mark mark, struct spot at, const char *title)
{
    double r = mark.radius;
    text_addf(&canvas->body, "<path class=\"%s\" d=\"M", mark.ink);
    switch (mark.shape) {
    case MARK_DOT:
        text_addf(&canvas->body, "%.2f %.2fa%.1f %.1f 0 1 0 %.1f 0a%.1f %.1f 0 1 0 -%.1f 0z\"",
                  at.x - r, at.y, r, r, 2 * r, r, r, 2 * r);
        break;
    case MARK_TRIANGLE:
        text_addf(&canvas->body, "%.2f %.2fh%.1fl-%.1f -%.1fz\"", at.x - 1.2 * r, at.y + r, 2.4 * r,
                  1.2 * r, 2.1 * r);
        break;
    case MARK_DIAMOND:
        text_addf(&canvas->body, "%.2f %.2fl%.1f %.1fl-%.1f %.1fl-%.1f -%.1fz\"", at.x,
                  at.y - 1.4 * r, 1.4 * r, 1.4 * r, 1.4 * r, 1.4 * r, 1.4 * r, 1.4 * r);
        break;
    case MARK_UP:
        text_addf(&canvas->body, "%.2f %.2fl%.1f %.1fh-%.1fz\"", at.x, at.y - r, r, 1.8 * r, 2 * r);
        break;
    }
    titled_end(canvas, "path", title);
}

void canvas_words(struct canvas *canvas, const char *ink, struct caption caption, const char *words)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    const char *shown = words;
    double letter = strstr(ink, "strong") != NULL ? CANVAS_STRONG_LETTER : CANVAS_LETTER;
    if (caption.room > 0 && letter * (double)shown_columns(words) > caption.room) {
        size_t columns = (size_t)(caption.room / letter);
        shown = shown_cut(canvas->arena, words, columns > 0 ? columns : 1);
    }
    text_addf(&canvas->body, "<text class=\"%s\" x=\"%.2f\" y=\"%.2f\"%s>", ink, caption.at.x,
              caption.at.y, anchors[caption.anchor]);
    harmless_add(&canvas->body, HARMLESS_MARKUP, shown);
    if (shown != words) {
        text_add(&canvas->body, "<title>");
        harmless_add(&canvas->body, HARMLESS_MARKUP, words);
        text_add(&canvas->body, "</title>");
    }
    text_add(&canvas->body, "</text>\n");
}

double canvas_title(struct canvas *canvas, const char *title)
{
    struct caption caption = {{8, 18}, ANCHOR_START, canvas->width - 16};
    size_t columns = (size_t)(caption.room / CANVAS_STRONG_LETTER), end = 0;
    if (shown_columns(title) > columns) {
        for (const char *at = title; (at = strchr(at, ' ')) != NULL; at++) {
            const char *line = arena_strndup(canvas->arena, title, (size_t)(at - title));
            if (shown_columns(line) <= columns)
                end = (size_t)(at - title);
        }
    }
    canvas_words(canvas, "ink strong", caption,
                 end > 0 ? arena_strndup(canvas->arena, title, end) : title);
    if (end == 0)
        return 0;
    caption.at.y += CANVAS_LINE;
    canvas_words(canvas, "ink strong", caption, title + end + 1);
    return CANVAS_LINE;
}

void picture_svg(const struct drawing *drawing, double width, bool alone, struct arena *arena,
                 struct text *out)
{
    struct canvas canvas = {.arena = arena, .width = width};
    text_init(&canvas.body, CANVAS_MAX_BYTES);
    drawing->draw(drawing->what, &canvas);
    text_addf(out,
              "<svg class=\"picture\"%s viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
              "role=\"img\" aria-label=\"",
              alone ? " xmlns=\"http://www.w3.org/2000/svg\" "
                      "font-family=\"DejaVu Sans, sans-serif\""
                    : "",
              width, canvas.height, width, canvas.height);
    harmless_add(out, HARMLESS_MARKUP, drawing->title);
    text_add(out, "\">\n");
    if (alone) {
        text_add(out, "<style>\n");
        ink_rules_add(false, out);
        text_addf(out, "</style>\n<rect class=\"paper\" width=\"%.0f\" height=\"%.0f\"/>\n", width,
                  canvas.height);
    }
    text_add_text(out, &canvas.body);
    text_add(out, "</svg>");
    text_done(&canvas.body);
}
