/* Foreign text made harmless for the place where it is printed: names in profiles, branches, paths,
 * answers of servers are whatever somebody wrote.
 *
 * For every place, terminals and files read later alike: valid UTF-8 on one line. What is hidden
 * (C0 and C1 controls, with them all escape sequences; marks that turn the direction of text or
 * take no room) becomes U+FFFD, white space among it a blank. What a CI system would take for a
 * command of its own is broken by a backslash: `::word` where a word begins (GitHub's runner drops
 * white space before it, and a terminal's edge may put any word at the start of a line), `##[` and
 * `##word[` anywhere (its older form, Azure Pipelines, TeamCity). Made harmless twice is made
 * harmless once.
 */
#ifndef OPS_RUNTIME_TEXT_HARMLESS_H
#define OPS_RUNTIME_TEXT_HARMLESS_H

#include "ops/runtime/arena.h"
#include "ops/runtime/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum harmless_form {
    HARMLESS_LINE,          /* a terminal, a text file: only what is said above */
    HARMLESS_LOG,           /* a value of logfmt: quoted where needed, hidden bytes as \xNN */
    HARMLESS_MARKUP,        /* elements and attributes of HTML, SVG and XML */
    HARMLESS_MARKDOWN,      /* GitHub's: no markup but code between single backticks; no mention,
                               issue or link that GitHub would make by itself */
    HARMLESS_MARKDOWN_CELL, /* the same in a table, where a bar ends a cell even inside of code */
    HARMLESS_PROSE,         /* Markdown that is ours with names in it: marks stay, raw HTML, links,
                               pictures and mentions do not come through */
    HARMLESS_CODE,          /* between single backticks, in tables too; a backtick becomes ' */
    HARMLESS_ANNOTATION,    /* the text of a workflow command of GitHub */
    HARMLESS_ANNOTATION_TITLE /* a property of one */
};

/* Controls, what turns the direction of text, what takes no room and is no mark of a letter,
 * noncharacters that XML cannot hold. */
bool harmless_hides(uint32_t code_point);

/* Appends the text in that form. */
void harmless_add(struct text *out, enum harmless_form form, const char *text);

/* Appends lines, each in HARMLESS_LINE; their ends stay. */
void harmless_lines(struct text *out, const char *lines);

/* Appends one line: as printf, all of it in HARMLESS_LINE, and a line feed. */
void harmless_line(struct text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One such line on stderr. */
void harmless_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A copy in HARMLESS_LINE. */
char *harmless_copy(struct arena *arena, const char *text);

/* Text from profiles, branches and people made fit for a message: valid UTF-8, one line, nothing
 * invisible, bounded. */

/* Appends at most max_chars code points of string ("…" is the last one when it was cut). Invalid
 * UTF-8 becomes U+FFFD, white space (line breaks, tabs) one blank, and control characters,
 * bidirectional controls and zero-width marks are left out, so that no name can break a line or
 * show itself as another. NULL appends `absent`. */
void clean_add(struct text *out, const char *string, size_t max_chars, const char *absent);

/* Ends a text that was cut behind `start` with "…", so that no word and no number is cut: the
 * part of a word goes, and then numbers and arrows that lost what they belong to. A word as long
 * as a name stays cut where it is. is_within: the cut fell inside a word. */
void cut_mark(struct text *out, size_t start, bool is_within);

#endif
