/* Numbers for people: durations, percentages, counts, bytes. The one place that says how they look,
 * in reasons of a verdict, pages, charts and messages alike.
 *
 * Each function writes into the caller's buffer of FORMAT_BYTES, if nothing else is said, and
 * returns it.
 */
#ifndef OPS_RUNTIME_TEXT_FORMAT_H
#define OPS_RUNTIME_TEXT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

enum { FORMAT_BYTES = 48 };

/* A unit for a whole column of durations: what is compared must stand in one unit, with the same
 * number of decimals. */
struct duration_scale {
    double us_per_unit;
    const char *unit; /* ns, µs, ms, s */
    int decimals;
};

/* The unit in which the largest of the column reads best, with so many significant digits (2 to 6);
 * the sign is dropped. */
struct duration_scale duration_scale_for(double largest_us, int digits);

/* "412.30 ms" in the scale's unit; with_sign puts `+` before what is not negative. */
const char *format_in_scale(struct duration_scale scale, double us, bool with_sign, char *buffer);

/* A single duration in the unit that suits it, with so many significant digits (2 to 6): "412.3
 * ms", "83.21 µs". */
const char *format_duration(double us, int digits, char *buffer);
const char *format_duration_delta(double us, int digits, char *buffer); /* with its sign */

/* "+4.8 %"; values below 0.05 in magnitude keep two decimals so that a change never reads as none.
 */
const char *format_percent_delta(double percent, char *buffer);
/* Two durations and what became of them, each number in one unit: "412.3 ms -> 431.9 ms (+4.8 %)".
 * The percentage is theirs and nobody else's; without one (before is not above 0) none stands
 * there. Writes FORMAT_CHANGE_BYTES at most. */
enum { FORMAT_CHANGE_BYTES = 3 * FORMAT_BYTES };
const char *format_change(double before_us, double after_us, char *buffer);

/* A ratio as "97.1 %", and a difference of two ratios in percentage points: "+0.9 pp". */
const char *format_share(double ratio, char *buffer);
const char *format_share_delta(double delta, char *buffer);

/* "1 run", "3 runs", "2 entries": a count and what it counts, named in the singular. Writes
 * FORMAT_COUNTED_BYTES at most: the name is a word or a few. */
enum { FORMAT_COUNTED_BYTES = 96 };
const char *format_counted(int64_t count, const char *noun, char *buffer);

/* "26,723" */
const char *format_count(int64_t count, char *buffer);
/* "1.5 GiB", "812 B" */
const char *format_size(int64_t bytes, char *buffer);

#endif
