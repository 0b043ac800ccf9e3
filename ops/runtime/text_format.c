/* Implements numbers for people. No locale takes part: same number, same bytes. */
#include "ops/runtime/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct unit {
    double us;
    const char *name;
};

static const struct unit units[] = {{1e-3, "ns"}, {1.0, "µs"}, {1e3, "ms"}, {1e6, "s"}};

enum { UNIT_COUNT = sizeof units / sizeof *units, UNIT_STEP = 1000, PLAIN_LIMIT = 1000000000 };

/* Decimals that leave `digits` significant ones in a number of this magnitude (below 1000). */
static int decimals_for(double magnitude, int digits)
{
    int before_point = magnitude >= 100 ? 3 : magnitude >= 10 ? 2 : 1;
    return digits > before_point ? digits - before_point : 0;
}

/* The unit in which the number, rounded to its digits, is below 1000; seconds have no upper bound.
 */
static const struct unit *unit_for(double us, int digits)
{
    for (size_t i = 0; us > 0 && i + 1 < UNIT_COUNT; i++) {
        double value = us / units[i].us;
        double grain = pow(10.0, -decimals_for(value, digits));
        if (round(value / grain) * grain < UNIT_STEP)
            return &units[i];
    }
    return &units[us > 0 ? UNIT_COUNT - 1 : 1];
}

struct duration_scale duration_scale_for(double largest_us, int digits)
{
    const struct unit *unit = unit_for(fabs(largest_us), digits);
    return (struct duration_scale){unit->us, unit->name,
                                   decimals_for(fabs(largest_us) / unit->us, digits)};
}

double format_zero(double value, int decimals)
{
    return fabs(value) * pow(10.0, decimals) < 0.5 ? 0 : value;
}

int format_decimals_apart(double a, double b)
{
    enum { LEAST = 1, MOST = 4 };
    char x[FORMAT_BYTES], y[FORMAT_BYTES];
    for (int decimals = LEAST; decimals <= MOST; decimals++) {
        (void)snprintf(x, sizeof x, "%.*f", decimals, a);
        (void)snprintf(y, sizeof y, "%.*f", decimals, b);
        if (strcmp(x, y) != 0)
            return decimals;
    }
    return LEAST;
}

/* A number with a suffix; what rounds to zero loses its sign. */
static const char *number_print(double value, int decimals, bool with_sign, const char *suffix,
                                char *buffer)
{
    value = format_zero(value, decimals);
    if (fabs(value) >= PLAIN_LIMIT || !isfinite(value))
        (void)snprintf(buffer, FORMAT_BYTES, "%.4g%s", value, suffix);
    else if (with_sign)
        (void)snprintf(buffer, FORMAT_BYTES, "%+.*f%s", decimals, value, suffix);
    else
        (void)snprintf(buffer, FORMAT_BYTES, "%.*f%s", decimals, value, suffix);
    return buffer;
}

const char *format_in_scale(struct duration_scale scale, double us, bool with_sign, char *buffer)
{
    char suffix[8];
    (void)snprintf(suffix, sizeof suffix, " %s", scale.unit);
    return number_print(us / scale.us_per_unit, scale.decimals, with_sign, suffix, buffer);
}

const char *format_duration(double us, int digits, char *buffer)
{
    return format_in_scale(duration_scale_for(us, digits), us, false, buffer);
}

const char *format_duration_delta(double us, int digits, char *buffer)
{
    return format_in_scale(duration_scale_for(us, digits), us, true, buffer);
}

const char *format_percent_delta(double percent, char *buffer)
{
    int decimals = fabs(percent) < 0.05 ? 2 : 1;
    return number_print(percent, decimals, true, " %", buffer);
}

const char *format_change(double before_us, double after_us, char *buffer)
{
    enum { DIGITS = 4 };
    struct duration_scale scale = duration_scale_for(fmax(fabs(before_us), fabs(after_us)), DIGITS);
    char before[FORMAT_BYTES], after[FORMAT_BYTES], percent[FORMAT_BYTES];
    (void)format_in_scale(scale, before_us, false, before);
    (void)format_in_scale(scale, after_us, false, after);
    if (before_us > 0)
        (void)snprintf(buffer, FORMAT_CHANGE_BYTES, "%s -> %s (%s)", before, after,
                       format_percent_delta(100 * (after_us - before_us) / before_us, percent));
    else
        (void)snprintf(buffer, FORMAT_CHANGE_BYTES, "%s -> %s", before, after);
    return buffer;
}

const char *format_share(double ratio, char *buffer)
{
    return number_print(ratio * 100, 1, false, " %", buffer);
}

const char *format_share_digits(double ratio, char *buffer)
{
    static const double shown_least = 0.0005, told_least = 1e-6;
    if (!(ratio > 0) || ratio >= shown_least)
        return format_share(ratio, buffer);
    if (ratio < told_least)
        (void)snprintf(buffer, FORMAT_BYTES, "< 0.0001 %%");
    else
        (void)snprintf(buffer, FORMAT_BYTES, "%.2g %%", 100 * ratio);
    return buffer;
}

const char *format_share_delta(double delta, char *buffer)
{
    return number_print(delta * 100, 1, true, " pp", buffer);
}

static bool ends_in(const char *word, size_t length, const char *letters)
{
    return length > 0 && strchr(letters, word[length - 1]) != NULL;
}

const char *format_counted(int64_t count, const char *noun, char *buffer)
{
    size_t length = strlen(noun);
    bool is_one = count == 1;
    bool in_ies = !is_one && ends_in(noun, length, "y") && !ends_in(noun, length - 1, "aeou");
    const char *ending = is_one ? "" : in_ies ? "ies" : ends_in(noun, length, "sxh") ? "es" : "s";
    (void)snprintf(buffer, FORMAT_COUNTED_BYTES, "%lld %.*s%s", (long long)count,
                   (int)(in_ies ? length - 1 : length), noun, ending);
    return buffer;
}

const char *format_count(int64_t count, char *buffer)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)count);
    size_t out = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && digits[i - 1] != '-' && (length - i) % 3 == 0)
            buffer[out++] = ',';
        buffer[out++] = digits[i];
    }
    buffer[out] = '\0';
    return buffer;
}

static const char *size_print(int64_t bytes, bool with_sign, char *buffer)
{
    static const char *const names[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
    enum { LAST = sizeof names / sizeof *names - 1 };
    double value = (double)bytes;
    size_t i = 0;
    for (; fabs(value) >= 1024 && i < LAST; i++)
        value /= 1024;
    return number_print(value, i == 0 ? 0 : 1, with_sign, names[i], buffer);
}

const char *format_size(int64_t bytes, char *buffer)
{
    return size_print(bytes, false, buffer);
}

const char *format_size_delta(int64_t bytes, char *buffer)
{
    return size_print(bytes, true, buffer);
}
