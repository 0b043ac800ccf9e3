/* The colours of pages and pictures, light and dark, in one table.
 *
 * A page names a colour by a variable that follows the reader's system; a picture that stands alone
 * (an SVG file, a PNG for mail) holds the light ones, because librsvg knows no variables. Marks
 * differ by shape too: nothing is told by red and green alone. The colours of parts (`part0` ...)
 * are those of Okabe and Ito, which colour-blind readers tell apart.
 */
#ifndef OPS_PRESENT_PICTURE_INK_H
#define OPS_PRESENT_PICTURE_INK_H

#include "ops/runtime/text.h"

/* X(name, of light paper, of dark paper): a class of pictures and a variable `--name` of pages. */
#define INKS(X) \
    X(ink, "#1c2024", "#e4e7ea") \
    X(soft, "#60666d", "#9aa1a9") \
    X(line, "#dcdfe3", "#353a40") \
    X(paper, "#ffffff", "#16191c") \
    X(band, "#f5f6f8", "#1e2226") \
    X(bar, "#4473b5", "#7aa5e0") \
    X(good, "#1a7f4b", "#4cc38a") \
    X(warn, "#9a6400", "#e0a83b") \
    X(bad, "#c02b2b", "#f07575") \
    X(other, "#7d4fb0", "#b794e6") \
    X(part0, "#0072b2", "#4aa3df") \
    X(part1, "#e69f00", "#e69f00") \
    X(part2, "#009e73", "#1fb58c") \
    X(part3, "#cc79a7", "#d68fb8") \
    X(part4, "#56b4e9", "#8fd0f5") \
    X(part5, "#d55e00", "#f0803c") \
    X(part6, "#b3a600", "#e6dc5a") \
    X(part7, "#5c6670", "#a4adb5")
enum { INK_PARTS = 8 };

enum tone { TONE_PLAIN, TONE_STRONG, TONE_DIM, TONE_GOOD, TONE_WARN, TONE_BAD, TONE_COUNT };

/* The class of a tone in the page's style sheet; "" for plain. */
const char *tone_class(enum tone tone);

/* The class of a shape of that tone in a picture. */
const char *tone_ink(enum tone tone);

/* The class of the i-th part of a whole; beyond INK_PARTS the last one. */
const char *part_ink(size_t part);

/* The variables of a page, light and dark; on paper they are light. */
void ink_variables_add(struct text *out);

/* The rules of pictures: by the page's variables, or with the light colours themselves. */
void ink_rules_add(bool by_variables, struct text *out);

#endif
