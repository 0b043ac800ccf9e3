/* Writes the style sheets from the table of colours. */
#include "ops/present/picture/ink.h"

static const struct {
    const char *name, *light, *dark;
} inks[] = {
#define INK_ROW(name, light, dark) {#name, light, dark},
    INKS(INK_ROW)
#undef INK_ROW
};
enum { INK_COUNT = sizeof inks / sizeof inks[0] };

const char *tone_class(enum tone tone)
{
    static const char *const classes[TONE_COUNT] = {
        [TONE_PLAIN] = "",    [TONE_STRONG] = "strong", [TONE_DIM] = "dim",
        [TONE_GOOD] = "good", [TONE_WARN] = "warn",     [TONE_BAD] = "bad",
    };
    return classes[tone];
}

const char *tone_ink(enum tone tone)
{
    static const char *const classes[TONE_COUNT] = {
        [TONE_PLAIN] = "bar", [TONE_STRONG] = "ink", [TONE_DIM] = "soft half",
        [TONE_GOOD] = "good", [TONE_WARN] = "warn",  [TONE_BAD] = "bad",
    };
    return classes[tone];
}

const char *part_ink(size_t part)
{
    static const char *const classes[INK_PARTS] = {"part0", "part1", "part2", "part3",
                                                   "part4", "part5", "part6", "part7"};
    return classes[part < INK_PARTS ? part : INK_PARTS - 1];
}

void ink_variables_add(struct text *out)
{
    text_add(out, ":root { color-scheme: light dark;");
    for (size_t i = 0; i < INK_COUNT; i++)
        text_addf(out, " --%s: %s;", inks[i].name, inks[i].light);
    text_add(out, " }\n@media screen and (prefers-color-scheme: dark) { :root {");
    for (size_t i = 0; i < INK_COUNT; i++)
        text_addf(out, " --%s: %s;", inks[i].name, inks[i].dark);
    text_add(out, " } }\n");
}

void ink_rules_add(bool by_variables, struct text *out)
{
    const char *paper = by_variables ? "var(--paper)" : "#ffffff";
    for (size_t i = 0; i < INK_COUNT; i++) {
        if (by_variables)
            text_addf(out, ".picture .%s { color: var(--%s); }\n", inks[i].name, inks[i].name);
        else
            text_addf(out, ".picture .%s { color: %s; }\n", inks[i].name, inks[i].light);
    }
    text_addf(out,
              ".picture text { fill: currentColor; font-size: 12px; }\n"
              ".picture .strong { font-weight: 600; }\n"
              ".picture rect, .picture path { fill: currentColor; }\n"
              ".picture line, .picture polyline { fill: none; stroke: currentColor; }\n"
              ".picture .thick { stroke-width: 2.5; }\n"
              ".picture .dash { stroke-dasharray: 5 4; }\n"
              ".picture .half { opacity: .55; }\n"
              ".picture .faint { opacity: .2; }\n"
              ".picture .clear { opacity: 0; }\n"
              ".picture .hollow { fill: %s; stroke: currentColor; stroke-width: 1.6px; }\n"
              ".picture .halo { paint-order: stroke; stroke: %s; stroke-width: 3px; }\n",
              paper, paper);
}
